import assert from 'node:assert/strict';
import type { Container } from '../../../src/engine/model.ts';
import type { Look } from '../../../src/views/look.ts';
import { ContainerNode, GroupNode, TreeNode } from '../../../src/views/nodes.ts';
import { container, idOf } from '../inventory/support/nouns.ts';
import { inProject, Stage } from './support/stage.ts';

const published = { privatePort: 80, publicPort: 8080, protocol: 'tcp', ip: '0.0.0.0' };

/** What each state looks like: fields of the engine's record, description, icon, context value. */
const conditions: readonly (readonly [
  name: string,
  fields: Partial<Container>,
  words: string,
  icon: string,
  contextValue: string,
])[] = [
  ['running', {}, 'Up 5 minutes', 'circle-filled', 'container.running'],
  [
    'healthy',
    { status: 'Up 5 minutes (healthy)', health: 'healthy' },
    'healthy · Up 5 minutes',
    'pass-filled',
    'container.running',
  ],
  [
    'starting',
    { status: 'Up 3 seconds (health: starting)', health: 'starting' },
    'starting · Up 3 seconds',
    'pulse',
    'container.running',
  ],
  [
    'unhealthy',
    { status: 'Up 2 hours (unhealthy)', health: 'unhealthy' },
    'unhealthy · Up 2 hours',
    'warning',
    'container.running',
  ],
  [
    'paused',
    { state: 'paused', status: 'Up 5 minutes (Paused)' },
    'Paused · Up 5 minutes',
    'debug-pause',
    'container.paused',
  ],
  [
    'restarting',
    { state: 'restarting', status: 'Restarting (1) 4 seconds ago', exitCode: 1 },
    'Restarting (1) 4 seconds ago',
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
    'Exited (0) 2 hours ago',
    'debug-stop',
    'container.exited',
  ],
  [
    'exited otherwise',
    { state: 'exited', status: 'Exited (1) 2 hours ago', exitCode: 1 },
    'Exited (1) 2 hours ago',
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
      assert.equal(look.icon.id, icon);
      assert.equal(look.contextValue, contextValue);
    });
  }

  it('looks different in every state by shape and by word, not by colour alone', () => {
    const looks = conditions.map(([, fields]) => stage.look(container('a', fields)));
    const differing = (key: (look: Look) => string): number => new Set(looks.map(key)).size;
    assert.equal(
      differing((look) => look.icon.id),
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
    assert.equal(busy.icon.id, 'loading~spin');
    assert.equal(busy.contextValue, 'container.running');
    assert.equal(busy.age, undefined, 'its words do not change with time');
    stopping.dispose();
    assert.equal(stage.look(container('a')).description, 'Up 5 minutes · web:1');
  });

  it('advances its age with time', () => {
    stage.show([container('a')]);
    const node = stage.containerRows().find(idOf('a'));
    stage.clock.pass(60_000);
    assert.equal(node?.look(stage.scene).description, 'Up 6 minutes · web:1');
    assert.ok(node.look(stage.scene).age);
  });

  it('does without what the engine did not tell', () => {
    const odd = { status: '', image: '', createdAt: '', command: '' };
    assert.equal(stage.look(container('a', odd)).description, 'Up');
    const exited = container('a', { ...odd, state: 'exited' });
    assert.equal(stage.look(exited).description, 'Exited');
    assert.equal(stage.look(exited).icon.id, 'debug-stop', 'nothing says that it failed');
    const unknown = container('a', { ...odd, state: 'unknown' });
    assert.equal(stage.look(unknown).description, 'Unknown state');
  });

  it('shows its published ports between state and image, and that TCP is among them', () => {
    const look = stage.look(container('a', { ports: [published] }));
    assert.equal(look.description, 'Up 5 minutes · 8080→80 · web:1');
    assert.equal(look.contextValue, 'container.running.published');
  });

  it('does not count a port that is not published, or not TCP, as one for a browser', () => {
    const inner = { privatePort: 443, protocol: 'tcp' };
    const dns = { privatePort: 53, publicPort: 53, protocol: 'udp' };
    const look = stage.look(container('a', { ports: [inner, dns] }));
    assert.equal(look.description, 'Up 5 minutes · 53→53/udp · web:1');
    assert.equal(look.contextValue, 'container.running');
  });

  it('names each mapping once and says how many more there are', () => {
    const second = { ...published, ip: '127.0.0.1' };
    const more = [81, 82, 83].map((port) => ({ ...published, privatePort: port }));
    const look = stage.look(container('a', { ports: [published, second, ...more] }));
    assert.equal(look.description, 'Up 5 minutes · 8080→80, 8080→81, 8080→82 +1 · web:1');
  });

  it('shows in short an image that is only known by its id any more', () => {
    const look = stage.look(container('a', { image: `sha256:${idOf('b')}` }));
    assert.equal(look.description, 'Up 5 minutes · bbbbbbbbbbbb');
  });

  it('shortens a long name in the middle, but says it whole to a screen reader and when pointed at', () => {
    const name = 'somebody-elses-rather-long-project-worker-7';
    const node = new ContainerNode('default', container('a', { name }), true);
    const look = node.look(stage.scene);
    assert.equal(look.label, 'somebody-e…-worker-7');
    assert.ok(look.accessibilityLabel.startsWith(`${name}, `));
    assert.equal(stage.tooltip(node)['Name'], name);
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
        State: 'Up 5 minutes',
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
    assert.equal(stage.look(container('a', { image })).description, 'Up 5 minutes · evil image');
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

  const group = (...containers: readonly Container[]): GroupNode => {
    stage.show(containers);
    const [first] = stage.containerRows().roots;
    assert.ok(first instanceof GroupNode);
    return first;
  };

  it('is a row of its own that says how many of its containers are up', () => {
    const shop = group(
      container('a', { labels: inProject('shop', 'web') }),
      container('b', { labels: inProject('shop', 'job'), state: 'exited', exitCode: 0 }),
    );
    const look = shop.look(stage.scene);
    assert.equal(look.label, 'shop');
    assert.equal(look.description, '1 of 2 up');
    assert.equal(look.contextValue, 'project');
    assert.equal(look.icon.id, 'layers-active');
    assert.equal(shop.id, 'default/project/shop');
    assert.deepEqual(
      shop.children.map((one) => one.parent),
      [shop, shop],
    );
  });

  it('looks down when all of its containers are', () => {
    const exited = { state: 'exited', exitCode: 0 } as const;
    const shop = group(container('a', { labels: inProject('shop', 'web'), ...exited }));
    assert.equal(shop.look(stage.scene).icon.id, 'layers');
    assert.equal(shop.look(stage.scene).description, '0 of 1 up');
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
    assert.equal(db?.look(stage.scene).accessibilityLabel, 'shop-db-1, Up 5 minutes, web:1');
  });

  it('is none where the label is empty', () => {
    stage.show([container('a', { labels: inProject('') })]);
    assert.deepEqual(stage.labels(stage.containerRows().roots), ['a']);
  });
});
