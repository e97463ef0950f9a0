import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { CleanupSession } from '../../../src/cleanup/cleanupSession.ts';
import type { PageContent, ToHost, ToPage } from '../../../src/cleanup/protocol.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import type { Connection } from '../../../src/engine/http/connection.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import { until } from '../../bed/until.ts';
import {
  ANONYMOUS,
  openSystemLab,
  JOB,
  TAGGED,
  type SystemLab,
} from '../commands/system/systemLab.ts';
import { container, image, network } from '../inventory/support/nouns.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { settle } from '../support/lab.ts';

describe('CleanupSession', () => {
  let lab: SystemLab;
  let session: CleanupSession;
  let told: ToPage[];
  let clock: FakeClock;
  let isVisible: boolean;
  const messages = new Emitter<unknown>();
  const tell = (message: ToHost | object) => messages.fire(message);

  beforeEach(async () => {
    lab = await openSystemLab();
    told = [];
    clock = new FakeClock();
    isVisible = true;
    const page = {
      get isVisible() {
        return isVisible;
      },
      onMessage: messages.event,
      onDidChangeVisibility: new Emitter<unknown>().event,
      post: (message: ToPage) => told.push(message),
    };
    session = new CleanupSession(lab.context, page, { title: 'Clean Up', clock, only: undefined });
  });
  afterEach(async () => {
    session.dispose();
    await lab.close();
  });

  const contents = (): readonly PageContent[] =>
    told.flatMap((one) => (one.type === 'content' ? [one.content] : []));
  const last = (): PageContent => contents().at(-1) ?? assert.fail('no content');
  const named = (name: string) => last().items.find((one) => one.name === name);
  const seen = (name: string): string => named(name)?.seen ?? assert.fail(name);
  const change = (kind: string, id: string, fields: object): void => {
    lab.things.get(kind)?.set(id, { ...lab.things.get(kind)?.get(id), ...fields });
  };
  const settled = () =>
    until(() => {
      const content = contents().at(-1);
      return content?.isMeasuring === false && !content.isRemoving && content;
    }, 'the page is complete');
  const open = async () => {
    tell({ type: 'ready' });
    return settled();
  };

  it('shows the list before the sizes and the build cache', async () => {
    const { uses, items, problem } = await open();
    const [first] = told;
    assert(first?.type === 'init' && first.engine === lab.context.unit.id);
    const early = contents().find((one) => one.items.length > 0);
    assert.deepEqual([early?.isMeasuring, early?.uses], [true, []]);
    assert(!early?.items.some(({ kind }) => kind === 'buildCache'));
    assert.deepEqual([problem, uses[0]?.size], ['', 15_000]);
    assert.deepEqual(items.find(({ name }) => name === 'RUN x')?.size, 8);
  });

  it('removes what the page names, of what can be removed, and lists again', async () => {
    await open();
    tell({ type: 'remove', seen: [seen('free'), seen('data'), 'volumes free', 'no', 7] });
    await until(() => lab.ui.of('info').length > 0 && !named('free'), 'a removal');
    await settled();
    assert.deepEqual(lab.removals, ['/volumes/free']);
    assert.equal(lab.ui.of('info').at(-1)?.text, 'Removed 1 of 1 items. Reclaimed 50 B.');
    assert.deepEqual(lab.ui.of('error'), []);
  });

  it('keeps what has changed since the user confirmed', async () => {
    lab.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.51', server: 'Docker/28.5.2 (linux)' });
      response.end('OK');
    });
    await open();
    const confirmed = [seen('free'), seen('app:1')];
    change('volumes', 'free', { CreatedAt: '2026-03-03T03:03:03Z' });
    change('images', TAGGED, { RepoTags: ['app:1', 'app:prod'] });
    tell({ type: 'refresh' });
    await until(() => seen('free') !== confirmed[0], 'the change');
    tell({ type: 'remove', seen: confirmed });
    await until(() => lab.ui.of('warn').length > 0, 'the message');
    assert.deepEqual(lab.removals, []);
    assert.match(lab.ui.of('warn')[0]?.text ?? '', /^Removed 0 of 2 items\..*app:1: .*free: /);
  });

  it('forgets what has changed too often, and what was gone at a refresh', async () => {
    await open();
    const first = [seen('free'), seen(ANONYMOUS.slice(0, 12))];
    const anonymous = lab.things.get('volumes')?.get(ANONYMOUS);
    lab.things.get('volumes')?.delete(ANONYMOUS);
    for (let year = 2001; year <= 2010; year++) {
      change('volumes', 'free', { CreatedAt: `${year}-03-03T03:03:03Z` });
      tell({ type: 'refresh' });
      await until(() => named('free')?.seen.includes(`${year}`), 'the change');
    }
    change('volumes', ANONYMOUS, { ...anonymous, CreatedAt: '2026-03-03T03:03:03Z' });
    tell({ type: 'refresh' });
    await until(() => named(ANONYMOUS.slice(0, 12)), 'the return');
    tell({ type: 'remove', seen: first });
    tell({ type: 'remove', seen: [seen('free')] });
    await until(() => lab.ui.of('info').length > 0, 'the message');
    assert.deepEqual([lab.removals, lab.ui.of('warn')], [['/volumes/free'], []]);
  });

  it('stops after Cancel and reports what was removed', async () => {
    await open();
    lab.before = ({ method }) => {
      if (method === 'DELETE') lab.ui.cancel();
      return undefined;
    };
    tell({ type: 'remove', seen: [seen('free'), seen(ANONYMOUS.slice(0, 12))] });
    await until(() => lab.ui.of('info').length > 0, 'the message');
    await settled();
    assert.match(lab.ui.of('info').at(-1)?.text ?? '', /^Removed [01] of 2 items\./);
    assert(lab.removals.length <= 1);
    assert.deepEqual(lab.ui.of('error'), []);
  });

  it('finishes a removal after the page was closed, and then lists nothing', async () => {
    await open();
    let toldAtEnd: number | undefined;
    lab.before = ({ method }) => {
      if (method !== 'DELETE') return undefined;
      session.dispose();
      toldAtEnd = told.length;
      return undefined;
    };
    tell({ type: 'remove', seen: [seen('free')] });
    await until(() => lab.ui.of('info').length > 0, 'the message');
    await settle();
    assert.deepEqual(lab.removals, ['/volumes/free']);
    assert.equal(lab.engine.seen.at(-1)?.path, '/volumes/free');
    assert.equal(told.length, toldAtEnd);
  });

  it('remembers an exclusion, and undoes it', async () => {
    await open();
    tell({ type: 'exclude', key: `containers ${JOB}`, isOn: true });
    await until(() => named('job')?.isExcluded, 'the exclusion');
    assert.deepEqual([named('job')?.state, named('job')?.note], ['kept', 'excluded by you']);
    assert.equal(named('job:1')?.note, 'used by job');
    tell({ type: 'remove', seen: [seen('job')] });
    tell({ type: 'exclude', key: `containers ${JOB}`, isOn: false });
    await until(() => named('job')?.state === 'removable', 'the undo');
    assert.deepEqual(lab.removals, []);
  });

  it('shows what changes and what vanishes', async () => {
    await open();
    const job = container('2', { name: 'job', state: 'running' });
    lab.list([job], [image('b', { tags: ['app:1'] })]);
    lab.list([job], []);
    clock.pass(300);
    await until(() => named('job')?.state === 'kept', 'the start');
    assert.equal(named('job')?.note, 'running');
    assert.deepEqual([named('web')?.state, named('app:1')?.state], ['gone', 'gone']);
    tell({ type: 'refresh' });
    await until(() => named('web')?.state === 'kept', 'the new list');
  });

  it('copies the containers once for each post, and never while it is hidden', async () => {
    await open();
    const values = mock.method(lab.inventory.containers, 'values');
    const change = () => {
      for (const status of ['a', 'b', 'c'])
        lab.list([container('2', { name: 'job', state: 'running', status })]);
    };
    isVisible = false;
    change();
    clock.pass(300);
    assert.equal(values.mock.callCount(), 0);
    isVisible = true;
    tell({ type: 'ready' });
    assert.deepEqual([values.mock.callCount(), named('job')?.state], [1, 'kept']);
    change();
    clock.pass(300);
    assert.equal(values.mock.callCount(), 2);
  });

  it('keeps what it listed itself until the inventory has a newer list', async () => {
    lab.inventory.volumes.replace([]);
    lab.inventory.networks.replace([]);
    await open();
    const mounts = [{ type: 'volume', volume: 'kept', path: '/data', isReadOnly: false }];
    const job = container('2', { name: 'job', mounts });
    lab.inventory.replaceContainers([JOB], [job], Date.now());
    clock.pass(300);
    assert.equal(named('job')?.state, 'kept');
    const states = () => ['app:1', 'free', 'lonely'].map((name) => named(name)?.state);
    assert.deepEqual(states(), ['removable', 'removable', 'removable']);
    lab.inventory.networks.replace([network('5', { name: 'other' })]);
    clock.pass(300);
    assert.equal(named('other')?.state, 'removable');
    assert.deepEqual(states(), ['removable', 'removable', 'gone']);
  });

  it('reports that the engine is lost, and when it is there again', async () => {
    await open();
    const error = new EngineError('refused', { endpoint: 'unix:///x.sock' });
    const live = lab.inventory.phase;
    lab.inventory.setPhase({ kind: 'lost', error, hadRows: true });
    clock.pass(300);
    await until(() => !last().isConnected, 'the loss');
    assert.match(last().problem, /^This list may be out of date\. The container engine at /);
    lab.inventory.setPhase(live);
    clock.pass(300);
    await until(() => last().isConnected && last().problem === '', 'the return');
  });

  /** A refresh fails, and then the engine is lost and comes back. Returns the number of requests until then. */
  const failAndReturn = async (isShown: boolean): Promise<number> => {
    await open();
    lab.before = ({ path }) => (path === '/volumes' ? [500, 'no space left'] : undefined);
    tell({ type: 'refresh' });
    await until(() => last().problem !== '', 'the failure');
    await settled();
    lab.before = () => undefined;
    const { length } = lab.engine.seen;
    const live = lab.inventory.phase;
    const error = new EngineError('refused', { endpoint: 'unix:///x.sock' });
    isVisible = isShown;
    lab.inventory.setPhase({ kind: 'lost', error, hadRows: true });
    lab.inventory.setPhase(live);
    return length;
  };

  it('lists again when the engine is back, after that failed', async () => {
    await failAndReturn(true);
    await until(() => last().problem === '', 'the list');
    await settled();
  });

  it('lists again when the page is shown, after that failed and the engine came back', async () => {
    const length = await failAndReturn(false);
    await settle();
    assert.equal(lab.engine.seen.length, length);
    isVisible = true;
    tell({ type: 'ready' });
    await until(() => last().problem === '', 'the list');
    await settled();
  });

  it('starts over when another engine is in use', async () => {
    await open();
    const confirmed = [seen('free'), seen('app:1')];
    lab.things.get('cache')?.clear();
    lab.things.get('containers')?.delete(JOB);
    lab.inventory.clear(Date.now(), { kind: 'connecting' });
    assert.deepEqual([last().items, last().isLoading], [[], true]);
    await settled();
    assert.deepEqual([named('RUN x'), named('job')], [undefined, undefined]);
    assert.equal(named('web')?.state, 'kept');
    tell({ type: 'remove', seen: confirmed });
    tell({ type: 'remove', seen: [seen('free')] });
    await until(() => lab.ui.of('info').length > 0, 'the message');
    assert.deepEqual(lab.removals, ['/volumes/free']);
  });

  it('starts over again if the engine is replaced once more while it is connecting', async () => {
    await open();
    lab.inventory.clear(Date.now(), { kind: 'connecting' });
    await settled();
    assert.equal(named('job')?.state, 'removable');
    lab.things.get('containers')?.delete(JOB);
    lab.inventory.clear(Date.now(), { kind: 'connecting' });
    assert.deepEqual([last().items, last().isLoading], [[], true]);
    await settled();
    assert.equal(named('job'), undefined);
  });

  it('lists what another engine has only when the page is shown again', async () => {
    await open();
    const { length } = lab.engine.seen;
    lab.things.get('cache')?.clear();
    isVisible = false;
    lab.inventory.clear(Date.now(), { kind: 'connecting' });
    await settle();
    assert.equal(lab.engine.seen.length, length);
    isVisible = true;
    tell({ type: 'ready' });
    await until(() => last().uses.length > 0 && !named('RUN x'), 'the other engine');
  });

  it('removes nothing from an engine that came into use since', async () => {
    await open();
    const { engine } = lab.context;
    const connect = engine.connect.bind(engine);
    engine.connect = () => {
      engine.connect = connect;
      return Promise.resolve({ endpoint: { url: 'unix:///other.sock' } } as Connection);
    };
    tell({ type: 'remove', seen: [seen('free')] });
    await until(() => lab.ui.of('error').length > 0, 'the message');
    await settled();
    assert.deepEqual(lab.removals, []);
    assert.match(lab.ui.of('error')[0]?.text ?? '', /^Could not clean up\. .* is no longer in use/);
  });

  it('works without sizes, and explains why they are missing', async () => {
    lab.before = ({ path }) => (path === '/system/df' ? [500, 'already running'] : undefined);
    const { items, problem } = await open();
    assert(items.length > 5);
    assert.equal(problem, 'Could not calculate sizes: already running');
  });

  it('explains why nothing can be listed, and lists on Refresh', async () => {
    lab.before = ({ path }) => (path === '/volumes' ? [500, 'no space left'] : undefined);
    const { items, problem } = await open();
    assert.deepEqual(items, []);
    assert.equal(problem, 'Could not list unused data: no space left');
    lab.before = () => undefined;
    tell({ type: 'refresh' });
    assert.equal((await settled()).problem, '');
  });

  it('ends with its engine', async () => {
    await open();
    session.end();
    assert.deepEqual(
      [last().isConnected, last().problem],
      [false, 'The engine was removed from the settings.'],
    );
    const { length } = told;
    tell({ type: 'refresh' });
    tell({ type: 'remove', seen: [seen('free')] });
    assert.equal(told.length, length);
  });
});
