import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReallyWithin, isWithin } from '../../../src/projects/fileAccess.ts';

describe('isWithin', () => {
  const folders = ['/home/me/shop', '/srv'];
  const cases: readonly (readonly [path: string, isIn: boolean])[] = [
    ['/home/me/shop/compose.yaml', true],
    ['/home/me/shop/..compose/a.yaml', true],
    ['/srv/a/b', true],
    ['/home/me/shop2/compose.yaml', false],
    ['/home/me/shop/../.ssh/config', false],
    ['compose.yaml', false],
    ['', false],
    ['//server/share/compose.yaml', false],
    ['\\\\server\\share\\compose.yaml', false],
  ];
  for (const [path, isIn] of cases)
    it(`is ${isIn} for "${path}"`, () => assert.equal(isWithin(path, folders), isIn));
});

describe('isReallyWithin', () => {
  let home: string;
  before(() => {
    home = mkdtempSync(join(realpathSync(tmpdir()), 'gantry-access-'));
    mkdirSync(join(home, 'shop', 'inner'), { recursive: true });
    mkdirSync(join(home, 'private'));
    writeFileSync(join(home, 'private', 'key'), '');
    writeFileSync(join(home, 'shop', 'compose.yaml'), '');
    const links = {
      out: '../private',
      'inner/same': '..',
      nothing: '../private/later',
      loop: 'loop',
    };
    for (const [name, target] of Object.entries(links))
      symlinkSync(target, join(home, 'shop', name));
    symlinkSync('shop', join(home, 'opened'));
  });
  after(() => rmSync(home, { recursive: true }));

  const cases = [
    ['shop/compose.yaml', 'shop', true],
    ['shop/inner/same/compose.yaml', 'shop', true],
    ['shop/missing/a.yaml', 'shop', true],
    ['shop/out', 'shop', false],
    ['shop/out/key', 'shop', false],
    ['shop/out/missing', 'shop', false],
    ['shop/nothing', 'shop', false],
    ['shop/loop', 'shop', false],
    ['private/key', 'shop', false],
    // A workspace folder that is a link itself.
    ['opened/compose.yaml', 'opened', true],
    ['shop/compose.yaml', 'opened', true],
    ['opened/out/key', 'opened', false],
  ] as const;
  for (const [path, folder, isIn] of cases)
    it(`is ${isIn} for ${path} in ${folder}`, () => {
      assert.equal(isReallyWithin(join(home, path), [join(home, folder)]), isIn);
    });
});
