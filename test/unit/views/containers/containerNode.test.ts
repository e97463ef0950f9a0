import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { Container } from '../../../../src/engine/model.ts';
import type { RowPresentation } from '../../../../src/views/rowPresentation.ts';
import { ContainerNode, ProjectNode } from '../../../../src/views/containers/containerNode.ts';
import { TreeNode } from '../../../../src/views/treeNode.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { inProject, record, Stage } from '../support/stage.ts';

const published = { privatePort: 80, publicPort: 8080, protocol: 'tcp', ip: '0.0.0.0' };

/** Presentation of each state: the engine's fields, the description, and the icon. */
const conditions: readonly (readonly [
  state: Container['state'],
  status: string,
  words: string,
  icon: string,
  health?: NonNullable<Container['health']>,
])[] = [
  ['running', 'Up 5 minutes', 'Up 5 min', 'play-circle'],
  ['running', 'Up 5 minutes (healthy)', 'healthy · Up 5 min', 'pass-filled', 'healthy'],
  ['running', 'Up 3 seconds (health: starting)', 'starting · Up 3 s', 'pulse', 'starting'],
  ['running', 'Up 2 hours (unhealthy)', 'unhealthy · Up 2 h', 'warning', 'unhealthy'],
  ['paused', 'Up 5 minutes (Paused)', 'Paused · Up 5 min', 'debug-pause'],
  ['restarting', 'Restarting (1) 4 seconds ago', 'Restarting (1) 4 s ago', 'debug-restart'],
  ['created', 'Created', 'Created', 'circle-outline'],
  ['exited', 'Exited (0) 2 hours ago', 'Exited (0) 2 h ago', 'debug-stop'],
  ['exited', 'Exited (1) 2 hours ago', 'Exited (1) 2 h ago', 'error'],
  ['removing', 'Removal In Progress', 'Removing', 'trash'],
  ['dead', 'Dead', 'Dead', 'circle-slash'],
  ['unknown', 'Hibernating', 'Hibernating', 'question'],
];

/** Returns the container of a condition. */
function inCondition([state, status, , , health]: (typeof conditions)[number]): Container {
  const [, exitCode] = /\((\d+)\)/.exec(status) ?? [];
  return container('a', {
    state,
    status,
    ...(health && { health }),
    ...(exitCode !== undefined && { exitCode: Number(exitCode) }),
  });
}

describe('ContainerNode', () => {
  let stage: Stage;

  beforeEach(() => {
    stage = new Stage();
  });

  for (const condition of conditions) {
    const [state, status, words, icon] = condition;
    it(`shows the state first in the description, and by the icon: ${status}`, () => {
      const look = stage.look(inCondition(condition));
      assert.equal(look.label, 'a');
      assert.equal(look.description, `${words} · web:1`);
      assert.equal(look.icon?.id, icon);
      assert.equal(look.contextValue, `container.${state}`);
    });
  }

  it('has a different icon and text in every state, not only a different color', () => {
    const looks = conditions.map((condition) => stage.look(inCondition(condition)));
    const differing = (key: (look: RowPresentation) => string): number =>
      new Set(looks.map(key)).size;
    assert.equal(
      differing((look) => look.icon?.id ?? ''),
      conditions.length,
    );
    assert.equal(
      differing((look) => look.description),
      conditions.length,
    );
  });

  it('shows no operation that has reached its goal, even without a response', () => {
    const done = [
      ['starting', {}],
      ['stopping', { state: 'exited', status: 'Exited (0) 1 second ago' }],
      ['killing', { state: 'dead', status: 'Dead' }],
      ['pausing', { state: 'paused', status: 'Up 5 minutes (Paused)' }],
      ['unpausing', {}],
    ] as const;
    for (const [verb, fields] of done) {
      const under = stage.activity.begin(idOf('a'), verb);
      const look = stage.look(container('a', fields));
      under.dispose();
      assert.deepEqual(look, stage.look(container('a', fields)), verb);
    }
  });

  it('shows the operation in progress instead of its state', () => {
    const stopping = stage.activity.begin(idOf('a'), 'stopping');
    const busy = stage.look(container('a'));
    assert.equal(busy.description, 'stopping... · web:1');
    assert.equal(busy.icon?.id, 'loading~spin');
    assert.equal(busy.contextValue, 'container.running');
    assert.equal(busy.age, undefined, 'the text must not change with time');
    stopping.dispose();
    assert.equal(stage.look(container('a')).description, 'Up 5 min · web:1');
  });

  it('shows what it waits for before it is started', () => {
    const web = container('a', { state: 'exited', status: 'Exited (0) 1 second ago' });
    const look = (condition: 'started' | 'healthy' | 'completed'): string => {
      const wait = stage.activity.begin(idOf('a'), 'waiting', { service: 'db', condition });
      const { description } = stage.look(web);
      wait.dispose();
      return description;
    };
    assert.equal(look('healthy'), 'waiting for db to be healthy · web:1');
    assert.equal(look('completed'), 'waiting for db to complete · web:1');
    assert.equal(look('started'), 'waiting for db to start · web:1');
  });

  it('updates its age over time', () => {
    stage.show([container('a')]);
    const node = stage.containerRows().find(idOf('a'));
    stage.clock.pass(60_000);
    assert.equal(node?.present(stage.context).description, 'Up 6 min · web:1');
    assert.ok(node.present(stage.context).age);
  });

  it('leaves out what the engine does not report', () => {
    const odd = { status: '', image: '', createdAt: '', command: '' };
    assert.equal(stage.look(container('a', odd)).description, 'Up');
    const exited = container('a', { ...odd, state: 'exited' });
    assert.equal(stage.look(exited).description, 'Exited');
    assert.equal(stage.look(exited).icon?.id, 'debug-stop', 'the icon must not show a failure');
    const unknown = container('a', { ...odd, state: 'unknown' });
    assert.equal(stage.look(unknown).description, 'Unknown state');
  });

  it('shows a published port after the state, and has "published" in its context value for TCP', () => {
    const look = stage.look(container('a', { ports: [published] }));
    assert.equal(look.description, 'Up 5 min · 8080→80');
    assert.equal(look.contextValue, 'container.running.published');
  });

  it('has no "published" in its context value for an unpublished or a UDP port', () => {
    const inner = { privatePort: 443, protocol: 'tcp' };
    const dns = { privatePort: 53, publicPort: 53, protocol: 'udp' };
    const look = stage.look(container('a', { ports: [inner, dns] }));
    assert.equal(look.description, 'Up 5 min · 53→53/udp');
    assert.equal(look.contextValue, 'container.running');
  });

  it('shows the first port mapping and the number of others', () => {
    const second = { ...published, ip: '127.0.0.1' };
    const more = [81, 82, 83].map((port) => ({ ...published, privatePort: port }));
    const look = stage.look(container('a', { ports: [published, second, ...more] }));
    assert.equal(look.description, 'Up 5 min · 8080→80 +3');
  });

  it('shows the short ID of an image that no longer has a tag', () => {
    const look = stage.look(container('a', { image: `sha256:${idOf('b')}` }));
    assert.equal(look.description, 'Up 5 min · bbbbbbbbbbbb');
  });

  it('leaves truncating a long name to VS Code', () => {
    const name = 'somebody-elses-rather-long-project-worker-7';
    const node = new ContainerNode('default', container('a', { name }), true);
    assert.equal(node.present(stage.context).label, name);
  });

  it('shows the last part of the image name, but none if the service implies it', () => {
    const image = 'localhost:5000/team/web:1';
    assert.equal(stage.look(container('a', { image })).description, 'Up 5 min · web:1');
    const labels = inProject('shop', 'web');
    assert.equal(stage.look(container('a', { image, labels })).description, 'Up 5 min');
  });

  it('looks stopped, not failed, for the exit code of a stop or kill', () => {
    for (const exitCode of [137, 143, 130]) {
      const look = stage.look(container('a', { state: 'exited', status: '', exitCode }));
      assert.equal(look.description, `Stopped (${exitCode}) · web:1`);
      assert.deepEqual(look.icon, { id: 'debug-stop', color: 'disabledForeground' });
    }
  });

  it('has one word for what a client stopped, whatever its exit code', () => {
    const stopped = (exitCode: number) => container('a', { state: 'exited', status: '', exitCode });
    const { id } = stopped(0);
    stage.show([container('a')]);
    const rows = stage.containerRows();
    const look = () => rows.find(id)?.present(stage.context);
    const fired = record(stage, rows);
    stage.change(stopped(0));
    assert.equal(look()?.description, 'Exited (0) · web:1');
    stage.inventory.recordStop(id);
    assert.equal(fired.length, 2);
    assert.equal(look()?.description, 'Stopped (0) · web:1');
    stage.change(stopped(1));
    assert.deepEqual(
      [look()?.description, look()?.icon?.id],
      ['Stopped (1) · web:1', 'debug-stop'],
    );
    stage.change(container('a'));
    stage.change(stopped(1));
    assert.equal(look()?.description, 'Exited (1) · web:1');
  });

  it('shows that it was out of memory until it is running again', () => {
    const killed = container('a', { state: 'exited', status: '', exitCode: 137 });
    stage.show([killed]);
    const rows = stage.containerRows();
    const fired = record(stage, rows);
    const words = () => rows.find(killed.id)?.present(stage.context).description;
    stage.inventory.recordOutOfMemory(killed.id);
    assert.deepEqual(fired, ['a']);
    assert.equal(words(), 'Out of memory (137) · web:1');
    assert.equal(rows.find(killed.id)?.present(stage.context).icon?.id, 'error');
    stage.change(container('a'));
    stage.change(killed);
    assert.equal(words(), 'Stopped (137) · web:1');
  });

  it('has no color and a constant age while the connection is lost', () => {
    stage.show([container('a')]);
    const node = stage.containerRows().find(idOf('a'));
    const error = new EngineError('socketAbsent');
    stage.inventory.setPhase({ kind: 'lost', error, hadRows: true }, stage.clock.now());
    stage.clock.pass(600_000);
    const look = node?.present(stage.context);
    assert.equal(look?.description, 'Up 5 min · web:1');
    assert.deepEqual(look.icon, { id: 'play-circle', color: 'disabledForeground' });
    assert.equal(look.age, undefined, 'the text must not change with time');
    const info = { product: 'docker', engineApi: '1.51', api: '1.44' } as const;
    stage.inventory.replaceImages([], { kind: 'live', info });
    assert.equal(node?.present(stage.context).description, 'Up 15 min · web:1');
  });

  it('has a tooltip with its details', () => {
    const fields = { names: ['a', 'alias'], ports: [{ ...published, ip: '127.0.0.1' }] };
    stage.show([container('a', { ...fields, labels: inProject('shop', 'web', 1) })]);
    const tooltip = stage.tooltip(stage.containerRows().find(idOf('a')));
    assert.deepEqual(
      { ...tooltip, Created: '' },
      {
        Name: 'a',
        'Other names': 'alias',
        State: 'Up 5 min',
        Image: 'web:1',
        Command: 'sleep 9',
        Ports: '127.0.0.1:8080→80/tcp',
        Project: 'shop',
        Service: 'web',
        Created: '',
        ID: 'aaaaaaaaaaaa',
      },
    );
  });

  it('shows texts on one line without invisible characters', () => {
    const image = 'evil\nimage\u202E\u0007';
    assert.equal(stage.look(container('a', { image })).description, 'Up 5 min · evil image');
  });

  it('has an ID without state, and its own class', () => {
    stage.show([container('a')]);
    const node = stage.containerRows().find(idOf('a'));
    assert.equal(node?.id, `default/container/${idOf('a')}`);
    assert.ok(node instanceof TreeNode);
    assert.equal(node.container.name, 'a');
  });
});

describe('ProjectNode', () => {
  let stage: Stage;

  beforeEach(() => {
    stage = new Stage();
  });

  const group = (...containers: readonly Container[]): ProjectNode => {
    stage.show(containers);
    const [first] = stage.containerRows().roots;
    assert.ok(first instanceof ProjectNode);
    return first;
  };

  it('shows how many of its containers are up', () => {
    const shop = group(
      container('a', { labels: inProject('shop', 'web') }),
      container('b', { labels: inProject('shop', 'job'), state: 'exited', exitCode: 0 }),
    );
    const look = shop.present(stage.context);
    assert.equal(look.label, 'shop');
    assert.equal(look.description, '1 of 2 up');
    assert.equal(look.contextValue, 'project.up.down.running');
    assert.deepEqual(look.icon, { id: 'layers', color: 'charts.yellow' });
    assert.equal(shop.id, 'default/project/shop');
    assert.deepEqual(
      shop.children.map((one) => one.parent),
      [shop, shop],
    );
  });

  it('is green only if all its containers are up, and warns if one is unhealthy or restarting', () => {
    const web = container('a', { labels: inProject('shop', 'web') });
    const job = container('b', { labels: inProject('shop', 'job') });
    const shop = group(web, job);
    const icon = () => shop.present(stage.context).icon;
    assert.deepEqual(icon(), { id: 'layers-active', color: 'charts.green' });
    const words = () => shop.present(stage.context).description;
    stage.change({ ...job, health: 'unhealthy', status: 'Up 5 minutes (unhealthy)' });
    assert.equal(icon()?.id, 'warning');
    assert.equal(words(), '2 of 2 up · 1 unhealthy');
    stage.change({ ...job, state: 'restarting', status: 'Restarting (1) 1 second ago' });
    assert.equal(icon()?.id, 'warning');
    assert.equal(words(), '2 of 2 up · 1 restarting');
    stage.change(job);
    assert.equal(icon()?.id, 'layers-active');
  });

  it('lists containers that are not up or have problems in its tooltip', () => {
    const labels = (service: string) => ({ labels: inProject('shop', service) });
    const over = Array.from({ length: 14 }, (_, index) =>
      container('a', {
        id: String(index).padStart(64, '0'),
        ...labels(`job${index}`),
        state: 'exited',
      }),
    );
    const sick = container('b', { ...labels('db'), health: 'unhealthy' });
    const tooltip = stage.tooltip(group(...over, sick, container('c', labels('web'))));
    assert.equal(tooltip['Containers'], '2 of 16 up');
    assert.equal(tooltip['Unhealthy or restarting'], 'db');
    assert.match(tooltip['Not up'] ?? '', /^job0, job1, .*, job11 and 2 more$/);
  });

  it('names services in its tooltip that others depend on and that have no container', () => {
    const depends = { 'com.docker.compose.depends_on': 'db:service_healthy:false,model:x:true' };
    const tooltip = stage.tooltip(
      group(
        container('a', { labels: { ...inProject('shop', 'web'), ...depends } }),
        container('b', { labels: inProject('shop', 'db') }),
      ),
    );
    assert.equal(tooltip['Services without containers'], 'model');
  });

  it('looks stopped if all its containers are', () => {
    const exited = { state: 'exited', exitCode: 0 } as const;
    const shop = group(container('a', { labels: inProject('shop', 'web'), ...exited }));
    assert.equal(shop.present(stage.context).icon?.id, 'layers');
    assert.equal(shop.present(stage.context).description, '0 of 1 up');
  });

  it('shows containers by their service, with a number if there are several', () => {
    const shop = group(
      container('a', { name: 'shop-web-10', labels: inProject('shop', 'web', 10) }),
      container('b', { name: 'shop-web-2', labels: inProject('shop', 'web', 2) }),
      container('c', { name: 'shop-db-1', labels: inProject('shop', 'db', 1) }),
    );
    assert.deepEqual(stage.labels(shop.children), ['db', 'web']);
    assert.deepEqual(stage.labels(shop.children[1]?.children), ['web-2', 'web-10']);
  });

  it('shows container names if the service is ambiguous', () => {
    const oneOff = { ...inProject('shop', 'web', 1), 'com.docker.compose.oneoff': 'True' };
    const shop = group(
      container('a', { name: 'shop-web-1', labels: inProject('shop', 'web', 1) }),
      container('b', { name: 'old_shop-web-1', labels: inProject('shop', 'web', 1) }),
      container('c', { name: 'shop-web-run-1', labels: oneOff }),
      container('d', { name: 'shop-nameless', labels: inProject('shop') }),
    );
    assert.deepEqual(stage.labels(shop.children), ['shop-nameless', 'shop-web-run-1', 'web']);
    assert.deepEqual(stage.labels(shop.children[2]?.children), ['old_shop-web-1', 'shop-web-1']);
  });

  it('does not count a one-off container as a replica of its service', () => {
    const oneOff = { ...inProject('shop', 'web', 1), 'com.docker.compose.oneoff': 'True' };
    const shop = group(
      container('a', { name: 'shop-web-1', labels: inProject('shop', 'web', 1) }),
      container('b', { name: 'shop-web-run-1', labels: oneOff }),
    );
    assert.deepEqual(stage.labels(shop.children), ['shop-web-run-1', 'web']);
  });

  it('includes the container name in the label for screen readers', () => {
    const shop = group(container('a', { name: 'shop-db-1', labels: inProject('shop', 'db', 1) }));
    const [db] = shop.children;
    assert.equal(
      db?.present(stage.context).accessibilityLabel,
      'Container shop-db-1, running 5 min',
    );
  });

  it('does not exist for an empty project label', () => {
    stage.show([container('a', { labels: inProject('') })]);
    assert.deepEqual(stage.labels(stage.containerRows().roots), ['a']);
  });
});
