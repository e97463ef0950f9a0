// Which files of a folder Docker sends to the builder, compared with buildx. With GANTRY_RECORD, records a thousand
// folders for the unit tests instead.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar-stream';
import { bed } from '../bed/env.ts';
import { PLUGINS } from '../bed/newestSystem.ts';
import { makeTree } from '../unit/support/contextTrees.ts';
import { digestOf, listContext } from '../unit/support/listContext.ts';

const AT_ONCE = 50;
const FIXTURE = join(import.meta.dirname, '../unit/engine/builds/context/contextTrees.json');

describe('the files of a context', function () {
  this.timeout(600_000);
  const { socket, build } = bed();
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-trees-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Builds an image of each tree with buildx; resolves to the lists of their files. */
  async function builtTrees(seeds: readonly number[]): Promise<readonly (readonly string[])[]> {
    const lists = new Map(seeds.map((seed): [string, string[]] => [String(seed), []]));
    for (let at = 0; at < seeds.length; at += AT_ONCE) {
      const some = seeds.slice(at, at + AT_ONCE);
      const empty = join(folder, `empty-${at}`);
      mkdirSync(empty);
      const copies = some.map((seed) => `COPY --from=t${seed} . /${seed}/\n`);
      writeFileSync(join(empty, 'Dockerfile'), `FROM scratch\n${copies.join('')}`);
      const contexts = some.map((seed) => `--build-context=t${seed}=${join(folder, String(seed))}`);
      const out = join(folder, 'out.tar');
      await promisify(execFile)(
        join(build.system, PLUGINS, 'docker-buildx'),
        ['build', ...contexts, `--output=type=tar,dest=${out}`, empty],
        { env: { DOCKER_HOST: `unix://${socket}`, HOME: folder } },
      );
      await readTar(out, lists);
    }
    return seeds.map((seed) => (lists.get(String(seed)) ?? []).toSorted());
  }

  it('are those that buildx sends', async () => {
    const isRecording = process.env['GANTRY_RECORD'] !== undefined;
    const first = isRecording ? 1 : randomInt(1_000_000, 2 ** 31);
    const seeds = Array.from({ length: isRecording ? 1000 : 30 }, (_, index) => first + index);
    for (const seed of seeds) {
      mkdirSync(join(folder, String(seed)));
      makeTree(join(folder, String(seed)), seed);
    }
    const expected = await builtTrees(seeds);
    if (isRecording) writeFileSync(FIXTURE, JSON.stringify(expected.map(digestOf)));
    for (const [index, seed] of seeds.entries())
      assert.deepEqual(
        await listContext(join(folder, String(seed))),
        expected[index],
        `the tree of seed ${seed}`,
      );
  });

  it('are those that buildx sends of a folder of 50,000 files', async () => {
    const root = join(folder, '1');
    for (let at = 0; at < 50; at++) {
      const inner = join(root, `d${at}`);
      mkdirSync(inner, { recursive: true });
      for (let file = 0; file < 1000; file++) writeFileSync(join(inner, `${file}.txt`), '');
    }
    writeFileSync(join(root, '.dockerignore'), '**/*7.txt\n!**/*77.txt\nd9\n');
    const [expected] = await builtTrees([1]);
    const found = await listContext(root);
    assert.ok(found.length > 40_000, String(found.length));
    assert.deepEqual(found, expected);
  });
});

/** Adds the entries of a tar to the lists of the folders that they are in. */
async function readTar(path: string, lists: ReadonlyMap<string, string[]>): Promise<void> {
  const entries = createReadStream(path).pipe(extract());
  for await (const entry of entries) {
    const { name, type, mode, size, linkname } = entry.header;
    entry.resume();
    const [, seed = '', rest = ''] = /^([^/]+)\/(.*?)\/?$/s.exec(name) ?? [];
    if (rest === '') continue;
    const kind = type === 'directory' ? 'folder' : type === 'symlink' ? 'link' : type;
    const more = kind === 'link' ? linkname : kind === 'file' ? size : '';
    const bits = kind === 'link' ? '' : (mode & 0o7777).toString(8);
    lists.get(seed)?.push(`${rest} ${kind} ${bits} ${more}`);
  }
}
