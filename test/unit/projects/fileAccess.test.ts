import assert from 'node:assert/strict';
import { isWithin } from '../../../src/projects/fileAccess.ts';

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
    it(`is ${isIn} for "${path}"`, () => {
      assert.equal(isWithin(path, folders), isIn);
    });
});
