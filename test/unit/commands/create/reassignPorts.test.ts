import assert from 'node:assert/strict';

import { reassignPorts } from '../../../../src/commands/create/reassignPorts.ts';
import { english } from '../../../../src/l10n.ts';

describe('commands/freePorts', () => {
  /** Moves those at 8080 and 8081; what is suggested is the next one that is not given yet. */
  const moved = (...ports: readonly string[]): Promise<readonly string[]> =>
    reassignPorts(
      ports,
      new Set([8080, 8081]),
      (port, _protocol, besides) => {
        let free = port + 2;
        while (besides.has(free)) free++;
        return Promise.resolve(free);
      },
      english,
    );

  it('leaves what is free as it was written', async () => {
    const ports = ['80', '8000-8001:80-81', '[::1]:9000:90/udp', '127.0.0.1::80'];
    assert.deepEqual(await moved(...ports), ports);
  });

  it('moves what is taken, and nothing to where another of them is', async () => {
    assert.deepEqual(await moved('8080:80', '8080:80/udp', '127.0.0.1:8081:81', '[::1]:8080:82'), [
      '8082:80/tcp',
      '8083:80/udp',
      '127.0.0.1:8084:81/tcp',
      '[::1]:8085:82/tcp',
    ]);
  });

  it('moves nothing to where one stays that comes after it', async () => {
    assert.deepEqual(await moved('8080:80', '8082:82', '8083-8084:83-84'), [
      '8085:80/tcp',
      '8082:82',
      '8083-8084:83-84',
    ]);
  });

  it('takes a range apart that is taken in part', async () => {
    assert.deepEqual(await moved('8079-8080:79-80'), ['8079:79/tcp', '8082:80/tcp']);
  });

  it('leaves it to the engine where no port is known to be free', async () => {
    const none = (): Promise<undefined> => Promise.resolve(undefined);
    assert.deepEqual(await reassignPorts(['8080:80'], new Set([8080]), none, english), [
      '0:80/tcp',
    ]);
  });
});
