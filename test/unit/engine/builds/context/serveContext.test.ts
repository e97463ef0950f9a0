import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveContext } from '../../../../../src/engine/builds/context/serveContext.ts';
import type { CallStream } from '../../../../../src/engine/builds/grpc/callStream.ts';
import { GrpcError } from '../../../../../src/engine/builds/grpc/grpcError.ts';
import { yieldToEventLoop } from '../../../../../src/base/time.ts';
import {
  bytes,
  integer,
  message,
  nested,
  text,
} from '../../../../../src/engine/builds/grpc/protobuf.ts';

interface Stat {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly target: string;
}
interface Packet {
  readonly type: number;
  readonly stat: Stat | undefined;
  readonly id: number;
  readonly data: Uint8Array;
}
const PACKET = message<Packet>({
  type: integer(1),
  stat: nested(
    2,
    message<Stat>({ path: text(1), mode: integer(2), size: integer(5), target: text(7) }),
  ),
  id: integer(3),
  data: bytes(4),
});
const STAT = 0;
const REQUEST = 1;
const DATA = 2;
const END = 3;

/** An engine that asks for files: its packets are what `ask` yields for each packet that it gets. */
class FakeEngine implements CallStream {
  readonly listed: Stat[] = [];
  readonly contents = new Map<number, string>();
  readonly #metadata: Readonly<Record<string, readonly string[]>>;
  readonly #outbox: Uint8Array[] = [];
  readonly #controller = new AbortController();
  #wake = (): void => undefined;
  /** Called when the list is complete. */
  onList: () => void = () => this.send({ type: END });
  onStat: (stat: Stat) => void = () => undefined;
  onData: (id: number) => void = () => undefined;
  hasEnd = false;

  constructor(metadata: Readonly<Record<string, readonly string[]>> = {}) {
    this.#metadata = { 'dir-name': ['context'], ...metadata };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly messages = this.#read();

  cancel(): void {
    this.#controller.abort();
    this.#wake();
  }

  metadata(name: string): readonly string[] {
    return this.#metadata[name] ?? [];
  }

  send(packet: Partial<Packet>): void {
    this.#outbox.push(PACKET.encode(packet));
    this.#wake();
  }

  write(...parts: readonly Uint8Array[]): Promise<void> {
    const { type, stat, id, data } = PACKET.decode(Buffer.concat(parts));
    if (type === STAT && stat) {
      this.listed.push(stat);
      this.onStat(stat);
    }
    if (type === STAT && !stat) this.onList();
    else if (type === DATA && data.length > 0)
      this.contents.set(id, (this.contents.get(id) ?? '') + Buffer.from(data).toString());
    else if (type === DATA) this.onData(id);
    else if (type === END) this.hasEnd = true;
    return Promise.resolve();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      this.signal.throwIfAborted();
      const next = this.#outbox.shift();
      if (next) yield next;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function linkOutside(path: string): void {
  rmSync(path);
  symlinkSync('../../outside', path);
}

describe('the files that a build is served', () => {
  let folder: string;
  let context: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-context-'));
    context = join(folder, 'context');
    mkdirSync(join(context, 'src'), { recursive: true });
    writeFileSync(join(context, 'Dockerfile'), 'FROM scratch');
    writeFileSync(join(context, 'src/a.js'), 'a');
    writeFileSync(join(context, 'src/b.ts'), 'b');
    writeFileSync(join(folder, 'outside'), 'secret');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const serve = () => serveContext({ context, dockerfile: join(context, 'Dockerfile') }, 'here');
  const paths = (engine: FakeEngine): readonly string[] => engine.listed.map(({ path }) => path);

  async function listOf(metadata: Readonly<Record<string, readonly string[]>>) {
    const engine = new FakeEngine(metadata);
    await serve().diffCopy(engine);
    assert(engine.hasEnd);
    return paths(engine);
  }

  it('are listed first, and sent if the engine asks for them', async () => {
    const engine = new FakeEngine();
    engine.onList = () => engine.send({ type: REQUEST, id: 2 });
    engine.onData = () => engine.send({ type: END });
    const served = serve();
    await served.diffCopy(engine);
    assert.deepEqual(paths(engine), ['Dockerfile', 'src', 'src/a.js', 'src/b.ts']);
    assert.equal(engine.listed[1]?.mode, 2 ** 31 + 0o755);
    assert.equal(engine.listed[2]?.size, 1);
    assert.deepEqual([...engine.contents], [[2, 'a']]);
    assert.equal(served.sent.bytes, 1);
    assert.deepEqual(served.sent.largest, [{ path: 'src/a.js', size: 1 }]);
  });

  it('are those that the Dockerfile names, by pattern, and without those that are ignored', async () => {
    assert.deepEqual(await listOf({ followpaths: ['src/*.js'] }), ['src', 'src/a.js']);
    assert.deepEqual(
      await listOf({ followpaths: ['src', 'none'], 'exclude-patterns': ['**/*.ts'] }),
      ['src', 'src/a.js'],
    );
    assert.deepEqual(await listOf({ followpaths: ['.'] }), [
      'Dockerfile',
      'src',
      'src/a.js',
      'src/b.ts',
    ]);
    const encoded = {
      'exclude-patterns': ['D%6Fcker+*', 'src'],
      'exclude-patterns-encoded': ['1'],
    };
    writeFileSync(join(context, 'Docker file'), '');
    assert.deepEqual(await listOf(encoded), ['Dockerfile']);
  });

  it('may have a name that is not UTF-8 only if they are not sent', async function () {
    if (process.platform !== 'linux') this.skip();
    writeFileSync(Buffer.concat([Buffer.from(`${context}/caf`), Buffer.from([0xe9])]), '');
    const all = ['Dockerfile', 'src', 'src/a.js', 'src/b.ts'];
    assert.deepEqual(await listOf({ followpaths: ['src'] }), all.slice(1));
    assert.deepEqual(await listOf({ 'exclude-patterns': ['caf*'] }), all);
    const served = serve();
    await assert.rejects(served.diffCopy(new FakeEngine()));
    assert.equal(served.failure?.problem, 'badName');
  });

  it('follow links, but never out of the context', async () => {
    symlinkSync('src/a.js', join(context, 'inside'));
    symlinkSync('../outside', join(context, 'out'));
    symlinkSync('round', join(context, 'round'));
    assert.deepEqual(await listOf({ followpaths: ['inside'] }), ['inside', 'src', 'src/a.js']);
    assert.deepEqual(await listOf({ followpaths: ['out'] }), ['out']);
    assert.deepEqual(await listOf({ followpaths: ['round', 'in*'] }), [
      'inside',
      'round',
      'src',
      'src/a.js',
    ]);
    assert.deepEqual(await listOf({ followpaths: ['../outside', '/../outside'] }), []);
  });

  it('are never those that the ignore file names, whatever the engine asks for', async () => {
    writeFileSync(join(context, '.dockerignore'), '.env\nsrc/*.ts\nDockerfile\nlib\n!lib/kept\n');
    writeFileSync(join(context, '.env'), 'secret');
    mkdirSync(join(context, 'lib'));
    writeFileSync(join(context, 'lib/kept'), '');
    writeFileSync(join(context, 'lib/other'), '');
    // The engine gets the Dockerfile and the ignore file anyway.
    const all = ['.dockerignore', 'Dockerfile', 'lib', 'lib/kept', 'src', 'src/a.js'];
    assert.deepEqual(await listOf({}), all);
    assert.deepEqual(await listOf({ 'exclude-patterns': ['!**', '!.env'] }), all);
    assert.deepEqual(await listOf({ followpaths: ['.env', 'src/b.ts', 'lib/*'] }), [
      'lib',
      'lib/kept',
    ]);
    assert.deepEqual(await listOf({ 'include-patterns': ['.env', '**/*.ts'] }), []);
    assert.deepEqual(await listOf({ followpaths: ['.dockerignore'] }), ['.dockerignore']);
    // The rules that an honest engine has read there say the same of the Dockerfile.
    const honest = ['.env', 'src/*.ts', 'Dockerfile', 'lib', '!lib/kept'];
    assert.deepEqual(await listOf({ 'exclude-patterns': honest }), [
      '.dockerignore',
      ...all.slice(2),
    ]);
    // The same text, but as one pattern, which matches nothing.
    const joined = {
      'exclude-patterns': [encodeURIComponent(honest.join('\n'))],
      'exclude-patterns-encoded': ['1'],
    };
    assert.deepEqual(await listOf(joined), all);
  });

  it('are not those that the ignore file of the Dockerfile names, also when it is changed meanwhile', async () => {
    writeFileSync(join(context, '.dockerignore'), 'src\n');
    writeFileSync(join(context, 'Dockerfile.dockerignore'), '**/*.js\n');
    const served = serve();
    const list = async () => {
      const engine = new FakeEngine();
      await served.diffCopy(engine);
      return paths(engine);
    };
    const all = ['.dockerignore', 'Dockerfile', 'Dockerfile.dockerignore', 'src', 'src/b.ts'];
    assert.deepEqual(await list(), all);
    rmSync(join(context, 'Dockerfile.dockerignore'));
    assert.deepEqual(
      await list(),
      all.filter((path) => !path.endsWith('e.dockerignore')),
    );
  });

  it('follow the rules of an ignore file that is a link, whose text is not sent', async () => {
    writeFileSync(join(folder, 'rules'), 'src\n');
    symlinkSync('../rules', join(context, '.dockerignore'));
    const engine = new FakeEngine();
    await serve().diffCopy(engine);
    assert.deepEqual(paths(engine), ['.dockerignore', 'Dockerfile']);
    assert.deepEqual([engine.listed[0]?.target, engine.listed[0]?.size], ['../rules', 0]);
  });

  it('are only the ignore file in a check', async () => {
    writeFileSync(join(context, '.dockerignore'), 'src/b.ts\n');
    const dockerfile = join(context, 'Dockerfile');
    const served = serveContext({ context, dockerfile }, 'here', true);
    for (const followpaths of [[], ['src'], ['.dockerignore']]) {
      const engine = new FakeEngine({ followpaths });
      await served.diffCopy(engine);
      assert.deepEqual(paths(engine), ['.dockerignore']);
    }
    const near = new FakeEngine({ 'dir-name': ['dockerfile'] });
    await served.diffCopy(near);
    assert.deepEqual(paths(near), ['Dockerfile']);
  });

  it('have one content for several names of a file', async () => {
    linkSync(join(context, 'src/a.js'), join(context, 'src/z.js'));
    const engine = new FakeEngine({ followpaths: ['src/*.js'] });
    await serve().diffCopy(engine);
    assert.deepEqual(engine.listed.map(({ path, size, target }) => [path, size, target]).slice(1), [
      ['src/a.js', 1, ''],
      ['src/z.js', 0, 'src/a.js'],
    ]);
  });

  it('are only the Dockerfile and its ignore file in the folder of the Dockerfile', async () => {
    writeFileSync(join(context, 'Dockerfile.dockerignore'), '');
    const engine = new FakeEngine({ 'dir-name': ['dockerfile'] });
    await serve().diffCopy(engine);
    assert.deepEqual(paths(engine), ['Dockerfile', 'Dockerfile.dockerignore']);
    for (const [target, name] of [
      ['src', 'Dockerfile.dockerignore'],
      ['src/a.js', 'Dockerfile.dockerignore'],
      ['*', 'Dockerfile.dockerignore'],
      ['src', 'Dockerfile'],
      ['.', 'Dockerfile'],
      ['../outside', 'Dockerfile'],
    ] as const) {
      rmSync(join(context, name));
      symlinkSync(target, join(context, name));
      const linked = new FakeEngine({ 'dir-name': ['dockerfile'] });
      await serve().diffCopy(linked);
      const left = name === 'Dockerfile' ? [] : ['Dockerfile'];
      assert.deepEqual(paths(linked), left, `${name} -> ${target}`);
    }
    const other = new FakeEngine({ 'dir-name': ['home'] });
    await assert.rejects(serve().diffCopy(other), GrpcError);
    assert.deepEqual(other.listed, []);
  });

  it('are the Dockerfile itself if its name is a link within its folder', async () => {
    writeFileSync(join(context, 'src/Dockerfile.prod'), 'FROM prod');
    rmSync(join(context, 'Dockerfile'));
    symlinkSync('src/Dockerfile.prod', join(context, 'Dockerfile'));
    const engine = new FakeEngine({ 'dir-name': ['dockerfile'] });
    engine.onList = () => {
      engine.send({ type: REQUEST, id: 0 });
      engine.send({ type: END });
    };
    await serve().diffCopy(engine);
    assert.deepEqual(
      engine.listed.map(({ path, mode, target }) => [path, mode, target]),
      [['Dockerfile', 0o644, '']],
    );
    assert.deepEqual([...engine.contents], [[0, 'FROM prod']]);
  });

  it('are not sent if their folder has become a link since they were listed', async () => {
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other/a.js'), 'secret');
    const engine = new FakeEngine();
    engine.onList = () => {
      renameSync(join(context, 'src'), join(context, 'old'));
      symlinkSync('../other', join(context, 'src'));
      engine.send({ type: REQUEST, id: 2 });
    };
    const served = serve();
    await assert.rejects(served.diffCopy(engine), GrpcError);
    assert.deepEqual([served.failure?.problem, served.failure?.path], ['changed', 'src/a.js']);
    assert.equal(engine.contents.size, 0);
  });

  it('are not listed if their folder has become a link since it was found', async () => {
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other/secret'), '');
    const engine = new FakeEngine();
    engine.onStat = ({ path }) => {
      if (path !== 'src') return;
      renameSync(join(context, 'src'), join(context, 'old'));
      symlinkSync('../other', join(context, 'src'));
    };
    const served = serve();
    await assert.rejects(served.diffCopy(engine), GrpcError);
    assert.deepEqual([served.failure?.problem, served.failure?.path], ['changed', 'src']);
    assert.deepEqual(paths(engine), ['Dockerfile', 'src']);
  });

  it('are not those of another folder that the context leads to later', async () => {
    const link = join(folder, 'link');
    symlinkSync('context', link);
    const served = serveContext({ context: link, dockerfile: join(link, 'Dockerfile') }, 'here');
    await served.diffCopy(new FakeEngine());
    rmSync(link);
    symlinkSync('/etc', link);
    const engine = new FakeEngine();
    await served.diffCopy(engine);
    assert.deepEqual(paths(engine), ['Dockerfile', 'src', 'src/a.js', 'src/b.ts']);
    renameSync(context, join(folder, 'moved'));
    symlinkSync('/etc', context);
    const last = new FakeEngine();
    await assert.rejects(served.diffCopy(last), GrpcError);
    assert.deepEqual([served.failure?.problem, last.listed], ['changed', []]);
  });

  it('are not those of a folder that the context leads to when the engine first asks', async () => {
    const served = serve();
    renameSync(context, join(folder, 'moved'));
    symlinkSync('/etc', context);
    const engine = new FakeEngine();
    await assert.rejects(served.diffCopy(engine), GrpcError);
    assert.deepEqual([served.failure?.problem, engine.listed], ['changed', []]);
  });

  it('are sent if one was replaced by another file since', async () => {
    const engine = new FakeEngine();
    engine.onList = () => {
      writeFileSync(join(context, 'new'), 'n');
      renameSync(join(context, 'new'), join(context, 'src/a.js'));
      engine.send({ type: REQUEST, id: 2 });
      engine.send({ type: END });
    };
    await serve().diffCopy(engine);
    assert.deepEqual([...engine.contents], [[2, 'n']]);
  });

  it('are sent once each, however often the engine asks', async () => {
    const engine = new FakeEngine();
    engine.onList = () => {
      for (const _ of [1, 2]) engine.send({ type: REQUEST, id: 2 });
    };
    await assert.rejects(serve().diffCopy(engine), /invalid file id/);
  });

  it('are listed for four calls at the same time, and for the others after these', async () => {
    const served = serve();
    const engines = Array.from({ length: 10 }, () => new FakeEngine());
    for (const engine of engines) engine.onList = () => undefined;
    const calls = engines.map((engine) => served.diffCopy(engine));
    const listed = (): number => engines.filter((engine) => engine.listed.length === 4).length;
    while (listed() < 4) await yieldToEventLoop();
    for (let turn = 0; turn < 100; turn++) await yieldToEventLoop();
    assert.equal(listed(), 4);
    for (const engine of engines) {
      engine.onList = () => engine.send({ type: END });
      if (engine.listed.length === 4) engine.send({ type: END });
    }
    await Promise.all(calls);
    assert.equal(listed(), 10);
  });

  for (const [title, id] of [
    ['a folder', 1],
    ['a file that is not in the list', 99],
  ] as const)
    it(`are refused if the engine asks for ${title}`, async () => {
      const engine = new FakeEngine();
      engine.onList = () => engine.send({ type: REQUEST, id });
      await assert.rejects(serve().diffCopy(engine), /invalid file id/);
    });

  it('are sent as they were listed: a file that grows is cut', async () => {
    const engine = new FakeEngine();
    engine.onList = () => {
      writeFileSync(join(context, 'src/a.js'), 'abc');
      engine.send({ type: REQUEST, id: 2 });
      engine.send({ type: END });
    };
    await serve().diffCopy(engine);
    assert.deepEqual([...engine.contents], [[2, 'a']]);
    assert(engine.hasEnd);
  });

  for (const [title, change] of [
    ['shrinks', truncateSync],
    ['disappears', rmSync],
    ['becomes a link', linkOutside],
  ] as const)
    it(`fail the build if one ${title} before it is sent`, async () => {
      const engine = new FakeEngine();
      const served = serve();
      engine.onList = () => {
        change(join(context, 'src/a.js'));
        engine.send({ type: REQUEST, id: 2 });
      };
      await assert.rejects(served.diffCopy(engine), GrpcError);
      assert.deepEqual([served.failure?.problem, served.failure?.path], ['changed', 'src/a.js']);
      assert.equal(engine.contents.size, 0);
    });

  it('are named if the folder is not there or a pattern is not valid', async () => {
    const invalid = serve();
    await assert.rejects(invalid.diffCopy(new FakeEngine({ 'exclude-patterns': ['[a'] })));
    assert.deepEqual([invalid.failure?.problem, invalid.failure?.path], ['badPattern', '[a']);
    rmSync(context, { recursive: true });
    const gone = serve();
    await assert.rejects(gone.diffCopy(new FakeEngine()));
    assert.equal(gone.failure?.problem, 'unreadable');
  });

  it('are no longer sent once the engine cancels', async () => {
    const engine = new FakeEngine();
    engine.onList = () => engine.cancel();
    await assert.rejects(serve().diffCopy(engine), { name: 'AbortError' });
  });

  it('have a key for each folder and installation', () => {
    const dockerfile = join(context, 'Dockerfile');
    const keys = [
      serveContext({ context, dockerfile }, 'here').sharedKey,
      serveContext({ context, dockerfile }, 'there').sharedKey,
      serveContext({ context: folder, dockerfile }, 'here').sharedKey,
    ];
    assert.equal(new Set(keys).size, 3);
    assert.equal(serve().sharedKey, keys[0]);
  });
});
