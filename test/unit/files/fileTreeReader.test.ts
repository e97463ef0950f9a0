import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { FileTreeReader } from '../../../src/files/fileTreeReader.ts';
import type { Answer } from '../support/fakeEngine.ts';
import { failure, openLab, settle, when, type Lab } from '../support/lab.ts';
import { packed } from '../support/tars.ts';

const ID = 'c'.repeat(64);
const folder = (name: string): { name: string; type: 'directory' } => ({ name, type: 'directory' });

describe('files/fileTreeReader', () => {
  let lab: Lab;
  let isMoving: boolean;
  let now: number;
  beforeEach(() => {
    lab = openLab();
    isMoving = false;
    now = 0;
  });
  afterEach(async () => {
    mock.restoreAll();
    await lab.close();
  });

  async function open(
    answer: Answer,
  ): Promise<{ files: FileTreeReader; asked: () => readonly (string | null)[] }> {
    const { engine, connection } = await lab.fake(answer);
    const files = new FileTreeReader({
      access: (work) => work(connection, ID),
      isMoving: () => isMoving,
      now: () => now,
    });
    return { files, asked: () => engine.seen.map(({ query }) => query.get('path')) };
  }

  const tree = (): Promise<Buffer> =>
    packed([folder('a'), folder('a/b'), { name: 'a/b/c', size: 3 }, { name: 'd', size: 1 }]);
  const whole: Answer = async (_, response) => {
    response.end(await tree());
  };

  it('serves subfolders from one read of their parent', async () => {
    const { files, asked } = await open(whole);
    const names = async (path: string): Promise<string> =>
      (await files.list(path)).entries.map(({ name }) => name).join();
    assert.equal(await names('/'), 'a,d');
    assert.equal(await names('/a'), 'b');
    assert.equal(await names('/a/b/'), 'c');
    assert.deepEqual(asked(), ['/.']);
    files.drop();
    await files.list('/a');
    assert.deepEqual(asked(), ['/.', '/a/.']);
  });

  it('reads again after a while if the container is running', async () => {
    isMoving = true;
    const { files, asked } = await open(whole);
    await files.list('/');
    await files.list('/a');
    assert.equal(asked().length, 1);
    now += 60_000;
    await files.list('/a');
    assert.deepEqual(asked(), ['/.', '/a/.']);
  });

  it('shares one request among concurrent callers, and keeps it when one of them cancels', async () => {
    let finish: (() => void) | undefined;
    const bytes = await tree();
    const { files, asked } = await open((_, response) => {
      finish = () => response.end(bytes);
    });
    const one = new AbortController();
    const first = files.list('/', { signal: one.signal });
    const second = files.list('/');
    await when(() => finish !== undefined);
    one.abort();
    await assert.rejects(first, { name: 'AbortError' });
    finish?.();
    assert((await second).isWhole);
    assert.equal(asked().length, 1);
  });

  it('aborts the request when the last caller cancels', async () => {
    let isClosed = false;
    const { files, asked } = await open((_, response) => {
      response.on('close', () => (isClosed = true));
      response.writeHead(200).flushHeaders();
    });
    const one = new AbortController();
    const first = files.list('/', { signal: one.signal });
    await when(() => asked().length === 1);
    one.abort();
    await assert.rejects(first, { name: 'AbortError' });
    await when(() => isClosed);
  });

  it('starts a new request for a caller that comes after the last one canceled', async () => {
    const bytes = await tree();
    const { files, asked } = await open((_, response) => {
      if (asked().length > 1) response.end(bytes);
      else response.writeHead(200).flushHeaders();
    });
    const one = new AbortController();
    const first = files.list('/', { signal: one.signal });
    await when(() => asked().length === 1);
    one.abort();
    const second = files.list('/');
    await assert.rejects(first, { name: 'AbortError' });
    assert((await second).isWhole);
  });

  it('starts a new request for a caller that comes after a drop', async () => {
    const finish: (() => void)[] = [];
    const bytes = await tree();
    const { files } = await open((_, response) => {
      finish.push(() => response.end(bytes));
    });
    const first = files.list('/');
    await when(() => finish.length === 1);
    files.drop();
    const second = files.list('/');
    await when(() => finish.length === 2);
    for (const end of finish) end();
    assert.equal((await first).entries.length, 2);
    assert.equal((await second).entries.length, 2);
  });

  it('aborts the request on dispose', async () => {
    const { files, asked } = await open((_, response) => response.writeHead(200).flushHeaders());
    const first = files.list('/');
    await when(() => asked().length === 1);
    files.dispose();
    await assert.rejects(first, { name: 'AbortError' });
  });

  it('returns an incomplete listing if the engine takes too long', async () => {
    const limit = new AbortController();
    mock.method(AbortSignal, 'timeout', () => limit.signal);
    const bytes = await tree();
    const { files, asked } = await open((_, response) => {
      if (asked().length > 1) response.end(bytes);
      // Send only the folders, not what comes after.
      else response.write(bytes.subarray(0, 512 * 3));
    });
    const reading = files.list('/');
    await when(() => asked().length === 1);
    await settle();
    limit.abort();
    const part = await reading;
    assert(!part.isWhole);
    assert.deepEqual(
      part.entries.map(({ name }) => name),
      ['a'],
    );
    const all = await files.list('/', { isPatient: true });
    assert(all.isWhole);
    assert.equal(all.entries.length, 2);
  });

  it('fails if the engine has not begun to answer by then, and keeps nothing', async () => {
    const limit = new AbortController();
    mock.method(AbortSignal, 'timeout', () => limit.signal);
    const bytes = await tree();
    const { files, asked } = await open((_, response) => {
      if (asked().length > 1) response.end(bytes);
    });
    const reading = files.list('/');
    await when(() => asked().length === 1);
    limit.abort();
    const { operation, limitSeconds } = await failure(reading, 'timeout');
    assert.deepEqual([operation, limitSeconds], [`GET /containers/${ID}/archive`, 15]);
    assert.equal(files.known('/'), undefined);
    assert((await files.list('/', { isPatient: true })).isWhole);
  });
});
