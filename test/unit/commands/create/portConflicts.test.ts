import assert from 'node:assert/strict';

import {
  conflictMessage,
  freeContainerName,
  findPortConflicts,
  portConflictMessage,
  missingProgramMessage,
  reassignPorts,
} from '../../../../src/commands/create/portConflicts.ts';
import { isDisplayedWhole } from '../../../../src/base/plainText.ts';
import type { Container, Port } from '../../../../src/engine/model.ts';
import { container } from '../../inventory/support/nouns.ts';

function named(name: string, ports: readonly Port[] = []): Container {
  return container(name, { ports });
}

describe('commands/portConflicts', () => {
  const web = named('web', [
    { ip: '0.0.0.0', privatePort: 80, publicPort: 8080, protocol: 'tcp' },
    { ip: '::', privatePort: 80, publicPort: 8080, protocol: 'tcp' },
    { ip: '127.0.0.1', privatePort: 53, publicPort: 5353, protocol: 'udp' },
    { privatePort: 9000, protocol: 'tcp' },
  ]);
  const ofPorts = (...ports: readonly string[]): string | undefined =>
    conflictMessage({ ports }, [web]);

  it('leaves a range of host ports to the engine, which selects a free one', async () => {
    const range = '8080-8090:80';
    assert.equal(ofPorts(range, '8080-8090:81', '8080:82'), undefined);
    assert.equal(ofPorts(range, range), 'Port 80/tcp is listed twice.');
    assert.deepEqual(findPortConflicts([range], [web]), []);
    const moved = await reassignPorts([range], new Set([8080]), () => Promise.resolve(1));
    assert.deepEqual(moved, [range]);
  });

  it('reports a name that is taken', () => {
    assert.equal(conflictMessage({ name: 'web' }, [web]), 'A container named web already exists.');
    assert.equal(conflictMessage({ name: 'db' }, [web]), undefined);
    assert.equal(conflictMessage({}, [web]), undefined);
  });

  it('reports a name that is longer than any row can show', () => {
    const of = (length: number): string | undefined =>
      conflictMessage({ name: 'n'.repeat(length) }, []);
    assert.equal(of(255), undefined);
    assert.equal(of(300), 'The name has 300 characters. The maximum is 255.');
  });

  it('reports that there is no program to run', () => {
    const bare = { cmd: [], entrypoint: [] };
    assert.match(missingProgramMessage({}, bare) ?? '', /^The image has neither a command nor/);
    assert.equal(missingProgramMessage({ cmd: ['sh'] }, bare), undefined);
    assert.equal(missingProgramMessage({ entrypoint: ['sh'] }, bare), undefined);
    assert.equal(missingProgramMessage({}, { ...bare, cmd: ['sh'] }), undefined);
    assert.equal(missingProgramMessage({}, { ...bare, entrypoint: ['sh'] }), undefined);
  });

  it('reports that an empty entrypoint drops the command of the image', () => {
    const image = { cmd: ['sleep', '1'], entrypoint: ['tini'] };
    const empty = { entrypoint: [''] };
    assert.equal(missingProgramMessage(empty, image), 'The entrypoint is empty. Enter a command.');
    assert.equal(missingProgramMessage({ ...empty, cmd: ['sh'] }, image), undefined);
  });

  it('reports ports that conflict with each other', () => {
    assert.match(ofPorts('8000:80', '8000:81') ?? '', /cannot both be published at 8000\.$/);
    assert.match(
      ofPorts('127.0.0.1:8000:80', '8000:81') ?? '',
      /cannot both be published at 8000\.$/,
    );
    assert.match(
      ofPorts('8000-8002:80-82', '8001:90') ?? '',
      /cannot both be published at 8001\.$/,
    );
    assert.match(
      ofPorts('8000:80', '[::1]:8000:80') ?? '',
      /cannot both be published at ::1:8000\.$/,
    );
    assert.equal(ofPorts('80', '80'), 'Port 80/tcp is listed twice.');
  });

  it('accepts ports that do not conflict', () => {
    assert.equal(ofPorts('8000:80', '8001:80', '8000:80/udp', '80', '81'), undefined);
    assert.equal(ofPorts('127.0.0.1:8000:80', '127.0.0.2:8000:80'), undefined);
    assert.equal(ofPorts('127.0.0.1::80', '127.0.0.2::80'), undefined);
  });

  it('names the container that has a port', () => {
    const held = (...ports: readonly string[]): string | undefined =>
      portConflictMessage(findPortConflicts(ports, [named('other'), web]));
    assert.equal(held('8080:80', '127.0.0.1:8080:81'), 'Port 8080 is used by web.');
    assert.equal(
      held('8080:80', '5353:53/udp'),
      'Port 8080 is used by web. Port 5353 is used by web.',
    );
    assert.equal(held('8080:80/udp', '5353:53', '127.0.0.2:5353:53/udp'), undefined);
    assert.equal(held('9000:9000', '80', ':80'), undefined);
  });

  it('names the first of many conflicts, so that the question is shown completely', () => {
    const ports = Array.from({ length: 213 }, (_, at) => ({
      privatePort: at + 1,
      publicPort: 8000 + at,
      protocol: 'tcp' as const,
    }));
    const holder = named(`${'w'.repeat(100)}\nNothing is lost.`, ports);
    const held = findPortConflicts(['8000-8212:1-213'], [holder]);
    const sentence = portConflictMessage(held) ?? '';
    assert.match(sentence, /^Port 8000 is used by w{80}…\. .*8004.*\. And 208 more\.$/);
    assert(isDisplayedWhole(sentence));
  });

  it('compares ranges of many ports quickly', () => {
    const range = '49152-65535:49152-65535/udp';
    assert.equal(ofPorts(range), undefined);
    assert.match(ofPorts(range, '65535:1/udp') ?? '', /cannot both be published at 65535\.$/);
    const ports = Array.from({ length: 16_384 }, (_, at) => ({
      privatePort: 49_152 + at,
      publicPort: 49_152 + at,
      protocol: 'udp' as const,
    }));
    const held = findPortConflicts([range], [named('turn', ports)]);
    assert.deepEqual([held.length, held.at(-1)?.hostPort], [16_384, 65_535]);
  });

  it('finds a free name', () => {
    const there = ['web', 'web-2', 'db-7', 'db-8', '1-1'].map((name) => named(name));
    const cases: readonly [name: string, free: string][] = [
      ['free', 'free'],
      ['web', 'web-3'],
      ['web-2', 'web-3'],
      ['db-7', 'db-9'],
      ['db-9', 'db-9'],
      ['1-1', '1-1-2'],
    ];
    for (const [name, free] of cases) assert.equal(freeContainerName(name, there), free, name);
  });
});

describe('commands/reassignPorts', () => {
  /** Moves ports 8080 and 8081. Suggests the next port that is not used yet. */
  const moved = (...ports: readonly string[]): Promise<readonly string[]> =>
    reassignPorts(ports, new Set([8080, 8081]), (port, _protocol, besides) => {
      let free = port + 2;
      while (besides.has(free)) free++;
      return Promise.resolve(free);
    });

  it('leaves free ports as they were written', async () => {
    const ports = ['80', '8000-8001:80-81', '[::1]:9000:90/udp', '127.0.0.1::80'];
    assert.deepEqual(await moved(...ports), ports);
  });

  it('moves ports that are in use, and not to ports of other entries', async () => {
    assert.deepEqual(await moved('8080:80', '8080:80/udp', '127.0.0.1:8081:81', '[::1]:8080:82'), [
      '8082:80/tcp',
      '8083:80/udp',
      '127.0.0.1:8084:81/tcp',
      '[::1]:8085:82/tcp',
    ]);
  });

  it('does not move a port to that of a later entry', async () => {
    assert.deepEqual(await moved('8080:80', '8082:82', '8083-8084:83-84'), [
      '8085:80/tcp',
      '8082:82',
      '8083-8084:83-84',
    ]);
  });

  it('splits a range that is partly in use', async () => {
    assert.deepEqual(await moved('8079-8080:79-80'), ['8079:79/tcp', '8082:80/tcp']);
  });

  it('lets the engine choose if no free port is known', async () => {
    const none = (): Promise<undefined> => Promise.resolve(undefined);
    assert.deepEqual(await reassignPorts(['8080:80'], new Set([8080]), none), ['0:80/tcp']);
  });
});
