import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundled } from './support/bundled.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Returns the names of the packages in the bundles. */
async function bundledPackages(): Promise<readonly string[]> {
  const names = (await bundled())
    .flat()
    .flatMap(({ modules }) => modules)
    .flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)];
}

describe('the third-party notices', () => {
  const notices = read('ThirdPartyNotices.txt');
  const copyrightOf = (name: string, license: string): string => {
    const text = read(`node_modules/${name}/${license}`);
    const [line] = /Copyright .*/.exec(text) ?? assert.fail(`${name} names nobody`);
    return line.trim();
  };
  /** Packages under the Apache License have only its bare text, which names no owner but must be included. */
  const ownerOf = (name: string): string => {
    const file = ['LICENSE', 'LICENSE.md'].find((one) => {
      return existsSync(join(ROOT, 'node_modules', name, one));
    });
    // This package has no license file.
    if (name === '@vscode/l10n') return 'Copyright (c) Microsoft Corporation';
    const text = read(`node_modules/${name}/${file ?? 'LICENSE'}`);
    return text.includes('Apache License') ? text.trim() : copyrightOf(name, file ?? 'LICENSE');
  };

  it('name each bundled package and its owner', async function () {
    // Takes seconds on a busy machine.
    this.timeout(60_000);
    const packages = await bundledPackages();
    assert.ok(packages.includes('tar-stream'));
    for (const name of packages) {
      assert.ok(notices.includes(`\n${name} (https://`), name);
      assert.ok(notices.includes(ownerOf(name)), name);
    }
  });

  it('name the icon font and its license', () => {
    const { license } = JSON.parse(read('node_modules/@vscode/codicons/package.json')) as {
      readonly license: string;
    };
    assert.ok(notices.includes(`(${license})`));
    assert.ok(notices.includes(copyrightOf('@vscode/codicons', 'LICENSE-CODE')));
  });

  it('are part of the packaged extension', () => {
    assert.match(read('.vscodeignore'), /^!ThirdPartyNotices\.txt$/m);
  });
});
