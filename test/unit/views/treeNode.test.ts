import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/errors.ts';
import type { Container } from '../../../src/engine/model.ts';
import type { RowPresentation } from '../../../src/views/rowPresentation.ts';
import { ContainerNode, ProjectNode, TreeNode } from '../../../src/views/treeNode.ts';
import { container, idOf } from '../inventory/support/nouns.ts';
import { inProject, record, Stage } from './support/stage.ts';

const published = { privatePort: 80, publicPort: 8080, protocol: 'tcp', ip: '0.0.0.0' };

/** What each state looks like: fields of the engine's record, description, icon, context value. */
const conditions: readonly (readonly [
  name: string,
  fields: Partial<Container>,
  words: string,
  icon: string,
  contextValue: string,
])[] = [
  ['running', {}, 'Up 5 min', 'play-circle', 'container.running'],
  [
    'healthy',
    { status: 'Up 5 minutes (healthy)', health: 'healthy' },
    'healthy · Up 5 min',
    'pass-filled',
    'container.running',
  ],
  [
    'starting',
    { status: 'Up 3 seconds (health: starting)', health: 'starting' },
    'starting · Up 3 s',
    'pulse',
    'container.running',
  ],
  [
    'unhealthy',
    { status: 'Up 2 hours (unhealthy)', health: 'unhealthy' },
    'unhealthy · Up 2 h',
    'warning',
    'container.running',
  ],
  [
    'paused',
    { state: 'paused', status: 'Up 5 minutes (Paused)' },
    'Paused · Up 5 min',
    'debug-pause',
    'container.paused',
  ],
  [
    'restarting',
    { state: 'restarting', status: 'Restarting (1) 4 seconds ago', exitCode: 1 },
    'Restarting (1) 4 s ago',
    'debug-restart',
    'container.restarting',
  ],
  [
    'created',
    { state: 'created', status: 'Created' },
    'Created',
    'circle-outline',
    'container.created',
  ],
  [
    'exited 0',
    { state: 'exited', status: 'Exited (0) 2 hours ago', exitCode: 0 },
    'Exited (0) 2 h ago',
    'debug-stop',
    'container.exited',
  ],
  [
    'exited otherwise',
    { state: 'exited', status: 'Exited (1) 2 hours ago', exitCode: 1 },
    'Exited (1) 2 h ago',
    'error',
    'container.exited',
  ],
  [
    'removing',
    { state: 'removing', status: 'Removal In Progress' },
    'Removing',
    'trash',
    'container.removing',
  ],
  ['dead', { state: 'dead', status: 'Dead' }, 'Dead', 'circle-slash', 'container.dead'],
  [
    'a state nobody has heard of',
    { state: 'unknown', status: 'Hibernating' },
    'Hibernating',
    'question',
    'container.unknown',
  ],
];

describe('views/nodes: a container', () => {
  let stage: Stage;

  beforeEach(() => {
    stage = new Stage();
  });

  for (const [name, fields, words, icon, contextValue] of conditions) {
    it(`says that it is ${name}, first in its description and by its icon`, () => {
      const look = stage.look(container('a', fields));
      assert.equal(look.label, 'a');
      assert.equal(look.description, `${words} · web:1`);
      assert.equal(look.icon?.id, icon);
      assert.equal(look.contextValue, contextValue);
    });
  }

  it('looks different in every state by shape and by word, not by colour alone', () => {
    const looks = conditions.map(([, fields]) => stage.look(container('a', fields)));
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

  it('says no more that something is done to it once it is done, answer or not', () => {
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

  it('says what is being done to it, and nothing else of its state', () => {
    const stopping = stage.activity.begin(idOf('a'), 'stopping');
    const busy = stage.look(container('a'));
    assert.equal(busy.description, 'stopping… · web:1');
    assert.equal(busy.icon?.id, 'loading~spin');
    assert.equal(busy.contextValue, 'container.running');
    assert.equal(busy.age, undefined, 'its words do not change with time');
    stopping.dispose();
    assert.equal(stage.look(container('a')).description, 'Up 5 min · web:1');
  });

  it('advances its age with time', () => {
    stage.show([container('a')]);
    const node = stage.containerRows().find(idOf('a'));
    stage.clock.pass(60_000);
    assert.equal(node?.present(stage.scene).description, 'Up 6 min · web:1');
    assert.ok(node.present(stage.scene).age);
  });

  it('does without what the engine did not tell', () => {
    const odd = { status: '', image: '', createdAt: '', command: '' };
    assert.equal(stage.look(container('a', odd)).description, 'Up');
    const exited = container('a', { ...odd, state: 'exited' });
    assert.equal(stage.look(exited).description, 'Exited');
    assert.equal(stage.look(exited).icon?.id, 'debug-stop', 'nothing says that it failed');
    const unknown = container('a', { ...odd, state: 'unknown' });
    assert.equal(stage.look(unknown).description, 'Unknown state');
  });

  it('shows a published port behind the state, and that TCP is among them', () => {
    const look = stage.look(container('a', { ports: [published] }));
    assert.equal(look.description, 'Up 5 min · 8080→80');
    assert.equal(look.contextValue, 'container.running.published');
  });

  it('does not count a port that is not published, or not TCP, as one for a browser', () => {
    const inner = { privatePort: 443, protocol: 'tcp' };
    const dns = { privatePort: 53, publicPort: 53, protocol: 'udp' };
    const look = stage.look(container('a', { ports: [inner, dns] }));
    assert.equal(look.description, 'Up 5 min · 53→53/udp');
    assert.equal(look.contextValue, 'container.running');
  });

  it('names the first mapping and how many others there are', () => {
    const second = { ...published, ip: '127.0.0.1' };
    const more = [81, 82, 83].map((port) => ({ ...published, privatePort: port }));
    const look = stage.look(container('a', { ports: [published, second, ...more] }));
    assert.equal(look.description, 'Up 5 min · 8080→80 +3');
  });

  it('shows in short an image that is only known by its id any more', () => {
    const look = stage.look(container('a', { image: `sha256:${idOf('b')}` }));
    assert.equal(look.description, 'Up 5 min · bbbbbbbbbbbb');
  });

  it('leaves the cutting of a long name to the editor', () => {
    const name = 'somebody-elses-rather-long-project-worker-7';
    const node = new ContainerNode('default', container('a', { name }), true);
    assert.equal(node.present(stage.scene).label, name);
  });

  it('shows the last part of its image name, and none if its service says what it is', () => {
    const image = 'localhost:5000/team/web:1';
    assert.equal(stage.look(container('a', { image })).description, 'Up 5 min · web:1');
    const labels = inProject('shop', 'web');
    assert.equal(stage.look(container('a', { image, labels })).description, 'Up 5 min');
  });

  it('looks stopped, not failed, with the exit code of a stop or a kill', () => {
    for (const exitCode of [137, 143, 130]) {
      const look = stage.look(container('a', { state: 'exited', status: '', exitCode }));
      assert.equal(look.description, `Stopped (${exitCode}) · web:1`);
      assert.deepEqual(look.icon, { id: 'debug-stop', color: 'disabledForeground' });
    }
  });

  it('says that it was out of memory until it is up again', () => {
    const killed = container('a', { state: 'exited', status: '', exitCode: 137 });
    stage.show([killed]);
    const rows = stage.containerRows();
    const fired = record(stage, rows);
    const words = () => rows.find(killed.id)?.present(stage.scene).description;
    stage.inventory.noteOutOfMemory(killed.id);
    assert.deepEqual(fired, ['a']);
    assert.equal(words(), 'Out of memory (137) · web:1');
    assert.equal(rows.find(killed.id)?.present(stage.scene).icon?.id, 'error');
    stage.change(container('a'));
    stage.change(killed);
    assert.equal(words(), 'Stopped (137) · web:1');
  });

  it('is pale and grows no older while the engine is lost', () => {
    stage.show([container('a')]);
    const node = stage.containerRows().find(idOf('a'));
    const error = new EngineError('socketAbsent');
    stage.inventory.setPhase({ kind: 'lost', error, hadRows: true }, stage.clock.now());
    stage.clock.pass(600_000);
    const look = node?.present(stage.scene);
    assert.equal(look?.description, 'Up 5 min · web:1');
    assert.deepEqual(look.icon, { id: 'play-circle', color: 'disabledForeground' });
    assert.equal(look.age, undefined, 'its words do not change with time');
    const info = { product: 'docker', engineApi: '1.51', api: '1.44' } as const;
    stage.inventory.replaceImages([], { kind: 'live', info });
    assert.equal(node?.present(stage.scene).description, 'Up 15 min · web:1');
  });

  it('tells what people look for when pointed at', () => {
    const fields = { names: ['a', 'alias'], ports: [{ ...published, ip: '127.0.0.1' }] };
    stage.show([container('a', { ...fields, labels: inProject('shop', 'web', 1) })]);
    const tooltip = stage.tooltip(stage.containerRows().find(idOf('a')));
    assert.deepEqual(
      { ...tooltip, Created: '' },
      {
        Name: 'a',
        'Also named': 'alias',
        State: 'Up 5 min',
        Image: 'web:1',
        Command: 'sleep 9',
        Ports: '127.0.0.1:8080→80/tcp',
        Project: 'shop',
        Service: 'web',
        Created: '',
        Id: 'aaaaaaaaaaaa',
      },
    );
  });

  it('writes everything in one line without characters that are not seen', () => {
    const image = 'evil\nimage\u202E\u0007';
    assert.equal(stage.look(container('a', { image })).description, 'Up 5 min · evil image');
  });

  it('has an id without state, and is told from plain data by its class', () => {
    stage.show([container('a')]);
    const node = stage.containerRows().find(idOf('a'));
    assert.equal(node?.id, `default/container/${idOf('a')}`);
    assert.ok(node instanceof TreeNode);
    assert.equal(node.container.name, 'a');
  });
});

describe('views/nodes: a compose project', () => {
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

  it('is a row of its own that says how many of its containers are up', () => {
    const shop = group(
      container('a', { labels: inProject('shop', 'web') }),
      container('b', { labels: inProject('shop', 'job'), state: 'exited', exitCode: 0 }),
    );
    const look = shop.present(stage.scene);
    assert.equal(look.label, 'shop');
    assert.equal(look.description, '1 of 2 up');
    assert.equal(look.contextValue, 'project');
    assert.deepEqual(look.icon, { id: 'layers', color: 'charts.yellow' });
    assert.equal(shop.id, 'default/project/shop');
    assert.deepEqual(
      shop.children.map((one) => one.parent),
      [shop, shop],
    );
  });

  it('is green only if all of its containers are up, and warns if one of them needs a look', () => {
    const web = container('a', { labels: inProject('shop', 'web') });
    const job = container('b', { labels: inProject('shop', 'job') });
    const shop = group(web, job);
    const icon = () => shop.present(stage.scene).icon;
    assert.deepEqual(icon(), { id: 'layers-active', color: 'charts.green' });
    stage.change({ ...job, health: 'unhealthy', status: 'Up 5 minutes (unhealthy)' });
    assert.equal(icon()?.id, 'warning');
    stage.change({ ...job, state: 'restarting', status: 'Restarting (1) 1 second ago' });
    assert.equal(icon()?.id, 'warning');
    stage.change(job);
    assert.equal(icon()?.id, 'layers-active');
  });

  it('names the members that are not up, or not well, when pointed at', () => {
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

  it('looks down when all of its containers are', () => {
    const exited = { state: 'exited', exitCode: 0 } as const;
    const shop = group(container('a', { labels: inProject('shop', 'web'), ...exited }));
    assert.equal(shop.present(stage.scene).icon?.id, 'layers');
    assert.equal(shop.present(stage.scene).description, '0 of 1 up');
  });

  it('calls its containers by their service, with the number where there are several', () => {
    const shop = group(
      container('a', { name: 'shop-web-10', labels: inProject('shop', 'web', 10) }),
      container('b', { name: 'shop-web-2', labels: inProject('shop', 'web', 2) }),
      container('c', { name: 'shop-db-1', labels: inProject('shop', 'db', 1) }),
    );
    assert.deepEqual(stage.labels(shop.children), ['db', 'web-2', 'web-10']);
  });

  it('calls them by their own name where the service does not tell them apart', () => {
    const oneOff = { ...inProject('shop', 'web', 1), 'com.docker.compose.oneoff': 'True' };
    const shop = group(
      container('a', { name: 'shop-web-1', labels: inProject('shop', 'web', 1) }),
      container('b', { name: 'old_shop-web-1', labels: inProject('shop', 'web', 1) }),
      container('c', { name: 'shop-web-run-1', labels: oneOff }),
      container('d', { name: 'shop-nameless', labels: inProject('shop') }),
    );
    assert.deepEqual(stage.labels(shop.children), [
      'old_shop-web-1',
      'shop-nameless',
      'shop-web-1',
      'shop-web-run-1',
    ]);
  });

  it('does not count one that was run once beside a service as one of it', () => {
    const oneOff = { ...inProject('shop', 'web', 1), 'com.docker.compose.oneoff': 'True' };
    const shop = group(
      container('a', { name: 'shop-web-1', labels: inProject('shop', 'web', 1) }),
      container('b', { name: 'shop-web-run-1', labels: oneOff }),
    );
    assert.deepEqual(stage.labels(shop.children), ['shop-web-run-1', 'web']);
  });

  it('still names the container itself to a screen reader', () => {
    const shop = group(container('a', { name: 'shop-db-1', labels: inProject('shop', 'db', 1) }));
    const [db] = shop.children;
    assert.equal(db?.present(stage.scene).accessibilityLabel, 'shop-db-1, Up 5 min');
  });

  it('is none where the label is empty', () => {
    stage.show([container('a', { labels: inProject('') })]);
    assert.deepEqual(stage.labels(stage.containerRows().roots), ['a']);
  });
});
