// Checks that `npm run package` creates an installable package with exactly the expected files.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeForVSCode, vscodeFolder } from '../bed/vscode/setup.mjs';
import { mapStack } from '../editor/host/stacks.ts';
import '../unit/support/fakeEditor.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
/** Maximum size of the package. */
const MOST_BYTES = 750_000;

/** Installs a package into an empty VS Code. Returns the folder of the installed extension. */
async function install(vsix: string, folder: string): Promise<string> {
  const extensions = join(folder, 'extensions');
  const server = join(vscodeFolder(), 'out/server-main.js');
  const folders = ['--extensions-dir', extensions, '--user-data-dir', join(folder, 'user')];
  const data = ['--server-data-dir', join(folder, 'server'), '--accept-server-license-terms'];
  await run(nodeForVSCode(), [server, ...folders, ...data, '--install-extension', vsix]);
  const [installed = ''] = readdirSync(extensions).filter((name) => name.startsWith('gantry.'));
  return join(extensions, installed);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

describe('npm run package', () => {
  let folder: string;
  let vsix: string;
  let installed: string;

  before(async function () {
    this.timeout(120_000);
    folder = mkdtempSync(join(tmpdir(), 'gantry-package-'));
    vsix = join(folder, 'gantry.vsix');
    await run('npm', ['run', 'package', '--', '--out', vsix], { cwd: ROOT });
    installed = await install(vsix, folder);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('creates a package that VS Code installs, with exactly these files', () => {
    assert.ok(statSync(vsix).size <= MOST_BYTES, `${statSync(vsix).size} bytes`);
    const parts = (name: string): boolean => name.startsWith('dist/parts/');
    const files = filesBelow(installed);
    assert.ok(files.filter(parts).every((name) => name.endsWith('.js')));
    assert.deepEqual(
      files.filter((name) => !parts(name)),
      [
        ...['.vsixmanifest', 'LICENSE.txt'],
        ...['ThirdPartyNotices.txt', 'changelog.md'],
        ...['dist/askpass.cjs', 'dist/cleanup.css', 'dist/cleanup.js'],
        ...['dist/codicon.ttf', 'dist/details.css', 'dist/details.js', 'dist/extension.js'],
        ...['dist/graphs.css', 'dist/graphs.js'],
        ...['dist/logSearch.cjs', 'dist/logViewer.css', 'dist/logViewer.js'],
        ...['media/gantry.svg', 'media/icon.png'],
        ...['build', 'clean-up', 'connect', 'inside', 'logs'].map(
          (name) => `media/walkthrough/${name}.svg`,
        ),
        ...['package.json', 'readme.md', 'schemas/container.schema.json'],
        'syntaxes/gantry-log.tmLanguage.json',
      ],
    );
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      readonly main: string;
    };
    assert.ok(statSync(join(installed, manifest.main)).size > 0);
  });

  it('leads from a stack to the line of the source', async () => {
    const main = join(installed, 'dist/extension.js');
    const { activate } = (await import(main)) as { activate: (context?: object) => Promise<void> };
    const error: unknown = await activate().catch((reason: unknown) => reason);
    const { stack = '' } = error instanceof TypeError ? error : assert.fail('it did not fail');
    const built = stack.replaceAll(join(installed, 'dist'), join(ROOT, 'dist'));
    const [, line] =
      /\(src\/extension\.ts:(\d+):\d+\)/.exec(mapStack(built, join(ROOT, 'dist'))) ?? [];
    const source = readFileSync(join(ROOT, 'src/extension.ts'), 'utf8').split('\n');
    assert.match(source[Number(line) - 1] ?? stack, /\{ workspaceState \} = context/);
  });

  it('has no install scripts, neither its own nor in bundled packages', () => {
    const parse = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
    const { scripts } = parse('package.json') as { scripts: Readonly<Record<string, string>> };
    const atInstall = /^(?:(?:pre|post)?(?:un)?install|prepare|vscode:)/;
    assert.deepEqual(
      Object.keys(scripts).filter((name) => atInstall.test(name)),
      [],
    );
    const { packages } = parse('package-lock.json') as {
      packages: Readonly<Record<string, { dev?: boolean; hasInstallScript?: boolean }>>;
    };
    const bundled = Object.entries(packages).filter(([path, one]) => path !== '' && !one.dev);
    assert.ok(bundled.length > 0);
    assert.deepEqual(
      bundled.filter(([, one]) => one.hasInstallScript).map(([path]) => path),
      [],
    );
  });
});
