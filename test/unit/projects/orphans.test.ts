import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from '../../../src/engine/model.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import { isWithin } from '../../../src/projects/fileAccess.ts';
import { orphanKey, Orphans, type OrphanSource } from '../../../src/projects/orphans.ts';
import { readProjectFiles } from '../../../src/projects/projectFiles.ts';
import { container } from '../inventory/support/nouns.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { when } from '../support/lab.ts';

const NOTHING = { profiles: [], provided: [], hooked: [] };

describe('Orphans', () => {
  let folder: string;
  let file: string;
  let orphans: Orphans;
  let source: OrphanSource;
  let clock: FakeClock;
  let fired: string[];
  let allowed: string;
  let accessChanges: Emitter<void>;
  const access = {
    mayRead: (path: string) => isWithin(path, [allowed]),
    onDidChange: (listener: () => void) => accessChanges.event(listener),
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-orphans-'));
    file = join(folder, 'compose.yaml');
    fired = [];
    allowed = folder;
    accessChanges = new Emitter();
    clock = new FakeClock();
    orphans = new Orphans(access, clock);
    source = sourceOf('socket');
    source.onDidChange((key) => fired.push(key));
  });
  afterEach(() => {
    orphans.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  function sourceOf(kind: string): OrphanSource {
    return orphans.of({ engine: { endpoint: { transport: { kind } } } as never });
  }

  /** Lets the pause before the next reading pass, as soon as one is requested. */
  async function pause(): Promise<void> {
    await clock.asleep(500);
    clock.pass(500);
  }

  const of = (service: string, more: Readonly<Record<string, string>> = {}): Container =>
    container('a', {
      labels: {
        'com.docker.compose.project': 'shop',
        'com.docker.compose.config-hash': 'hash',
        'com.docker.compose.service': service,
        'com.docker.compose.project.config_files': file,
        ...more,
      },
    });

  it('are containers whose service is not in the files, as long as they can be read', async () => {
    writeFileSync(file, 'services: {web: {}}');
    const web = of('web');
    const old = of('old');
    source.follow(web);
    source.follow(old);
    assert.equal(source.isOrphan(old), false);
    await pause();
    await when(() => fired.length === 1);
    assert.deepEqual([source.isOrphan(web), source.isOrphan(old)], [false, true]);
    const oneOff = of('old', { 'com.docker.compose.oneoff': 'True' });
    assert.equal(source.isOrphan(oneOff), false);
    // As editors do it.
    writeFileSync(`${file}~`, 'services: {old: {}}');
    renameSync(`${file}~`, file);
    await pause();
    await when(() => fired.length === 2);
    assert.deepEqual([source.isOrphan(web), source.isOrphan(old)], [true, false]);
    writeFileSync(file, 'services: [');
    await pause();
    await when(() => fired.length === 3);
    assert.deepEqual([source.isOrphan(web), source.isOrphan(old)], [false, false]);
  });

  it('are known without the file that separates a worktree, which has the services of its last Up', async () => {
    const own = join(folder, 'shop-main-12345678.yaml');
    orphans.dispose();
    orphans = new Orphans({ ...access, isOwn: (path) => path === own }, clock);
    source = sourceOf('socket');
    writeFileSync(file, 'services: {web: {}}');
    writeFileSync(own, 'services: {web: {}, old: {}}');
    const files = { 'com.docker.compose.project.config_files': `${file},${own}` };
    const web = of('web', files);
    const old = of('old', files);
    source.follow(old);
    await pause();
    await when(() => source.filesOf(old) !== undefined);
    assert.deepEqual([source.isOrphan(web), source.isOrphan(old)], [false, true]);
    assert.deepEqual(source.filesOf(old)?.paths, [file]);
  });

  it('are not looked for in files that may not be read, until they may', async () => {
    writeFileSync(file, 'services: {web: {}}');
    allowed = join(folder, 'other');
    source.follow(of('old'));
    await pause();
    await when(() => source.filesOf(of('old')) !== undefined);
    assert.equal(source.isOrphan(of('old')), false);
    assert.deepEqual(source.filesOf(of('old'))?.paths, []);
    allowed = folder;
    accessChanges.fire();
    await pause();
    await when(() => source.isOrphan(of('old')));
  });

  it('are looked for in the projects that were seen last, however many there were', async () => {
    const disposed = orphans;
    orphans = new Orphans({ ...access, mayRead: () => true }, clock, (files) =>
      Promise.resolve({ paths: [], services: new Set(files), ...NOTHING }),
    );
    disposed.dispose();
    source = sourceOf('socket');
    source.onDidChange((key) => fired.push(key));
    const member = (at: number): Container =>
      of('old', { 'com.docker.compose.project.config_files': `/${at}.yaml` });
    for (let at = 0; at < 100; at++) source.follow(member(at));
    await when(() => clock.sleeping.length === 100);
    clock.pass(500);
    await when(() => fired.length === 100);
    assert.equal(source.isOrphan(member(0)), true);
    source.follow(member(100));
    await pause();
    await when(() => source.isOrphan(member(100)));
    assert.deepEqual([source.isOrphan(member(0)), source.isOrphan(member(1))], [true, false]);
    assert.equal(fired.filter((key) => key === orphanKey(member(1))).length, 2);
  });

  it('are found once missing files are there and another container comes', async () => {
    const readings: (readonly string[])[] = [];
    orphans.dispose();
    const known: { services?: ReadonlySet<string> } = {};
    orphans = new Orphans(access, clock, (files) => {
      readings.push(files);
      return Promise.resolve({ paths: files, services: known.services, ...NOTHING });
    });
    source = sourceOf('socket');
    source.onDidChange((key) => fired.push(key));
    source.follow(of('web'));
    for (let count = 0; count < 2; count++) await pause();
    assert.equal(readings.length, 2);
    known.services = new Set(['db']);
    source.follow(of('web'));
    await pause();
    await when(() => fired.length === 1);
    assert.equal(source.isOrphan(of('web')), true);
  });

  it('are known after each edit, also if the folder of the files was missing', async function () {
    if (process.platform !== 'linux') this.skip();
    let readings = 0;
    orphans.dispose();
    orphans = new Orphans(access, clock, async (...args) => {
      const files = await readProjectFiles(...args);
      readings++;
      return files;
    });
    source = sourceOf('socket');
    const readAll = async (): Promise<void> => {
      do {
        const before = readings;
        await pause();
        await when(() => readings > before);
      } while (clock.sleeping.length > 0);
    };
    const inner = join(folder, 'inner');
    file = join(inner, 'compose.yaml');
    const web = of('web');
    const write = (service: string): void => {
      mkdirSync(inner, { recursive: true });
      writeFileSync(file, `services: {${service}: {}}`);
    };
    const remove = (): void => rmSync(inner, { recursive: true });
    const edit = async (): Promise<void> => {
      await readAll();
      assert.equal(source.isOrphan(web), false);
      write('db');
      await readAll();
      assert.equal(source.isOrphan(web), true);
    };
    source.follow(web);
    await readAll();
    write('web');
    source.follow(web);
    await edit();
    remove();
    await readAll();
    write('web');
    source.follow(web);
    await edit();
    remove();
    write('web');
    await edit();
  });

  it('are not looked for on another machine, and not among containers of a stack', async () => {
    writeFileSync(file, 'services: {}');
    const far = sourceOf('ssh');
    far.follow(of('web'));
    const stack = { 'com.docker.compose.project': '', 'com.docker.stack.namespace': 'shop' };
    source.follow(of('web', stack));
    source.follow(of('web'));
    await pause();
    await when(() => fired.length > 0);
    assert.deepEqual(
      [far.isOrphan(of('web')), source.isOrphan(of('web', stack)), source.isOrphan(of('web'))],
      [false, false, true],
    );
    assert.equal(fired.length, 1);
  });
});
