import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildRecord } from '../../scripts/buildRecord.mjs';

describe('The record of the last build', () => {
  let folder: string;
  const path = (name: string): string => join(folder, name);
  const isUpToDate = (): boolean => buildRecord(folder).isUpToDate();

  function write(name: string, text: string): void {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-record-'));
    for (const name of ['src/a/b.ts', 'node_modules/c/d.js', 'dist/parts/e.js']) write(name, '1');
    buildRecord(folder).write([path('src/a/b.ts'), path('node_modules/c/d.js')]);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is up to date if nothing has changed', () => {
    assert.ok(isUpToDate());
    write('src/a/b.ts', '1');
    assert.ok(isUpToDate());
  });

  for (const name of ['src/a/b.ts', 'node_modules/c/d.js', 'dist/parts/e.js']) {
    it(`is not up to date if ${name} changes, until it is as before`, () => {
      write(name, '2');
      assert.ok(!isUpToDate());
      write(name, '1');
      assert.ok(isUpToDate());
    });

    it(`is not up to date if ${name} is gone`, () => {
      rmSync(path(name));
      assert.ok(!isUpToDate());
    });
  }

  for (const name of ['src/a/new.ts', 'scripts/new.mjs', 'package-lock.json', 'dist/parts/new.js'])
    it(`is not up to date if there is a new ${name}`, () => {
      write(name, '');
      assert.ok(!isUpToDate());
    });

  it('is not up to date if a source has changed during the build', () => {
    const record = buildRecord(folder);
    write('src/a/b.ts', '2');
    record.write([path('src/a/b.ts')]);
    assert.ok(!isUpToDate());
  });

  it('is not up to date before the first build, and after one that was killed', () => {
    write('out/build.json', '{"sources":');
    assert.ok(!isUpToDate());
    rmSync(path('out'), { recursive: true });
    assert.ok(!isUpToDate());
  });
});
