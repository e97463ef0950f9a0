import assert from 'node:assert/strict';
import { findVolumeSources } from '../../../../src/projects/worktrees/findVolumeSources.ts';
import { readResolvedProject } from '../../../../src/projects/worktrees/readResolvedProject.ts';
import { separate } from '../../../../src/projects/worktrees/separate.ts';
import type { WorktreeRecord } from '../../../../src/projects/worktrees/worktreeOverrides.ts';
import { volumeLabels } from '../../../../src/projects/projectLabels.ts';
import type { Volume } from '../../../../src/engine/model.ts';
import { volume } from '../../inventory/support/nouns.ts';

const PROJECT = 'shop-login-1f0c2a9b';
const OTHER = 'shop-search-2b3c4d5e';

/** The volumes of the project of a worktree, as `docker compose config` prints them. */
function ownVolumes(volumes: object) {
  const resolved = readResolvedProject({ services: { web: {} }, volumes });
  assert(resolved);
  const name = { project: PROJECT, suffix: 'login-1f0c2a9b', base: 'shop' };
  return separate(resolved, { name, ports: [], root: '/w/login' }).volumes;
}

describe('volumes of the project of a worktree', () => {
  it('have its name, also if the files give them another one', () => {
    const volumes = ownVolumes({
      db: { name: `${PROJECT}_db` },
      cache: { name: 'shared-cache' },
      quota: { name: `${PROJECT}_quota`, driver_opts: { o: 'size=1g' } },
      plugin: { name: `${PROJECT}_plugin`, driver: 'rclone' },
      plain: { name: `${PROJECT}_plain`, driver: 'local' },
    });
    assert.deepEqual(volumes, [
      { key: 'db', name: `${PROJECT}_db`, hasOptions: false },
      { key: 'cache', name: `${PROJECT}_cache`, hasOptions: false, fixedName: 'shared-cache' },
      { key: 'quota', name: `${PROJECT}_quota`, hasOptions: true },
      { key: 'plugin', name: `${PROJECT}_plugin`, hasOptions: true },
      { key: 'plain', name: `${PROJECT}_plain`, hasOptions: false },
    ]);
  });

  it('are not those of others, nor folders of the host', () => {
    const external = { name: 'a', external: true };
    const folder = { name: 'b', driver_opts: { type: 'none', o: 'bind', device: '/srv' } };
    assert.deepEqual(ownVolumes({ external, folder }), []);
  });
});

describe('the sources of volumes', () => {
  const owner = {
    project: PROJECT,
    base: 'shop',
    common: '/shop/.git',
    below: '',
    volumes: ownVolumes({ db: { name: `${PROJECT}_db` }, cache: { name: 'shared-cache' } }),
  };
  const record = (project: string, fields: Partial<WorktreeRecord> = {}): WorktreeRecord => ({
    project,
    base: 'shop',
    folder: '/w/search',
    gitFolder: '/shop/.git/worktrees/search',
    ports: [],
    ...fields,
  });
  const made = (project: string, key: string, fields: Partial<Volume> = {}): Volume =>
    volume(`${project}_${key}`, { labels: volumeLabels(project, key), ...fields });
  const found = (
    existing: readonly Volume[],
    records: readonly WorktreeRecord[] = [],
    plain: readonly string[] = [],
  ) =>
    findVolumeSources(owner, existing, { records, plain }).map(
      ({ project, pairs, withOptions }) => [
        project,
        pairs.map(({ own, from }) => `${own.key}: ${from.name}`),
        withOptions.map(({ own }) => own.key),
      ],
    );

  it('are projects of the folder with other names, with the names that the files fix, once each', () => {
    const own = [made('acme', 'db'), volume('shared-cache')];
    const plain = ['acme', 'shop', PROJECT, OTHER];
    assert.deepEqual(found(own, [record(OTHER)], plain), [
      ['shop', ['cache: shared-cache'], []],
      ['acme', ['db: acme_db', 'cache: shared-cache'], []],
    ]);
    assert.deepEqual(found([made('acme', 'db'), made(OTHER, 'db')], [record(OTHER)], plain), [
      ['acme', ['db: acme_db'], []],
      [OTHER, [`db: ${OTHER}_db`], []],
    ]);
  });

  it('are the project with the name in the files, then those of other worktrees of the repository', () => {
    const existing = [made(OTHER, 'db'), made('shop', 'db'), made('shop', 'old')];
    assert.deepEqual(found(existing, [record(OTHER)]), [
      ['shop', ['db: shop_db'], []],
      [OTHER, [`db: ${OTHER}_db`], []],
    ]);
  });

  it('are known by the name that the files give, whatever the labels of the volume are', () => {
    const labels = volumeLabels('another', 'x');
    assert.deepEqual(found([volume('shared-cache', { labels })]), [
      ['shop', ['cache: shared-cache'], []],
    ]);
  });

  it('are known by their labels if the files had another name for the volume', () => {
    assert.deepEqual(found([volume('shop-old', { labels: volumeLabels('shop', 'db') })]), [
      ['shop', ['db: shop-old'], []],
    ]);
  });

  it('are not volumes whose name is by chance that of another project', () => {
    // The volume `db` of a project `shop` or `b` of `shop_d`: the label tells.
    const labels = volumeLabels('other', 'db');
    assert.deepEqual(found([volume('shop_db', { labels })]), []);
  });

  it('are neither the project itself, nor those of other repositories and names', () => {
    const records = [
      record(PROJECT),
      record('a-1f0c2a9c', { gitFolder: '/other/.git' }),
      record('b-1f0c2a9c', { gitFolder: '/shop/.git/worktrees/x/deeper' }),
      record('c-1f0c2a9c', { base: 'store' }),
    ];
    const old = volume('old', { labels: volumeLabels(PROJECT, 'db') });
    const existing = [...records.slice(1).map(({ project }) => made(project, 'db')), old];
    assert.deepEqual(found(existing, records), []);
    const main = record('d-1f0c2a9c', { gitFolder: '/shop/.git' });
    assert.deepEqual(found([made(main.project, 'db')], [main]), [
      [main.project, [`db: ${main.project}_db`], []],
    ]);
  });

  it('have no volumes with another driver or options, which are named', () => {
    const options = { o: 'size=1g' };
    const existing = [made('shop', 'db', { options }), volume('shared-cache')];
    assert.deepEqual(found(existing), [['shop', ['cache: shared-cache'], ['db']]]);
    assert.deepEqual(found([made('shop', 'db', { driver: 'rclone' })]), []);
    const volumes = owner.volumes.map((one) => ({ ...one, hasOptions: true }));
    assert.deepEqual(
      findVolumeSources({ ...owner, volumes }, [made('shop', 'db')], { records: [], plain: [] }),
      [],
    );
  });
});
