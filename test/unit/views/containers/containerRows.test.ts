import { PLAIN } from '../../../../src/views/arrangement/arrangements.ts';
import assert from 'node:assert/strict';
import type { Container } from '../../../../src/engine/model.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import type { ProjectFiles } from '../../../../src/projects/projectFiles.ts';
import { orphanKey } from '../../../../src/projects/orphans.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { inProject, record, Stage } from '../support/stage.ts';

const exited: Partial<Container> = {
  state: 'exited',
  status: 'Exited (0) 2 hours ago',
  exitCode: 0,
};
const shop = (service: string): Partial<Container> => ({ labels: inProject('shop', service) });

describe('ContainerRows', () => {
  let stage: Stage;

  beforeEach(() => {
    stage = new Stage();
  });

  it('sorts containers in natural order, whatever their state', () => {
    stage.show([
      container('a', { name: 'job-2', ...exited }),
      container('b', { name: 'web-10' }),
      container('c', { name: 'Web-2' }),
      container('d', { name: 'asleep', state: 'paused', status: 'Up 5 minutes (Paused)' }),
      container('e', { name: 'again', state: 'restarting', status: 'Restarting (1) 1 second ago' }),
      container('f', { name: 'fresh', state: 'created', status: 'Created' }),
    ]);
    const labels = stage.labels(stage.containerRows().roots);
    assert.deepEqual(labels, ['again', 'asleep', 'fresh', 'job-2', 'Web-2', 'web-10']);
  });

  it('puts projects before single containers', () => {
    stage.show([
      container('a', { name: 'single' }),
      container('b', { labels: inProject('down', 'x'), ...exited }),
      container('c', shop('job')),
      container('d', { ...shop('web'), ...exited }),
      container('e', { name: 'over', ...exited }),
    ]);
    const rows = stage.containerRows();
    assert.deepEqual(stage.labels(rows.roots), ['down', 'shop', 'over', 'single']);
    assert.deepEqual(stage.labels(rows.roots[1]?.children), ['job', 'web']);
  });

  it('repaints a project once, however many of its containers are hidden', () => {
    const count = 400;
    let looks = 0;
    stage.show(
      Array.from({ length: count }, (_, at) => ({
        ...container('a', at % 2 === 0 ? exited : {}),
        id: String(at).padStart(64, '0'),
        name: `c${at}`,
        get labels() {
          looks++;
          return inProject('shop', `s${at}`);
        },
      })),
    );
    const rows = stage.containerRows({ isHiding: true });
    assert.equal(rows.size, count / 2);
    assert.ok(looks <= 100 * count, String(looks));
  });

  it('has a stable order for rows with the same name', () => {
    const alike = ['b', 'a', 'c'].map((letter) => container(letter, { name: 'same' }));
    const ids = (containers: readonly Container[]): readonly string[] => {
      stage = new Stage();
      stage.show(containers);
      return stage.containerRows().roots.map((node) => node.id);
    };
    assert.deepEqual(ids(alike), ids([...alike].reverse()));
  });

  it('marks containers that are found to be orphans', () => {
    const changes = new Emitter<string>();
    const found = new Set<string>();
    const orphans = {
      onDidChange: changes.event,
      follow: () => undefined,
      isOrphan: ({ id }: Container) => found.has(id),
      filesOf: () => undefined,
    };
    const labels = {
      ...inProject('shop', 'old'),
      'com.docker.compose.project.config_files': '/shop/compose.yaml',
    };
    stage.show([container('a', { labels }), container('b', shop('web'))]);
    const rows = new ContainerRows('default', { ...stage.context, orphans });
    const fired = record(stage, rows);
    found.add(idOf('a'));
    changes.fire(orphanKey(container('a', { labels })) ?? assert.fail());
    // The project counts the services that have no container.
    assert.deepEqual(fired, ['old shop']);
    const context = { ...stage.context, orphans };
    const node = rows.find(idOf('a'));
    assert.match(node?.present(context).description ?? '', / · orphaned$/);
    const tooltip = node?.tooltip(context).find(({ name }) => name === 'Orphaned');
    assert.equal(tooltip?.value, 'Not in the compose files');
    assert.doesNotMatch(rows.find(idOf('b'))?.present(context).description ?? '', /orphaned/);
  });

  it('tells the menu that no compose file builds the service, if all of them are known', () => {
    let unbuilt: ReadonlySet<string> | undefined = new Set(['db']);
    const orphans = {
      onDidChange: () => ({ dispose: () => undefined }),
      follow: () => undefined,
      isOrphan: () => false,
      filesOf: () => ({
        ...{ paths: [], services: undefined, profiles: [], provided: [], hooked: [] },
        ...(unbuilt && { unbuilt }),
      }),
    };
    stage.show([container('a', shop('db')), container('b', shop('web'))]);
    const rows = stage.containerRows();
    const contexts = () =>
      ['a', 'b'].map((letter) => {
        return rows.find(idOf(letter))?.present({ ...stage.context, orphans }).contextValue;
      });
    assert.deepEqual(contexts(), [
      'container.running.unbuilt.service',
      'container.running.service',
    ]);
    unbuilt = undefined;
    assert.deepEqual(contexts(), ['container.running.service', 'container.running.service']);
  });

  it('says how many ports and mounts are not listed', () => {
    const omitted = { ports: 96, mounts: 2, networks: 0 };
    stage.show([container('a', { omitted }), container('b')]);
    const rows = stage.containerRows();
    assert.equal(stage.tooltip(rows.find(idOf('a')))['Not listed'], 'ports: 96, mounts: 2');
    assert.equal('Not listed' in stage.tooltip(rows.find(idOf('b'))), false);
  });

  it('groups the containers of a pod', () => {
    const pod = { name: 'kube', isInfra: false };
    stage.show([container('a', { name: 'kube-web', pod }), container('b', { name: 'other' })]);
    const [group] = stage.containerRows().roots;
    const shown = group?.present(stage.context);
    assert.deepEqual(
      [shown?.label, shown?.contextValue, shown?.accessibilityLabel],
      ['kube', 'project.pod.up.running', 'Pod kube, 1 of 1 up'],
    );
    assert.deepEqual(stage.labels(group?.children), ['kube-web']);
    assert.equal(stage.tooltip(group)['Pod'], 'kube');
    assert.equal(stage.tooltip(group?.children?.[0])['Pod'], 'kube');
  });

  it('repaints only the row that changed in place', () => {
    stage.show([container('a'), container('b')]);
    const rows = stage.containerRows();
    const fired = record(stage, rows);
    stage.change(container('a', { status: 'Up 5 minutes (unhealthy)', health: 'unhealthy' }));
    assert.deepEqual(fired, ['a']);
  });

  it('keeps the object of a row through all changes', () => {
    stage.show([container('a'), container('b')]);
    const rows = stage.containerRows();
    const before = rows.roots[0];
    stage.change(container('a', { ...exited, name: 'z' }));
    assert.deepEqual(stage.labels(rows.roots), ['b', 'z']);
    assert.equal(rows.roots[1], before);
    assert.match(before?.present(stage.context).description ?? '', /^Exited/);
  });

  it('refreshes the view when a row of the first level is added, removed, or moved', () => {
    stage.show([container('a'), container('b')]);
    const rows = stage.containerRows();
    const fired = record(stage, rows);
    stage.change(container('a', exited));
    stage.change(container('a', { ...exited, name: 'renamed' }));
    stage.change(container('c'));
    stage.inventory.replaceContainers([idOf('b')], [], stage.clock.now());
    assert.deepEqual(fired, ['a', '*', '*', '*']);
    assert.deepEqual(stage.labels(rows.roots), ['c', 'renamed']);
  });

  it('keeps a row in place when its container stops, and repaints its project', () => {
    stage.show([container('a', shop('web')), container('b', shop('job')), container('c')]);
    const rows = stage.containerRows();
    const fired = record(stage, rows);
    stage.change(container('b', { ...shop('job'), ...exited }));
    assert.deepEqual(fired, ['job shop']);
    assert.deepEqual(stage.labels(rows.roots[0]?.children), ['job', 'web']);
    stage.change(container('c', exited));
    assert.deepEqual(stage.labels(rows.roots), ['shop', 'c']);
  });

  it('repaints the project when a container becomes unhealthy, but not for other changes', () => {
    stage.show([container('a', shop('web'))]);
    const fired = record(stage, stage.containerRows());
    stage.change(
      container('a', { ...shop('web'), health: 'healthy', status: 'Up 5 minutes (healthy)' }),
    );
    stage.change(
      container('a', { ...shop('web'), health: 'unhealthy', status: 'Up 5 minutes (unhealthy)' }),
    );
    assert.deepEqual(fired, ['web', 'web shop']);
  });

  it('puts the containers of a service below its row as soon as there are several', () => {
    const replica = (letter: string, number: number): Container =>
      container(letter, { labels: inProject('shop', 'web', number) });
    stage.show([replica('a', 1), container('d', shop('db'))]);
    const rows = stage.containerRows();
    const fired = record(stage, rows);
    const children = () => rows.roots[0]?.children ?? [];
    const web = rows.find(idOf('a'));
    assert.deepEqual(stage.labels(children()), ['db', 'web']);
    assert.equal(children()[1], web);
    stage.change(replica('b', 2));
    assert.deepEqual(stage.labels(children()), ['db', 'web']);
    const service = children()[1];
    assert.deepEqual(stage.labels(service?.children), ['web-1', 'web-2']);
    assert.deepEqual([service?.parent, web?.parent], [rows.roots[0], service]);
    stage.change({ ...replica('b', 2), ...exited });
    assert.equal(service?.present(stage.context).description, '1 of 2 up');
    assert.equal(service.present(stage.context).contextValue, 'service.up.down.running');
    const gone: TreeNode[] = [];
    rows.onDidChange((change) => gone.push(...change.gone));
    stage.inventory.replaceContainers([idOf('b')], [], stage.clock.now());
    assert.deepEqual(stage.labels(children()), ['db', 'web']);
    assert.equal(web?.parent, rows.roots[0]);
    assert.deepEqual(
      gone.map(({ id }) => id),
      [`default/container/${idOf('b')}`, 'default/service/["shop","web"]'],
    );
    assert.deepEqual(fired, ['web shop', 'web-2 shop web', 'shop']);
  });

  it('groups the containers of a swarm stack by its services', () => {
    const task = (letter: string, slot: number): Container =>
      container(letter, {
        labels: {
          'com.docker.stack.namespace': 'shop',
          'com.docker.swarm.service.name': 'shop_web',
          'com.docker.swarm.task.name': `shop_web.${slot}.x1y2`,
        },
      });
    stage.show([task('a', 1), task('b', 10), task('c', 2)]);
    const [stack] = stage.containerRows().roots;
    const [service] = stack?.children ?? [];
    assert.deepEqual(stage.labels(stack?.children), ['web']);
    assert.deepEqual(stage.labels(service?.children), ['web-1', 'web-2', 'web-10']);
    const values = [stack, service].map((one) => one?.present(stage.context).contextValue);
    assert.deepEqual(values, ['project.stack.up.running', 'service.stack.up.running']);
  });

  it('removes a project with its last row, and reports the removed rows', () => {
    stage.show([container('a', shop('web')), container('b')]);
    const rows = stage.containerRows();
    const gone: string[] = [];
    const painted: TreeNode[] = [];
    rows.onDidChange((change) => painted.push(...change.stale));
    rows.onDidChange((change) => gone.push(...[...change.gone].map((node) => node.id)));
    stage.inventory.replaceContainers([idOf('a')], [], stage.clock.now());
    assert.deepEqual(painted, [], 'what is gone is not painted');
    assert.deepEqual(gone, [`default/container/${idOf('a')}`, 'default/project/shop']);
    assert.deepEqual(stage.labels(rows.roots), ['b']);
  });

  it('repaints the row of a container with an operation in progress', () => {
    stage.show([container('a'), container('b')]);
    const fired = record(stage, stage.containerRows());
    stage.activity.begin(idOf('a'), 'stopping').dispose();
    stage.activity.begin(`sha256:${idOf('f')}`, 'removing').dispose();
    assert.deepEqual(fired, ['a', 'a']);
  });

  it('reports the start of an operation immediately; its end can wait for the result', () => {
    stage.show([container('a')]);
    const canWait: boolean[] = [];
    stage.containerRows().onDidChange((change) => canWait.push(change.canWait));
    stage.activity.begin(idOf('a'), 'stopping').dispose();
    stage.change(container('a', exited));
    assert.deepEqual(canWait, [false, true, false]);
  });

  it('keeps a container in place while it is restarting', () => {
    stage.show([container('a'), container('b')]);
    const rows = stage.containerRows({ isHiding: true });
    const restarting = stage.activity.begin(idOf('a'), 'restarting');
    stage.change(container('a', exited));
    assert.deepEqual(stage.labels(rows.roots), ['a', 'b']);
    restarting.dispose();
    assert.deepEqual(stage.labels(rows.roots), ['b']);
  });

  it('hides stopped containers, but not created ones, and shows them again', () => {
    stage.show([
      container('a', exited),
      container('b', { state: 'created', status: 'Created' }),
      container('c', { state: 'dead', status: 'Dead' }),
      container('d'),
      container('e', { ...shop('job'), ...exited }),
    ]);
    const rows = stage.containerRows({ isHiding: true });
    const fired = record(stage, rows);
    assert.deepEqual(stage.labels(rows.roots), ['b', 'd']);
    assert.equal(rows.size, 2);
    stage.change(container('d', exited));
    assert.deepEqual(stage.labels(rows.roots), ['b']);
    rows.arrange(PLAIN);
    assert.deepEqual(stage.labels(rows.roots), ['shop', 'a', 'b', 'c', 'd']);
    assert.equal(fired.at(-1)?.startsWith('*'), true);
  });

  it('counts hidden containers in the rows of their project and service', () => {
    const replica = (number: number): Partial<Container> => ({
      labels: inProject('shop', 'web', number),
    });
    const waiting = {
      labels: {
        ...inProject('shop', 'app'),
        'com.docker.compose.depends_on': 'db:service_started',
      },
    };
    stage.show([
      container('a', waiting),
      container('b', { ...shop('db'), ...exited }),
      container('c', replica(1)),
      container('d', replica(2)),
      container('e', { ...replica(3), ...exited }),
    ]);
    const rows = stage.containerRows({ isHiding: true });
    const [group] = rows.roots;
    const shown = (node: TreeNode | undefined): readonly unknown[] => {
      const { description, contextValue } = node?.present(stage.context) ?? assert.fail();
      return [description, contextValue];
    };
    assert.deepEqual(shown(group), ['3 of 5 up', 'project.up.down.running']);
    assert.deepEqual(shown(group?.children?.[1]), ['2 of 3 up', 'service.up.down.running']);
    assert.deepEqual(stage.tooltip(group), {
      Project: 'shop',
      Containers: '3 of 5 up',
      'Not up': 'db, web-3',
    });
    const fired = record(stage, rows);
    stage.change(container('d', { ...replica(2), ...exited }));
    assert.deepEqual(shown(group), ['2 of 5 up', 'project.up.down.running']);
    stage.change(container('e', replica(3)));
    assert.deepEqual(fired, ['shop', 'web shop']);
    assert.deepEqual(shown(group), ['3 of 5 up', 'project.up.down.running']);
    stage.inventory.replaceContainers([idOf('b')], [], 0);
    assert.deepEqual(shown(group), ['3 of 4 up', 'project.up.down.running']);
    assert.equal(fired.at(-1), 'shop');
  });

  it('shows what is only in the compose files of a project', () => {
    const depends = { 'com.docker.compose.depends_on': 'db:service_started,model:service_started' };
    stage.show([container('a', { labels: { ...inProject('shop', 'web'), ...depends } })]);
    const [group] = stage.containerRows().roots;
    const told = (filesOf: () => ProjectFiles | undefined): unknown => {
      const { onDidChange } = new Emitter<string>() as never;
      const orphans = { onDidChange, follow: () => undefined, isOrphan: () => false, filesOf };
      const rows = group?.tooltip({ ...stage.context, orphans }) ?? [];
      return rows.slice(2).map(({ name, value }) => [name, value]);
    };
    assert.deepEqual(
      told(() => undefined),
      [
        ['Services without containers', 'db, model'],
        ['Note', 'Not created, or run by a provider'],
      ],
    );
    const known = { paths: [], profiles: [], provided: ['model'], hooked: ['web'] };
    assert.deepEqual(
      told(() => ({ ...known, services: new Set(['web', 'db', 'model']) })),
      [
        ['Services without containers', 'db'],
        ['Run by a provider', 'model'],
        ['With hooks that only Compose runs', 'web'],
      ],
    );
  });

  it('counts the services of the compose files that have no container', () => {
    const oneOff = { ...inProject('shop', 'cron'), 'com.docker.compose.oneoff': 'True' };
    stage.show([
      container('a', shop('web')),
      container('b', { ...shop('db'), ...exited }),
      container('c', { ...exited, labels: oneOff }),
    ]);
    const [group = assert.fail()] = stage.containerRows().roots;
    const shownWith = (...expected: readonly string[]): readonly unknown[] => {
      const files = {
        paths: [],
        profiles: [],
        provided: [],
        hooked: [],
        services: new Set<string>(),
      };
      const orphans = {
        onDidChange: new Emitter<string>().event,
        follow: () => undefined,
        isOrphan: () => false,
        filesOf: () => ({ ...files, expected: new Set(expected) }),
      };
      const context = { ...stage.context, orphans };
      const { description, icon } = group.present(context);
      const tooltip = group
        .tooltip(context)
        .find(({ name }) => name === 'Services without containers');
      return [description, icon?.color, tooltip?.value];
    };
    assert.deepEqual(shownWith('web', 'db'), ['1 of 2 up', 'charts.yellow', undefined]);
    assert.deepEqual(shownWith('web', 'db', 'cron', 'api'), [
      '1 of 4 up',
      'charts.yellow',
      'api, cron',
    ]);
    stage.change(container('b', shop('db')));
    assert.deepEqual(shownWith('web', 'db').slice(0, 2), ['2 of 2 up', 'charts.green']);
    assert.deepEqual(shownWith('web', 'db', 'api').slice(0, 2), ['2 of 3 up', 'charts.yellow']);
  });

  it('does not count jobs that have succeeded, nor runs that have ended', () => {
    const depends = { 'com.docker.compose.depends_on': 'job:service_completed_successfully' };
    const oneOff = { ...inProject('shop', 'web'), 'com.docker.compose.oneoff': 'True' };
    const job = { ...shop('job'), ...exited };
    stage.show([
      container('a', { labels: { ...inProject('shop', 'web'), ...depends } }),
      container('b', job),
      container('c', { ...exited, labels: oneOff, exitCode: 1 }),
    ]);
    const [group] = stage.containerRows().roots;
    const state = (): unknown => {
      const { description, icon } = group?.present(stage.context) ?? assert.fail();
      return [description, icon?.color, stage.tooltip(group)['Not up']];
    };
    assert.deepEqual(state(), ['1 of 1 up', 'charts.green', undefined]);
    stage.change(container('b', { ...job, exitCode: 1 }));
    assert.deepEqual(state(), ['1 of 2 up', 'charts.yellow', 'job']);
  });

  it('shows a hook of Compose as what it is, and that it failed on the row of its service', () => {
    // Compose gives no number, hash or files to them.
    const hook = (letter: string, service: string, fields = {}) =>
      container(letter, {
        name: `odd_${letter}`,
        labels: {
          'com.docker.compose.project': 'shop',
          'com.docker.compose.service': service,
          'com.docker.compose.hook': 'pre_start',
        },
        ...fields,
      });
    stage.show([
      container('a', { labels: inProject('shop', 'web', 1), state: 'created' }),
      container('b', { labels: inProject('shop', 'api', 1) }),
      container('c', { labels: inProject('shop', 'api', 2) }),
      hook('d', 'web', { state: 'running' }),
      hook('e', 'api', { ...exited, exitCode: 3 }),
    ]);
    const rows = stage.containerRows();
    const [group] = rows.roots;
    const texts = (): readonly string[] =>
      (group?.children ?? []).map((one) => {
        const { label, description } = one.present(stage.context);
        return `${label}: ${description}`;
      });
    assert.deepEqual(texts(), [
      'api: 2 of 2 up · pre_start failed (3)',
      'api pre_start: Exited (3) 2 h ago · hook',
      'web: Created',
      'web pre_start: Up 5 min · hook',
    ]);
    assert.equal(group?.present(stage.context).description, '2 of 3 up');
    const fired = record(stage, rows);
    stage.change(hook('d', 'web', { ...exited, exitCode: 1 }));
    assert.equal(texts()[2], 'web: Created · pre_start failed (1)');
    assert.equal(fired.at(-1)?.split(' ').includes('web'), true);
    rows.arrange({ ...PLAIN, isHiding: true });
    assert.deepEqual(texts(), [
      'api: 2 of 2 up · pre_start failed (3)',
      'web: Created · pre_start failed (1)',
    ]);
    stage.inventory.replaceContainers(['d'.repeat(64)], [], stage.clock.now());
    assert.equal(texts()[1], 'web: Created');
    assert.equal(fired.at(-1)?.split(' ').includes('web'), true);
  });

  it('repaints the project when a run or job has ended that was not seen running', () => {
    const depends = { 'com.docker.compose.depends_on': 'job:service_completed_successfully' };
    const oneOff = { ...inProject('shop', 'task'), 'com.docker.compose.oneoff': 'True' };
    stage.show([
      container('a', { labels: { ...inProject('shop', 'web'), ...depends } }),
      container('b', { ...shop('job'), ...exited, exitCode: 1 }),
      container('c', { labels: oneOff, state: 'created' }),
    ]);
    const rows = stage.containerRows();
    const [group] = rows.roots;
    const fired = record(stage, rows);
    stage.change(container('c', { labels: oneOff, ...exited }));
    stage.change(container('b', { ...shop('job'), ...exited }));
    assert.deepEqual(
      fired.map((labels) => labels.split(' ').includes('shop')),
      [true, true],
    );
    assert.equal(group?.present(stage.context).description, '1 of 1 up');
  });

  it('repaints one row for a change in place, however many rows there are', () => {
    const many = Array.from({ length: 2000 }, (_, index) =>
      container('a', { id: String(index).padStart(64, '0'), name: `c${index}` }),
    );
    stage.show(many);
    const rows = stage.containerRows();
    const before = rows.roots;
    const seen: ReadonlySet<TreeNode>[] = [];
    rows.onDidChange(({ stale }) => seen.push(stale));
    stage.change({ ...many[7]!, health: 'healthy', status: 'Up 5 minutes (healthy)' });
    assert.deepEqual(
      seen.map((one) => one.size),
      [1],
    );
    assert.equal(rows.roots, before, 'the rows must not be sorted again');
  });

  it('becomes empty with the inventory', () => {
    stage.show([container('a', shop('web')), container('b')]);
    const rows = stage.containerRows();
    stage.show([]);
    assert.deepEqual(rows.roots, []);
    assert.equal(rows.find(idOf('a')), undefined);
  });
});
