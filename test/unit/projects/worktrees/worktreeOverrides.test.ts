import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '../../../../src/engine/errors.ts';
import {
  WorktreeOverrides,
  type WorktreeRecord,
} from '../../../../src/projects/worktrees/worktreeOverrides.ts';

const PROJECT = 'shop-main-0123abcd';
const RECORD: WorktreeRecord = {
  project: PROJECT,
  folder: '/work/shop',
  gitFolder: '/work/shop/.git',
  base: 'shop',
  ports: [
    {
      key: 'web 80 tcp  0',
      service: 'web',
      container: 80,
      protocol: 'tcp',
      host: 20_000,
      count: 1,
    },
  ],
};

describe('WorktreeOverrides', () => {
  let root: string;
  let folder: string;
  let overrides: WorktreeOverrides;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'gantry-overrides-'));
    folder = join(root, 'new', 'worktrees');
    overrides = new WorktreeOverrides(folder);
  });
  afterEach(() => {
    overrides.dispose();
    chmodSync(root, 0o755);
    rmSync(root, { recursive: true, force: true });
  });

  it('keeps what separates a project, with what is known of its worktree', async () => {
    const fired: string[] = [];
    overrides.onDidChange((project) => fired.push(project));
    const path = await overrides.write(RECORD, 'services: {}');
    assert.equal(path, overrides.pathOf(PROJECT));
    assert.match(readFileSync(path, 'utf8'), /^(?:#.*\n){3}services: \{\}\n$/);
    const other = new WorktreeOverrides(folder);
    for (const one of [overrides, other]) {
      assert.deepEqual(await one.read(PROJECT), RECORD);
      assert.deepEqual(await one.all(), [RECORD]);
      assert.deepEqual(await one.find('shop-other-0123abcd'), RECORD);
      assert.equal(await one.find('shop-main-0123abce'), undefined);
    }
    await overrides.remove(PROJECT);
    await overrides.remove(PROJECT);
    assert.deepEqual(fired, [PROJECT, PROJECT]);
    assert.equal(await overrides.read(PROJECT), undefined);
    assert.deepEqual(await other.all(), []);
  });

  it('finds what another window has written since, although rows have read it before', async () => {
    const other = new WorktreeOverrides(folder);
    assert.equal(await overrides.read(PROJECT), undefined);
    await other.write(RECORD, 'x');
    assert.deepEqual(await overrides.read(PROJECT), RECORD);
    const changed = { ...RECORD, folder: '/moved' };
    await other.write(changed, 'x');
    assert.deepEqual(await overrides.find(PROJECT), changed);
    await other.remove(PROJECT);
    assert.equal(await overrides.find(PROJECT), undefined);
  });

  it('is written by two windows at once', async () => {
    const windows = [overrides, new WorktreeOverrides(folder), new WorktreeOverrides(folder)];
    const paths = await Promise.all(windows.map((one) => one.write(RECORD, 'x')));
    assert.equal(new Set(paths).size, 1);
    assert.deepEqual(readdirSync(folder), [`${PROJECT}.yaml`]);
    assert.deepEqual(await overrides.read(PROJECT), RECORD);
  });

  it('knows its own files alone', () => {
    // As VS Code and a shell write the drive.
    const onWindows = new WorktreeOverrides('c:/store');
    assert.equal(onWindows.projectOf(`C:/store/${PROJECT}.yaml`), PROJECT);
    assert.equal(onWindows.projectOf(`D:/store/${PROJECT}.yaml`), undefined);
    assert.equal(overrides.projectOf(overrides.pathOf(PROJECT)), PROJECT);
    const others = ['../x', 'a/b', 'A', '-a', '', '.', 'x'.repeat(101)].map((one) =>
      overrides.pathOf(one),
    );
    for (const path of [
      ...others,
      '/x.yaml',
      `${folder}/./${PROJECT}.yaml`,
      join(folder, PROJECT),
      folder,
    ])
      assert.equal(overrides.projectOf(path), undefined, path);
  });

  it('never reads, writes, or removes what is elsewhere, whatever a project is called', async () => {
    mkdirSync(folder, { recursive: true });
    const outside = join(root, 'new', 'x.yaml');
    writeFileSync(outside, `# gantry ${JSON.stringify(RECORD)}\n`);
    for (const project of ['../x', '..\\x', '/x', 'a/b', '']) {
      assert.equal(await overrides.read(project), undefined);
      await overrides.remove(project);
      await assert.rejects(overrides.write({ ...RECORD, project }, 'x'), InputError);
    }
    assert.match(readFileSync(outside, 'utf8'), /^# gantry/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('has no line that a path in it begins: Compose reads nothing of it', async () => {
    const odd = '/work/a\nb: c\r\u2028d: e\u2029\u0085f: g';
    const record = { ...RECORD, folder: odd, gitFolder: odd };
    const path = await overrides.write(record, 'services: {}');
    assert.deepEqual(readFileSync(path, 'utf8').split(/[\n\r\u2028\u2029\u0085]/).length, 5);
    assert.deepEqual(await overrides.find(PROJECT), record);
  });

  it('reads nothing that is damaged, and of odd fields what is left', async () => {
    mkdirSync(folder, { recursive: true });
    const path = overrides.pathOf(PROJECT);
    for (const line of [
      '',
      '{',
      'null',
      '[]',
      '{}',
      '{"folder": "/x"}',
      '{"folder": 5, "gitFolder": "/x"}',
    ]) {
      writeFileSync(path, `# a\n# gantry ${line}\n`);
      assert.equal(await overrides.read(PROJECT), undefined, line);
    }
    const ports = [5, {}, { host: '1' }, { container: 80, host: 20_000, count: 1 }];
    writeFileSync(
      path,
      `# gantry ${JSON.stringify({ folder: '/x', gitFolder: '/y', base: [5], ports })}`,
    );
    const read = await overrides.read(PROJECT);
    assert.deepEqual([read?.base, read?.ports.length], ['', 1]);
    rmSync(path);
    mkdirSync(path);
    assert.equal(await overrides.find(PROJECT), undefined);
    rmSync(path, { recursive: true });
    symlinkSync('/dev/zero', path);
    assert.equal(await overrides.find(PROJECT), undefined);
  });

  it('rejects if it cannot be written, and leaves nothing', async () => {
    writeFileSync(join(root, 'new'), '');
    await assert.rejects(overrides.write(RECORD, 'x'), { code: 'ENOTDIR' });
    rmSync(join(root, 'new'));
    mkdirSync(overrides.pathOf(PROJECT), { recursive: true });
    await assert.rejects(overrides.write(RECORD, 'x'));
    assert.deepEqual(readdirSync(folder), [`${PROJECT}.yaml`]);
  });
});
