import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readProjectFiles } from '../../../src/projects/projectFiles.ts';

describe('the compose files of a project', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const at = (path: string): string => join(folder, path);
  function write(path: string, text: string): string {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
    return at(path);
  }

  it('knows which services a plain Up creates, if all files can be read', async () => {
    const services = [
      ...['web: {}', 'tool: {profiles: [x]}', 'llm: {provider: {type: x}}', 'none: {scale: 0}'],
      ...['more: {deploy: {replicas: 2}}', 'late: {}'],
      // It may get profiles, or no container, from what it extends.
      'again: {extends: none}',
    ];
    const one = write('up.yaml', `services: {${services.join(', ')}}`);
    const two = write('up.override.yaml', 'services: {late: {profiles: [x]}, db: {}}');
    const { expected } = await readProjectFiles([one, two]);
    assert.deepEqual([...(expected ?? [])], ['web', 'db']);
    assert.equal((await readProjectFiles([one, at('missing.yaml')])).expected, undefined);
  });

  it('have the services and profiles of all files, with those that they include', async () => {
    const base = write('compose.yaml', 'include: [sub/a.yaml]\nservices: {web: {}}');
    const more = write('more.yaml', 'services: {web: {profiles: [x]}, cron: {profiles: [b, a]}}');
    write('sub/a.yaml', 'include: [{path: [b.yaml, c.yaml]}]\nservices: {db: {}}');
    write('sub/b.yaml', 'include: [../compose.yaml]\nservices: {deep: {}}');
    write('sub/c.yaml', 'services: {deeper: {}}');
    const { services, profiles, paths } = await readProjectFiles([base, more]);
    assert.deepEqual([...(services ?? [])].sort(), ['cron', 'db', 'deep', 'deeper', 'web']);
    assert.deepEqual(profiles, ['a', 'b', 'x']);
    assert.deepEqual(paths.map((path) => path.slice(folder.length + 1)).sort(), [
      ...['compose.yaml', 'more.yaml', 'sub/a.yaml', 'sub/b.yaml', 'sub/c.yaml'],
    ]);
  });

  it('include relative to the folder of the project', async () => {
    const file = write('sub/compose.yaml', 'include: [a.yaml]\nservices: {web: {}}');
    write('a.yaml', 'services: {db: {}}');
    assert.equal((await readProjectFiles([file])).services, undefined);
    assert.deepEqual([...((await readProjectFiles([file], folder)).services ?? [])], ['web', 'db']);
  });

  it('have unknown services if one file is missing, invalid, large, or no file', async () => {
    const good = write('good.yaml', 'services: {web: {profiles: [a]}}');
    execFileSync('mkfifo', [at('pipe.yaml')]);
    const bad = [
      at('missing.yaml'),
      write('invalid.yaml', 'services: ['),
      write('large.yaml', `services: {}\n#${'x'.repeat(600_000)}`),
      write('partial.yaml', 'services: {1: {}}'),
      write('includes.yaml', 'include: [missing.yaml]\nservices: {}'),
      at('pipe.yaml'),
      folder,
      'good.yaml',
    ];
    for (const path of bad) {
      const { services, profiles } = await readProjectFiles([good, path]);
      assert.deepEqual([services, profiles], [undefined, ['a']], path);
    }
    assert.equal((await readProjectFiles([])).services, undefined);
  });

  it('know which services no file builds, unless something is not understood', async () => {
    const all = 'a: {image: x}, b: {build: .}, c: {image: x, build: !reset null}, d: {extends: a}';
    const one = write('one.yaml', `services: {${all}, e: {image: x}}`);
    const two = write('two.yaml', 'services: {e: {build: $X}}');
    assert.deepEqual([...((await readProjectFiles([one, two])).unbuilt ?? [])], ['a']);
    assert.equal((await readProjectFiles([one, at('missing.yaml')])).unbuilt, undefined);
  });

  it('are read up to a number, and once if they include one another', async () => {
    const first = write('0.yaml', 'include: [1.yaml]\nservices: {s0: {}}');
    for (let count = 1; count < 60; count += 1)
      write(`${count}.yaml`, `include: [${count + 1}.yaml]\nservices: {s${count}: {}}`);
    const { services, paths } = await readProjectFiles([first]);
    assert.deepEqual([services, paths.length], [undefined, 50]);
    const own = write('own.yaml', 'include: [own.yaml]\nservices: {web: {}}');
    assert.deepEqual([...((await readProjectFiles([own])).services ?? [])], ['web']);
  });
});
