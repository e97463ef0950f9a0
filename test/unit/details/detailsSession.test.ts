import assert from 'node:assert/strict';
import '../support/fakeEditor.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import type { DetailsTarget } from '../../../src/commands/frame/detailsTarget.ts';
import { DetailsSession } from '../../../src/details/detailsSession.ts';
import { KeptExits } from '../../../src/details/keptExits.ts';
import type { DetailsContent, ToHost, ToPage } from '../../../src/details/protocol.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { MASK } from '../../../src/engine/options/secretDetection.ts';
import type { Container } from '../../../src/engine/model.ts';
import { until } from '../../bed/until.ts';
import { inspected } from '../engine/facts/recordedContainers.ts';
import { container } from '../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../support/commandLab.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { json } from '../support/fakeEngine.ts';
import { settle } from '../support/lab.ts';
import { give, pick } from '../support/scriptedUi.ts';

const RECORDED = inspected('docker28');
const ID = String(RECORDED.container['Id']);
const TOP = { Titles: ['PID', 'PPID', 'USER', 'COMMAND'], Processes: [['292', '1', 'root', 'sh']] };

/** The container as the list has it. */
function listed(fields: Partial<Container> = {}): Container {
  return container('a', { id: ID, name: 'recweb', ...fields });
}

describe('DetailsSession', () => {
  let lab: CommandLab;
  let session: DetailsSession;
  let told: ToPage[];
  let clock: FakeClock;
  let isVisible: boolean;
  let raw: Record<string, unknown> | undefined;
  let ran: unknown[];
  let messages: Emitter<unknown>;
  let visibility: Emitter<unknown>;
  let exits: KeptExits;

  const target: DetailsTarget = { kind: 'container', id: ID, name: 'recweb' };
  const start = (shown = target): void => {
    const page = {
      get isVisible() {
        return isVisible;
      },
      onMessage: messages.event,
      onDidChangeVisibility: visibility.event,
      post: (message: ToPage) => told.push(message),
    };
    session = new DetailsSession(lab.context, page, {
      target: shown,
      isPinned: false,
      clock,
      exits,
      onTitle: () => undefined,
      run: (...call) => Promise.resolve(ran.push(call)),
    });
  };
  const tell = (message: ToHost): void => messages.fire(message);

  beforeEach(async () => {
    told = [];
    ran = [];
    clock = new FakeClock();
    exits = new KeptExits();
    isVisible = true;
    raw = { ...RECORDED.container };
    messages = new Emitter();
    visibility = new Emitter();
    lab = await openCommandLab(({ path }, response) => {
      if (path.endsWith('/top')) json(response, 200, TOP);
      else if (path.startsWith('/images/'))
        json(response, 200, path.endsWith('/history') ? [] : RECORDED.image);
      else if (path.startsWith('/volumes/')) json(response, 200, RECORDED.volume);
      else if (path.startsWith('/networks/')) json(response, 200, RECORDED.network);
      else if (raw) json(response, 200, raw);
      else json(response, 404, { message: 'No such container' });
    });
    lab.list([listed()]);
  });
  afterEach(async () => {
    session.dispose();
    await lab.close();
  });

  const contents = (): readonly DetailsContent[] =>
    told.flatMap((one) => (one.type === 'content' ? [one.content] : []));
  const last = (): DetailsContent => contents().at(-1) ?? assert.fail('no content');
  const shown = () => until(() => (last().sections.length > 0 ? last() : undefined), 'the facts');
  const open = (): Promise<DetailsContent> => {
    start();
    tell({ type: 'ready' });
    return shown();
  };
  const count = (part: string): number =>
    lab.engine.seen.filter(({ path }) => path.includes(part)).length;
  const row = (label: string, section = '') =>
    last()
      .sections.filter(({ id }) => section === '' || id === section)
      .flatMap(({ rows }) => rows)
      .find((one) => one.label === label) ?? assert.fail(label);

  it('shows a container after one inspect of it and one of its image', async () => {
    const { head, title } = await open();
    assert.equal(title, 'recweb');
    assert.equal(head?.tone, 'warning');
    assert.equal(head.sentence, 'Unhealthy: the health check failed 3 times in a row.');
    assert.deepEqual([count('/json'), count('/images/')], [2, 1]);
    assert.equal(row('80/tcp').value, '0.0.0.0:32768');
    assert.equal(row('/data').value, 'recvol');
  });

  it('asks once for many changes of this container, and never for those of others or of the image', async () => {
    await open();
    const before = count('/containers/');
    for (const status of ['a', 'b', 'c']) {
      lab.list([listed({ names: ['recweb', status] }), container('b', { names: [status] })]);
    }
    await settle();
    clock.pass(300);
    await until(() => count('/containers/') > before, 'another inspect');
    await settle();
    clock.pass(3000);
    await settle();
    assert.equal(count(`/containers/${ID}/json`), 2);
    assert.equal(count('/images/'), 1);
    lab.list([listed({ names: ['recweb', 'c'] }), container('b', { state: 'exited' })]);
    clock.pass(3000);
    await settle();
    assert.equal(count(`/containers/${ID}/json`), 2);
  });

  it('asks after an event of what no list has, such as a health check with the same result', async () => {
    await open();
    const asked = () => count(`/containers/${ID}/json`);
    const see = (id: string, action: string): void => {
      lab.inventory.recordEvent({ type: 'container', action, id });
      clock.pass(300);
    };
    see('b'.repeat(64), 'health_status');
    see(ID, 'exec_create');
    await settle();
    assert.equal(asked(), 1);
    see(ID, 'health_status');
    await until(() => asked() === 2, 'another inspect');
  });

  it('sends nothing while it is hidden, and asks when it is shown again', async () => {
    await open();
    await until(() => count('/top') === 1, 'the processes');
    isVisible = false;
    visibility.fire(undefined);
    lab.list([listed({ names: ['recweb', 'new'] })]);
    await settle();
    clock.pass(60_000);
    await settle();
    assert.deepEqual([count(`/containers/${ID}/json`), count('/top')], [1, 1]);
    isVisible = true;
    visibility.fire(undefined);
    await until(() => count(`/containers/${ID}/json`) === 2 && count('/top') === 2, 'both again');
  });

  it('tells a page that is created again what the one before has got', async () => {
    await open();
    await until(() => told.some(({ type }) => type === 'processes'), 'the processes');
    told = [];
    tell({ type: 'ready' });
    assert.deepEqual(
      told.map(({ type }) => type),
      ['init', 'processes', 'content'],
    );
    assert.equal(count('/top'), 1);
  });

  it('says that it loads until something is known', () => {
    lab.inventory.setPhase({ kind: 'connecting' });
    start();
    tell({ type: 'ready' });
    assert.deepEqual([last().isLoading, last().title, last().notice], [true, 'recweb', '']);
    assert.equal(lab.engine.seen.length, 0);
  });

  it('lists the processes every 5 seconds while the container runs', async () => {
    await open();
    const lists = () => told.filter((one) => one.type === 'processes');
    await until(() => lists().length === 1, 'the processes');
    clock.pass(5000);
    await until(() => lists().length === 2, 'the processes again');
    const processes = lists().at(-1);
    assert(processes?.type === 'processes');
    // Docker tells no ID that is valid in the container.
    assert.equal(processes.processes?.[0]?.key, '');
    raw = { ...RECORDED.killed };
    lab.list([listed({ state: 'exited', exitCode: 137 })]);
    clock.pass(300);
    await until(() => row('Exit code').value === '137 (SIGKILL)', 'the exit');
    const before = count('/top');
    clock.pass(60_000);
    await settle();
    assert.equal(count('/top'), before);
    assert.deepEqual(lists().at(-1), { type: 'processes', processes: undefined, problem: '' });
  });

  it('keeps the last values of a container that is gone, and says so', async () => {
    await open();
    raw = undefined;
    lab.list([]);
    clock.pass(300);
    const notice = 'recweb no longer exists. These are its last values.';
    await until(() => last().notice === notice, 'the notice');
    assert.equal(row('/data').value, 'recvol');
  });

  it('leads to the container that has taken the name of one that is gone', async () => {
    await open();
    raw = undefined;
    const other = container('b', { name: 'recweb' });
    lab.list([other]);
    clock.pass(300);
    await until(() => last().sections[0]?.title === 'Replaced By', 'the other one');
    const opened: unknown[] = [];
    Object.assign(lab.context, {
      openDetails: (one: unknown) => Promise.resolve(opened.push(one)),
    });
    tell({ type: 'follow', key: row('Container', 'replaced').key });
    await settle();
    assert.deepEqual(opened, [{ kind: 'container', id: other.id, name: 'recweb' }]);
  });

  it('freezes with the words of the views while the engine is lost, and goes on after it', async () => {
    await open();
    lab.inventory.setPhase({ kind: 'lost', error: new EngineError('refused'), hadRows: true });
    await until(() => last().notice.startsWith('These values may be out of date. '), 'the notice');
    const before = count(`/containers/${ID}/json`);
    lab.list([listed()]);
    clock.pass(300);
    await until(() => count(`/containers/${ID}/json`) > before, 'another inspect');
    await until(() => last().notice === '', 'no notice');
  });

  it('sends a secret only when it is asked for, and copies it without', async () => {
    await open();
    const { key, value, isSecret } = row('DB_PASSWORD', 'environment');
    assert.deepEqual([value, isSecret], [MASK, true]);
    tell({ type: 'copy', key });
    await settle();
    assert.deepEqual(lab.ui.of('copy').at(-1)?.text, 'hunter2');
    assert.doesNotMatch(JSON.stringify(told), /hunter2/);
    tell({ type: 'reveal', key: row('A', 'environment').key });
    tell({ type: 'reveal', key: 'odd' });
    tell({ type: 'reveal', key });
    await settle();
    assert.deepEqual(
      told.filter((one) => one.type === 'revealed'),
      [{ type: 'revealed', key, value: 'hunter2' }],
    );
  });

  it('follows links by commands, and to the pages of other objects', async () => {
    const opened: unknown[] = [];
    Object.assign(lab.context, {
      openDetails: (one: unknown) => Promise.resolve(opened.push(one)),
    });
    await open();
    tell({ type: 'follow', key: row('80/tcp', 'ports').key });
    tell({ type: 'follow', key: row('/data').key });
    await settle();
    const argument = { id: ID, port: 32_768, engine: lab.context.unit.id };
    assert.deepEqual(ran, [['gantry.containers.openInBrowser', argument]]);
    assert.deepEqual(opened, [{ kind: 'volume', id: 'recvol', name: 'recvol' }]);
  });

  it('ends with the engine', async () => {
    await open();
    session.end();
    assert.equal(last().notice, 'The engine was removed from the settings.');
    const before = lab.engine.seen.length;
    tell({ type: 'refresh' });
    clock.pass(10_000);
    await settle();
    assert.equal(lab.engine.seen.length, before);
  });

  it('shows images, volumes and networks with what uses them', async () => {
    const mounts = [{ type: 'volume', volume: 'recvol', path: '/data', isReadOnly: false }];
    const imageId = String(RECORDED.image['Id']);
    lab.list([listed({ mounts, imageId })]);
    for (const [kind, id] of [
      ['image', imageId],
      ['volume', 'recvol'],
      ['network', String(RECORDED.network['Id'])],
    ] as const) {
      told = [];
      start({ kind, id, name: kind });
      tell({ type: 'ready' });
      const { sections, head } = await shown();
      if (kind !== 'network') {
        assert.equal(head?.sentence, 'Used by 1 container, 1 up.', kind);
        assert.equal(row('Container').value, 'recweb');
      } else assert.equal(row('Subnet').value, '172.18.0.0/16');
      assert.ok(sections.length > 1, kind);
      session.dispose();
    }
  });

  it('asks before it sends a signal, and sends it by kill in the container', async () => {
    await lab.close();
    const bodies: string[] = [];
    lab = await openCommandLab(({ path, method, body }, response) => {
      if (path.endsWith('/top'))
        json(response, 200, {
          Titles: ['PID', 'HPID', 'PPID', 'USER', 'COMMAND'],
          Processes: [['7', '99', '1', 'root', 'nginx']],
        });
      else if (path.startsWith('/images/')) json(response, 200, RECORDED.image);
      else if (method === 'POST') {
        bodies.push(body);
        json(response, 404, { message: 'no kill' });
      } else json(response, 200, RECORDED.container);
    });
    lab.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.4.0' });
      response.end('OK');
    });
    lab.list([listed()]);
    await open();
    const processes = await until(
      () => told.findLast((one) => one.type === 'processes'),
      'the processes',
    );
    assert.equal(processes.processes?.[0]?.key, '7');
    tell({ type: 'signal', key: '8' });
    lab.ui.act(pick('SIGTERM'));
    tell({ type: 'signal', key: '7' });
    await until(() => lab.ui.of('confirm').length === 1, 'the question');
    assert.deepEqual(bodies, []);
    lab.ui.act(pick('SIGTERM'), give('Send Signal'));
    tell({ type: 'signal', key: '7' });
    await until(() => lab.ui.of('error').length === 1, 'the refusal');
    const [error = assert.fail()] = lab.ui.of('error');
    assert.match(error.text, /recweb has no program kill, or does not run\.$/);
    const [body = assert.fail()] = bodies as readonly string[];
    const { Cmd, User } = JSON.parse(body) as { Cmd: unknown; User: unknown };
    assert.deepEqual([Cmd, User], [['kill', '-TERM', '7'], '0']);
  });
});
