import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** All that is bundled, as `esbuild.mjs` names it. */
const ENTRIES = [...read('esbuild.mjs').matchAll(/'(src\/[\w/]+\.(?:ts|css))'/g)].map(
  ([, entry = '']) => entry,
);

/** Names of the packages whose code is in what is bundled. */
async function bundledPackages(): Promise<readonly string[]> {
  const { metafile } = await build({
    ...{ absWorkingDir: ROOT, entryPoints: ENTRIES, outdir: 'nowhere', write: false },
    ...{ bundle: true, platform: 'node', external: ['vscode', './codicon.ttf'] },
    mainFields: ['module', 'main'],
    ...{ metafile: true, logLevel: 'silent' },
  });
  const names = Object.keys(metafile.inputs).flatMap(
    (path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)];
}

describe('the notices of what others made', () => {
  const notices = read('ThirdPartyNotices.txt');
  const copyrightOf = (name: string, license: string): string => {
    const text = read(`node_modules/${name}/${license}`);
    const [line] = /Copyright .*/.exec(text) ?? assert.fail(`${name} names nobody`);
    return line.trim();
  };
  /** Of the Apache License packages carry the bare text, which names nobody but has to be handed on. */
  const ownerOf = (name: string): string => {
    const file = ['LICENSE', 'LICENSE.md'].find((one) => {
      return existsSync(join(ROOT, 'node_modules', name, one));
    });
    const text = read(`node_modules/${name}/${file ?? 'LICENSE'}`);
    return text.includes('Apache License') ? text.trim() : copyrightOf(name, file ?? 'LICENSE');
  };

  it('name each package that is bundled, and whose it is', async () => {
    assert.ok(ENTRIES.length >= 5, String(ENTRIES));
    const packages = await bundledPackages();
    assert.ok(packages.includes('undici'));
    for (const name of packages) {
      assert.ok(notices.includes(`\n${name} (https://`), name);
      assert.ok(notices.includes(ownerOf(name)), name);
    }
    const parser = join(ROOT, 'node_modules/undici/lib/llhttp');
    assert.ok(!existsSync(parser) || notices.includes('\nllhttp (https://'));
  });

  it('name the icon font, and by which licence it is given', () => {
    const { license } = JSON.parse(read('node_modules/@vscode/codicons/package.json')) as {
      readonly license: string;
    };
    assert.ok(notices.includes(`(${license})`));
    assert.ok(notices.includes(copyrightOf('@vscode/codicons', 'LICENSE-CODE')));
  });

  it('are part of what is installed', () => {
    assert.match(read('.vscodeignore'), /^!ThirdPartyNotices\.txt$/m);
  });
});
