import assert from 'node:assert/strict';
import { presentStatus } from '../../../src/app/status/presentStatus.ts';
import { WorkspaceProjects } from '../../../src/app/status/workspaceProjects.ts';
import type { Engines } from '../../../src/engines/engines.ts';
import type { EngineUnit } from '../../../src/engines/engineUnit.ts';
import type { Container } from '../../../src/engine/model.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import type { Orphans } from '../../../src/projects/orphans.ts';
import { container } from '../inventory/support/nouns.ts';
import { HIDDEN } from '../support/hostile.ts';

const INFO = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;

/** Returns a container of a project in a folder. */
function member(letter: string, project: string, folder: string, fields = {}): Container {
  const labels = {
    'com.docker.compose.project': project,
    'com.docker.compose.config-hash': 'hash',
    'com.docker.compose.service': letter,
    'com.docker.compose.project.working_dir': folder,
    'com.docker.compose.project.config_files': `${folder}/compose.yaml`,
  };
  return container(letter, { labels, ...fields });
}

describe('the compose projects of the workspace', () => {
  let inventory: Inventory;
  let changes: Emitter<void>;
  let all: Pick<EngineUnit, 'id' | 'name' | 'inventory'>[];
  let files: Emitter<string>;
  let expected: ReadonlySet<string> | undefined;
  let folders: readonly string[];
  let projects: WorkspaceProjects;
  let branches: Emitter<string>;
  let branch: string;
  let fired: number;

  beforeEach(() => {
    inventory = new Inventory();
    inventory.setPhase({ kind: 'live', info: INFO } as never);
    changes = new Emitter();
    files = new Emitter();
    expected = undefined;
    branch = '';
    folders = ['/work'];
    all = [{ id: 'docker', name: 'Docker', inventory }];
    const engines = {
      all,
      onDidChange: changes.event,
      onDidChangeInventory: inventory.onDidChange,
    } as unknown as Engines;
    const orphans = {
      onDidChange: files.event,
      of: () => ({ filesOf: () => expected && { expected } }),
    } as unknown as Orphans;
    branches = new Emitter();
    const worktrees = {
      onDidChange: branches.event,
      follow: () => undefined,
      of: () => (branch === '' ? undefined : { title: `shop · ${branch}` }) as never,
    };
    projects = new WorkspaceProjects({ engines, orphans, worktrees, folders: () => folders });
    fired = 0;
    projects.onDidChange(() => (fired += 1));
  });
  afterEach(() => projects.dispose());

  const show = (...shown: readonly Container[]): void => inventory.replaceAll(shown, [], 0);
  const text = (): string | undefined => presentStatus(projects.all, false)?.text;

  it('are those whose folder or file is in a folder of the workspace', () => {
    show(member('a', 'far', '/workshop'), container('b'), member('c', 'up', '/'));
    assert.equal(text(), undefined);
    show(member('a', 'shop', '/work/shop'), member('b', 'far', '/far', { state: 'exited' }));
    assert.equal(text(), '$(layers) shop 1/1');
    folders = ['/far'];
    projects.reset();
    assert.equal(text(), '$(layers) far 0/1');
  });

  it('are named as their rows are, by the branch of a worktree', () => {
    show(member('a', 'shop-main-1f0c2a9b', '/work'));
    assert.equal(text(), '$(layers) shop-main-1f0c2a9b 1/1');
    branch = 'main';
    branches.fire('shop-main-1f0c2a9b');
    assert.equal(text(), '$(layers) shop · main 1/1');
  });

  it('count as their rows do: no finished jobs, and services that were not created', () => {
    const job = member('b', 'shop', '/work', { state: 'exited', exitCode: 0 });
    const web = member('a', 'shop', '/work');
    const labels = {
      ...web.labels,
      'com.docker.compose.depends_on': 'b:service_completed_successfully:false',
    };
    show({ ...web, labels }, job);
    assert.equal(text(), '$(layers) shop 1/1');
    expected = new Set(['a', 'b', 'c']);
    files.fire('shop');
    assert.equal(text(), '$(layers) shop 1/2');
  });

  it('follow changes, and no others', () => {
    show(member('a', 'shop', '/work'), member('b', 'shop', '/work'), container('c'));
    assert.equal(text(), '$(layers) shop 2/2');
    fired = 0;
    const next = container('c', { state: 'exited' });
    inventory.replaceContainers([next.id], [next], 1);
    assert.equal(fired, 0);
    const stopped = member('b', 'shop', '/work', { state: 'exited' });
    inventory.replaceContainers([stopped.id], [stopped], 2);
    assert.deepEqual([fired, text()], [1, '$(layers) shop 1/2']);
    inventory.replaceContainers([stopped.id], [], 3);
    assert.equal(text(), '$(layers) shop 1/1');
    show();
    assert.equal(text(), undefined);
  });

  it('are hidden while the engine is not connected', () => {
    show(member('a', 'shop', '/work'));
    inventory.setPhase({ kind: 'connecting' });
    assert.equal(text(), undefined);
    inventory.setPhase({ kind: 'live', info: INFO } as never);
    assert.equal(text(), '$(layers) shop 1/1');
  });

  it('begin with those that have trouble, as a warning', () => {
    show(
      member('a', 'alpha', '/work/a'),
      member('b', 'beta', '/work/b', { health: 'unhealthy' }),
      member('c', 'beta', '/work/b', { state: 'exited' }),
    );
    const look = presentStatus(projects.all, true);
    assert.deepEqual(look, {
      text: '$(warning) beta 1/2 +1',
      tooltip: 'beta (Docker): 1 of 2 up, 1 unhealthy\nalpha (Docker): 1 of 1 up',
      accessibilityLabel:
        'Compose projects of this workspace. beta (Docker): 1 of 2 up, 1 unhealthy. alpha (Docker): 1 of 1 up',
      isWarning: true,
      argument: undefined,
    });
  });

  it('are given to the menu, if there is one', () => {
    show(member('a', 'shop', '/work'));
    const argument = { project: 'shop', engine: 'docker' };
    assert.deepEqual(presentStatus(projects.all, false)?.argument, argument);
  });

  it('have names that are short, plain, and no icons', () => {
    show(member('a', `\u202e$(flame) ${'x'.repeat(99)}\n[y](command:z)`, '/work'));
    const { text: shown, tooltip } = presentStatus(projects.all, false) ?? assert.fail();
    assert.match(shown, /^\$\(layers\) \\\$\(flame\) x+… 1\/1$/);
    assert.ok(shown.length <= '$(layers) \\'.length + 30, shown);
    assert.doesNotMatch(shown + tooltip, HIDDEN);
    assert.equal(tooltip.split('\n').length, 1);
  });

  it('are gone with their containers, also on an engine that was added twice', () => {
    all.push({ id: 'again', name: 'Again', inventory });
    show(member('a', 'shop', '/work'));
    const engines = (): readonly string[] => projects.all.map(({ engine }) => engine.name);
    assert.deepEqual(engines(), ['Docker', 'Again']);
    show(member('a', 'shop', '/work', { state: 'exited' }));
    assert.deepEqual(engines(), ['Docker', 'Again']);
    show();
    assert.deepEqual(engines(), []);
  });
});
