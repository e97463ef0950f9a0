import assert from 'node:assert/strict';
import {
  followPath,
  readArchive,
  readContainerFile,
  statPath,
  writeArchive,
} from '../../../../src/engine/archive/archive.ts';
import { inspectContainer } from '../../../../src/engine/containers/containers.ts';
import {
  isTemporaryContainer,
  temporaryOwner,
} from '../../../../src/engine/images/temporaryMarks.ts';
import { imageFileSource } from '../../../../src/engine/volumes/fileSource.ts';
import { readPathStat } from '../../../../src/engine/archive/pathStat.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { failure, openLab, when, type Lab } from '../../support/lab.ts';
import { packed, pathStat } from '../../support/tars.ts';

const ID = 'c'.repeat(64);

const answers =
  (bytes: Uint8Array): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-tar' });
    response.end(bytes);
  };

describe('readPathStat', () => {
  const kinds: [mode: number, kind: string][] = [
    [0o644, 'file'],
    [0x8000_0000 + 0o755, 'folder'],
    [0x0800_0000 + 0o777, 'link'],
    [0x0400_0000 + 0x0020_0000, 'other'],
    [0x0200_0000, 'other'],
    [0x0100_0000, 'other'],
    // With the sticky and the setuid bit.
    [0x8000_0000 + 0x0010_0000 + 0o777, 'folder'],
    [0x0080_0000 + 0o755, 'file'],
  ];
  for (const [mode, kind] of kinds) {
    it(`parses mode ${mode.toString(16)} as ${kind}`, () => {
      assert.equal(readPathStat(pathStat({ mode }))?.kind, kind);
    });
  }

  it('replaces invalid fields by defaults and rejects an invalid header', () => {
    const odd = { mode: 0o600, size: -1, mtime: 'soon', linkTarget: '/etc/passwd' };
    assert.deepEqual(readPathStat(pathStat(odd)), {
      ...{ kind: 'file', size: 0, permissions: 0o600, modifiedAt: 0, linkTarget: '' },
    });
    for (const none of [undefined, '', '!', pathStat({}), pathStat([]), 'bnVsbA=='])
      assert.equal(readPathStat(none), undefined);
  });
});

describe('archive requests', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('sends a HEAD request with the path encoded', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      response.writeHead(200, {
        'x-docker-container-path-stat': pathStat({ mode: 0o644, size: 3 }),
      });
      response.end();
    });
    assert.equal((await statPath(connection, ID, '/ä b&c')).size, 3);
    const [seen] = engine.seen;
    assert.deepEqual([seen?.method, seen?.query.get('path')], ['HEAD', '/ä b&c']);
    engine.answer((_, response) => void response.writeHead(404).end());
    await failure(statPath(connection, ID, '/x'), 'notFound');
    engine.answer((_, response) => void response.writeHead(200).end());
    await failure(statPath(connection, ID, '/x'), 'badAnswer');
  });

  it('says that a name is not UTF-8 if a path that was listed is not found', async () => {
    const { connection } = await lab.fake((_, response) => void response.writeHead(404).end());
    const expected = { name: 'NameEncodingError', path: '/caf\uFFFD' };
    await assert.rejects(statPath(connection, ID, '/caf\uFFFD'), expected);
    await assert.rejects(readContainerFile(connection, ID, '/caf\uFFFD', 10), expected);
  });

  it('follows a link to its target and reports notFound for a circular link', async () => {
    const stats: Readonly<Record<string, object>> = {
      '/link': { mode: 0x0800_0000, linkTarget: '/end' },
      '/end': { mode: 0o644, size: 3 },
      '/circle': { mode: 0x0800_0000, linkTarget: '/circle' },
    };
    const { connection } = await lab.fake(({ query }, response) => {
      const stat = pathStat(stats[query.get('path') ?? ''] ?? {});
      response.writeHead(200, { 'x-docker-container-path-stat': stat }).end();
    });
    for (const path of ['/link', '/end']) {
      const found = await followPath(connection, ID, path);
      assert.deepEqual([found.path, found.stat.size], ['/end', 3]);
    }
    await failure(followPath(connection, ID, '/circle'), 'notFound');
  });

  it('rejects with a PathKindError if the path is a folder', async () => {
    const { connection } = await lab.fake(
      answers(await packed([{ name: 'a', type: 'directory' }])),
    );
    await assert.rejects(readContainerFile(connection, ID, '/a', 1e6), {
      ...{ name: 'PathKindError', path: '/a', kind: 'folder' },
    });
  });

  it('reads long names, pax headers and devices', async () => {
    const long = 'n'.repeat(300);
    const bytes = await packed([
      { name: `${long}/日本`, size: 2 },
      { name: 'null', type: 'character-device' },
      { name: 'pipe', type: 'fifo' },
      { name: 'hard', type: 'link', linkname: long },
    ]);
    const { connection } = await lab.fake(answers(bytes));
    const read: string[] = [];
    for await (const entry of readArchive(connection, ID, '/'))
      read.push(`${entry.kind} ${entry.name.length} ${entry.linkTarget.length}`);
    assert.deepEqual(read, ['file 303 0', 'other 4 0', 'other 4 0', 'hardLink 4 300']);
  });

  it('rejects with badAnswer if the response is not a tar or is truncated', async () => {
    const whole = await packed([{ name: 'a', size: 5000 }]);
    const bad = [
      Buffer.alloc(2000, 65),
      whole.subarray(0, 3000),
      Buffer.from('{}'),
      Buffer.alloc(0),
    ];
    for (const bytes of bad) {
      const { connection } = await lab.fake(answers(bytes));
      await failure(readContainerFile(connection, ID, '/a', 1e6), 'badAnswer');
    }
  });

  it('rejects a file whose size exceeds the limit', async () => {
    const whole = await packed([{ name: 'a', size: 5000 }]);
    const { connection } = await lab.fake(answers(whole));
    await failure(readContainerFile(connection, ID, '/a', 4999), 'tooLarge');
    assert.equal((await readContainerFile(connection, ID, '/a', 5000)).length, 5000);
  });

  it('closes the response when the reader cancels in the middle of a file', async () => {
    const whole = await packed([{ name: 'a', size: 1e6 }]);
    let isClosed = false;
    const controller = new AbortController();
    const { connection } = await lab.fake((_, response) => {
      response.on('close', () => (isClosed = true));
      response.writeHead(200);
      response.write(whole.subarray(0, 500_000), () => controller.abort());
    });
    const reading = readContainerFile(connection, ID, '/a', 1e7, controller.signal);
    await assert.rejects(reading, { name: 'AbortError' });
    await when(() => isClosed);
  });

  it('uploads a tar into a folder', async () => {
    const { engine, connection } = await lab.fake(
      (_, response) => void response.writeHead(200).end(),
    );
    const bytes = await packed([{ name: 'a', size: 3 }]);
    await writeArchive(connection, ID, '/tmp', async function* () {
      yield await Promise.resolve(bytes);
    });
    const [seen] = engine.seen;
    assert.equal(seen?.method, 'PUT');
    assert.deepEqual(
      [...seen.query],
      [
        ['path', '/tmp'],
        ['noOverwriteDirNonDir', '1'],
      ],
    );
    assert.equal(seen.headers['content-type'], 'application/x-tar');
    assert.equal(seen.body.length, bytes.length);
  });

  it('removes the temporary container of an image even if the work fails', async () => {
    const { engine, connection } = await lab.fake((request, response) => {
      if (request.method === 'POST') json(response, 201, { Id: ID });
      else if (request.method === 'DELETE') response.writeHead(204).end();
      else json(response, 404, { message: 'gone' });
    });
    const image = `sha256:${'a'.repeat(64)}`;
    const access = imageFileSource(
      () => Promise.resolve(connection),
      image,
      temporaryOwner('secret'),
    );
    const work = access(async (_, id) => {
      assert(typeof id === 'string');
      await inspectContainer(connection, id);
    });
    await failure(work, 'notFound');
    const [created, , removed] = engine.seen;
    const body = JSON.parse(created?.body ?? '{}') as {
      readonly Labels: Record<string, string>;
      readonly Entrypoint: readonly string[];
      readonly Cmd: readonly string[];
    };
    const name = created?.query.get('name') ?? '';
    const command = [...body.Entrypoint, ...body.Cmd].join(' ');
    assert(isTemporaryContainer({ labels: body.Labels, name, state: 'created', command }));
    assert.deepEqual([removed?.method, removed?.path], ['DELETE', `/containers/${ID}`]);
    assert.equal(removed?.query.toString(), 'v=1', 'without force: what was started stays');
  });
});
