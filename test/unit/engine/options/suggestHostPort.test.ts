import assert from 'node:assert/strict';
import { createServer } from 'node:net';

import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import {
  isFreeLocalPort,
  isLocalEngine,
  suggestHostPort,
} from '../../../../src/engine/options/suggestHostPort.ts';

describe('engine/suggestHostPort', () => {
  it('detects that a local port is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    const address = server.address();
    assert(typeof address === 'object' && address);
    const whileTaken = await isFreeLocalPort(address.port);
    await new Promise((resolve) => server.close(resolve));
    assert.deepEqual([whileTaken, await isFreeLocalPort(address.port)], [false, true]);
  });

  it('suggests the same port, or an unprivileged one, and tries the next if it is taken', async () => {
    const all = (): boolean => true;
    assert.equal(await suggestHostPort(80, all), 8080);
    assert.equal(await suggestHostPort(443, all), 8443);
    assert.equal(await suggestHostPort(5432, all), 5432);
    assert.equal(await suggestHostPort(5432, (port) => Promise.resolve(port > 5440)), 5441);
    assert.equal(await suggestHostPort(65535, (port) => port !== 65535), undefined);
    assert.equal(await suggestHostPort(80, () => false), undefined);
  });

  it('distinguishes local engines from remote ones', () => {
    const isHere = (text: string): boolean => isLocalEngine(parseEndpoint(text, 'setting'));
    for (const here of ['unix:///run/x.sock', 'tcp://127.0.0.1:2375', 'tcp://localhost:2375'])
      assert.equal(isHere(here), true, here);
    for (const there of ['tcp://10.0.0.1:2375', 'ssh://me@127.0.0.1', 'tcp://127.example:2375'])
      assert.equal(isHere(there), false, there);
  });
});
