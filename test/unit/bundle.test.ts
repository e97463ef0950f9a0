import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forNode } from '../../scripts/bundles.mjs';
import { bundled, filesOf, loadedWith, type BundledFile } from './support/bundled.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Maximum sizes in bytes: of what is loaded at once, of undici with our HTTP client, and of both. */
const CORE_LIMIT = 230_000;
const HTTP_LIMIT = 140_000;
const FIRST_ROW_LIMIT = 370_000;
/** Small files without imports of their own folder: what has lenses, where tasks keep what is left, the default engine. */
const NEEDED_EARLY =
  /src\/(?:builds\/dockerfiles|tasks\/removalsKey|engines\/preferredEngine)\.ts$|@vscode\/l10n/;

function sizeOf(files: readonly BundledFile[]): number {
  return files.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
}

describe('the bundle', () => {
  let files: readonly BundledFile[];
  let early: readonly BundledFile[];
  before(async function () {
    // Takes seconds on a busy machine.
    this.timeout(60_000);
    [files = []] = await bundled();
    early = loadedWith(fileOf(/^extension\.js$/), files);
  });

  const fileOf = (name: RegExp): BundledFile =>
    files.find((file) => name.test(file.name)) ?? assert.fail(`there is no ${name.source}`);

  it('loads little at once, as one file', () => {
    assert.equal(early.filter(({ modules }) => modules.length > 0).length, 1);
    const size = sizeOf(early);
    assert.ok(size <= CORE_LIMIT, `${size} bytes`);
  });

  it('loads the HTTP client with the first connection, as one file', () => {
    const part = fileOf(/^parts\/connection-/);
    assert.ok(early.some(({ dynamicImports }) => dynamicImports.includes(part.name)));
    const http = loadedWith(part, files).filter((file) => !early.includes(file));
    assert.equal(http.filter(({ modules }) => modules.length > 0).length, 1);
    assert.ok(sizeOf(http) <= HTTP_LIMIT, `${sizeOf(http)} bytes`);
    const untilFirstRow = [...early, ...http];
    const size = sizeOf(untilFirstRow);
    assert.ok(size <= FIRST_ROW_LIMIT, `${size} bytes`);
    assert.ok(untilFirstRow.length <= 4, `${untilFirstRow.length} files`);
  });

  it('loads forms, log viewer, files, reviews, terminals, registries, builds, tasks, statistics, and ssh on use', () => {
    const modules = early.flatMap((file) => file.modules);
    const late =
      /src\/(?:app\/(?!forwardFailures|workspaceFiles|createWorktrees)|registries\/(?!transfers\/)|commands\/(?!ui\/)\w+\/|(?:cleanup|details|graphs|logviewer|projects\/(?:cli|worktrees(?!\/knownWorktrees\.))|review|recipes|logs|output|builds|statistics|tasks|views\/builds|engine\/(?:builds|cli|statistics|ssh(?!\/(?:sshTunnels|keepTunnelOpen)\.)))\/|files\/(?:allFiles|removeLeftovers)|engine\/containers\/containerLifecycle\.)|node_modules/;
    assert.deepEqual(
      modules.filter((id) => late.test(id) && !NEEDED_EARLY.test(id)),
      [],
    );
  });

  it('has each module once', () => {
    const modules = files.flatMap((file) => file.modules);
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
      const built = await filesOf(forNode({ entry: join(folder, 'entry.ts') }));
      mkdirSync(join(folder, 'parts'));
      for (const { name, code } of built) writeFileSync(join(folder, name), code);
      assert.ok(built.length >= 3);
      const { isRecognized } = (await import(join(folder, 'entry.js'))) as {
        readonly isRecognized: () => Promise<boolean>;
      };
      assert.equal(await isRecognized(), true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
