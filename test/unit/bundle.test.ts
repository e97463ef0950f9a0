import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type OutputChunk } from 'rolldown';
import { forNode } from '../../scripts/bundles.mjs';
import { bundled } from './support/bundled.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Maximum sizes in bytes: of what is loaded at once, of undici with our HTTP client, and of both. */
const CORE_LIMIT = 240_000;
const HTTP_LIMIT = 140_000;
const FIRST_ROW_LIMIT = 380_000;
/** Small files without imports of their own folder: what has lenses, where tasks keep what is left, the default engine. */
const NEEDED_EARLY =
  /src\/(?:builds\/dockerfiles|tasks\/removalsKey|commands\/engines\/preferredEngine)\.ts$/;

async function bundle(input: Readonly<Record<string, string>>): Promise<readonly OutputChunk[]> {
  const [one] = [await build({ ...forNode(input), cwd: ROOT, write: false })].flat();
  return (one?.output ?? []).flatMap((file) => (file.type === 'chunk' ? [file] : []));
}

/** Returns a chunk and what it loads at once, directly or indirectly. */
function loadedWith(entry: OutputChunk, all: readonly OutputChunk[]): readonly OutputChunk[] {
  const found = [entry];
  for (const { imports } of found)
    found.push(...all.filter((one) => imports.includes(one.fileName) && !found.includes(one)));
  return found;
}

function sizeOf(chunks: readonly OutputChunk[]): number {
  return chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
}

describe('the bundle', () => {
  let chunks: readonly OutputChunk[];
  let early: readonly OutputChunk[];
  before(async function () {
    // Takes seconds on a busy machine.
    this.timeout(60_000);
    [chunks = []] = await bundled();
    const entry = chunks.find(({ isEntry }) => isEntry) ?? assert.fail('there is no entry');
    early = loadedWith(entry, chunks);
  });

  it('loads little at once', () => {
    const size = sizeOf(early);
    assert.ok(size <= CORE_LIMIT, `${size} bytes`);
  });

  it('loads the HTTP client with the first connection, as one file', () => {
    const isHttp = ({ moduleIds }: OutputChunk): boolean =>
      moduleIds.some((id) => id.endsWith('src/engine/http/connection.ts'));
    const http = chunks.find(isHttp) ?? assert.fail('there is no HTTP client');
    const isInCore = ({ dynamicImports }: OutputChunk): boolean =>
      dynamicImports.includes(http.fileName);
    assert.ok(early.some(isInCore) && !early.includes(http));
    const untilFirstRow = new Set([...early, ...loadedWith(http, chunks)]);
    assert.ok(sizeOf([http]) <= HTTP_LIMIT, `${sizeOf([http])} bytes`);
    const size = sizeOf([...untilFirstRow]);
    assert.ok(size <= FIRST_ROW_LIMIT, `${size} bytes`);
    assert.ok(untilFirstRow.size <= 4, `${untilFirstRow.size} files`);
  });

  it('loads forms, log viewer, files, reviews, terminals, registries, builds, and tasks on use', () => {
    const modules = early.flatMap(({ moduleIds }) => moduleIds);
    const late =
      /src\/(?:cleanup|logviewer|lenses|upChanges|projects\/cli|review|terminal|registries|recipes|logs|output|builds|tasks|views\/builds|engine\/(?:builds|buildContext|grpc|tarBuild)|commands\/\w+)\/|src\/(?:features|files\/(?:allFiles|removeLeftovers)|engine\/containers\/containerLifecycle|commands\/commandRegistry)\.ts|node_modules/;
    assert.deepEqual(
      modules.filter((id) => late.test(id) && !NEEDED_EARLY.test(id)),
      [],
    );
  });

  it('has each module once', () => {
    const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
    assert.ok(modules.length > 300);
    assert.deepEqual(
      modules.filter((id, at) => modules.indexOf(id) !== at),
      [],
    );
  });

  it('recognizes an error of a part that was loaded later', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-bundle-'));
    try {
      const errors = join(ROOT, 'src/engine/errors.ts');
      const imported = `import { EngineError } from '${errors}';\n`;
      writeFileSync(
        join(folder, 'late.ts'),
        `${imported}export const fail = () => { throw new EngineError('cut'); };`,
      );
      writeFileSync(
        join(folder, 'entry.ts'),
        `${imported}export const isRecognized = () => import('./late.ts')
           .then(({ fail }) => fail())
           .catch((error) => error instanceof EngineError);`,
      );
      const built = await bundle({ entry: join(folder, 'entry.ts') });
      mkdirSync(join(folder, 'parts'));
      for (const { fileName, code } of built) writeFileSync(join(folder, fileName), code);
      assert.ok(built.length >= 3);
      const { isRecognized } = createRequire(import.meta.url)(join(folder, 'entry.cjs')) as {
        readonly isRecognized: () => Promise<boolean>;
      };
      assert.equal(await isRecognized(), true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
