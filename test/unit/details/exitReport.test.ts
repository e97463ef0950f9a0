import assert from 'node:assert/strict';
import '../support/fakeEditor.ts';
import { Emitter } from '../../../src/base/lifetime.ts';
import { DetailsSession } from '../../../src/details/detailsSession.ts';
import { KeptExits } from '../../../src/details/keptExits.ts';
import type { DetailsContent, ToHost, ToPage } from '../../../src/details/protocol.ts';
import type { EngineEvent } from '../../../src/engine/model.ts';
import type { Reading } from '../../../src/statistics/reading.ts';
import { until } from '../../bed/until.ts';
import { container, idOf } from '../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../support/commandLab.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { json, type Answer } from '../support/fakeEngine.ts';
import { settle } from '../support/lab.ts';

const ID = idOf('a');
const STARTED = '2026-08-01T10:00:00Z';
const ENDED = '2026-08-01T10:00:05Z';
const MEBIBYTE = 1024 * 1024;

describe('why a container died, in its details', () => {
  let lab: CommandLab;
  let session: DetailsSession;
  let told: ToPage[];
  let clock: FakeClock;
  let exits: KeptExits;
  let state: Record<string, unknown>;
  let isGone: boolean;
  let isVisible: boolean;
  let log: string | undefined;
  let limit: number;
  let restarts: number;
  let readings: readonly Reading[];
  let viewed: unknown[];
  let messages: Emitter<unknown>;
  let visibility: Emitter<unknown>;

  beforeEach(async () => {
    told = [];
    clock = new FakeClock();
    exits = new KeptExits();
    state = ended(3);
    isGone = false;
    isVisible = true;
    log = 'one\ntwo\n';
    limit = 0;
    restarts = 0;
    readings = [];
    viewed = [];
    messages = new Emitter();
    visibility = new Emitter();
    const answer: Answer = ({ path }, response) => {
      if (isGone || path.startsWith('/images/')) json(response, 404, { message: 'no' });
      else if (path.endsWith('/top')) json(response, 200, { Titles: [], Processes: [] });
      else if (path.endsWith('/logs') && log !== undefined) response.end(log);
      else if (path.endsWith('/logs')) json(response, 500, { message: 'no log' });
      else
        json(response, 200, {
          ...{ Id: ID, Name: '/web', State: state, RestartCount: restarts },
          HostConfig: { Memory: limit },
          Config: { Tty: true },
        });
    };
    lab = await openCommandLab(answer, {
      openViewer: (...call) => Promise.resolve({ title: `Logs ${viewed.push(call)}` }),
    });
    list({});
  });
  afterEach(async () => {
    session.dispose();
    await lab.close();
  });

  const ended = (ExitCode: number, fields: object = {}) => ({
    ...{ Status: 'exited', Running: false, StartedAt: STARTED, FinishedAt: ENDED, ExitCode },
    ...fields,
  });
  const list = (fields: object): void => lab.list([container('a', { name: 'web', ...fields })]);
  const see = (action: string, fields: Partial<EngineEvent> = {}): void =>
    lab.context.inventory.recordEvent({ type: 'container', action, id: ID, ...fields });
  const tell = (message: ToHost): void => messages.fire(message);
  const open = (): void => {
    const page = {
      get isVisible() {
        return isVisible;
      },
      onMessage: messages.event,
      onDidChangeVisibility: visibility.event,
      post: (message: ToPage) => told.push(message),
    };
    session = new DetailsSession(lab.context, page, {
      target: { kind: 'container', id: ID, name: 'web' },
      ...{ isPinned: false, clock, exits },
      readingsOf: () => readings,
      onTitle: () => undefined,
      run: () => Promise.resolve(),
    });
    tell({ type: 'ready' });
  };
  const contents = (): readonly DetailsContent[] =>
    told.flatMap((one) => (one.type === 'content' ? [one.content] : []));
  const last = (): DetailsContent => contents().at(-1) ?? assert.fail('no content');
  const section = () => last().sections.find(({ id }) => id === 'exit');
  const row = (label: string) => section()?.rows.find((one) => one.label === label);
  const isLoaded = () => until(() => last().head !== undefined, 'the details');
  const hasLines = () => until(() => row('Last lines')?.block !== undefined, 'the last lines');
  const refresh = async (is: () => boolean): Promise<void> => {
    tell({ type: 'refresh' });
    clock.pass(300);
    await until(is, 'what has changed');
  };
  const count = (end: string): number =>
    lab.engine.seen.filter(({ path }) => path.endsWith(end)).length;

  it('is the exit in words, the last lines and the events, after one inspect and one log', async () => {
    see('start');
    see('die', { exitCode: 3 });
    open();
    await hasLines();
    assert.equal(section()?.title, 'Why did it die?');
    assert.equal(row('Exit')?.value, 'Exited with code 3.');
    assert.equal(row('Last lines')?.block, 'one\ntwo');
    assert.match(row('Events')?.block ?? '', /started\n.* {2}exited with code 3$/);
    assert.deepEqual([count('/json'), count('/logs')], [1, 1]);
    await refresh(() => count('/json') === 2);
    await settle();
    // The log of an exit does not change.
    assert.equal(count('/logs'), 1);
    assert.equal(row('Last lines')?.block, 'one\ntwo');
    state = ended(4, { FinishedAt: '2026-08-01T11:00:00Z' });
    await refresh(() => count('/logs') === 2);
  });

  it('is not told of what ended well, or of what a client ended', async () => {
    for (const [code, stopped, verb] of [
      [0, false, undefined],
      [143, true, undefined],
      [137, false, 'killing'],
    ] as const) {
      state = ended(code);
      list({});
      see('start');
      if (stopped) lab.inventory.recordStop(ID);
      const act = verb && lab.context.activity.begin(ID, verb);
      see('die', { exitCode: code });
      act?.dispose();
      list({ state: 'exited', exitCode: code });
      open();
      await isLoaded();
      await settle();
      assert.equal(section(), undefined, String(code));
      if (verb) assert.match(last().head?.sentence ?? '', /^Stopped on .* 137 \(SIGKILL\)\.$/);
      session.dispose();
      told = [];
    }
    assert.equal(count('/logs'), 0);
  });

  it('asks for nothing while the page is hidden', async () => {
    isVisible = false;
    open();
    see('die', { exitCode: 3 });
    list({ state: 'exited', exitCode: 3 });
    clock.pass(60_000);
    await settle();
    assert.equal(lab.engine.seen.length, 0);
  });

  it('is a lack of memory, with what was used before it', async () => {
    limit = 64 * MEBIBYTE;
    state = ended(137, { OOMKilled: true });
    see('start');
    see('oom');
    see('die', { exitCode: 137 });
    const at = lab.context.unit.events.eventsOf(ID).at(-1)?.at ?? 0;
    readings = [reading(at - 4000, 0), reading(at, 61 * MEBIBYTE), reading(at + 1, 7)];
    open();
    await hasLines();
    assert.equal(row('Exit')?.value, 'Killed: out of memory at its limit of 64 MiB.');
    assert.equal(row('Memory before it')?.value, '61 MiB of 64 MiB (95%)');
    assert.equal(row('Memory before it')?.note, '0 s before the exit');
    // The engine may say so of a process that is not the main one.
    state = ended(1, { OOMKilled: true });
    await refresh(() => row('Exit')?.value === 'Exited with code 1.');
    assert.equal(row('Out of memory')?.value, 'A process in the container was killed.');
    isGone = true;
    lab.list([]);
    exits = new KeptExits();
    session.dispose();
    told = [];
    open();
    await until(() => section() !== undefined, 'the section');
    assert.equal(last().head?.sentence, 'Killed: out of memory at its limit of 64 MiB.');
    limit = 0;
  });

  it('is no lack of memory if a client killed it, whatever was killed in it before', async () => {
    state = ended(137, { OOMKilled: true });
    see('start');
    see('oom');
    see('kill', { signal: '9' });
    see('die', { exitCode: 137 });
    open();
    await until(() => last().head !== undefined, 'the head');
    assert.doesNotMatch(last().head?.sentence ?? '', /memory/);
    assert.notEqual(row('Exit')?.value, 'Killed: out of memory.');
  });

  it('is no question for a container that survived the kill of a process, which its state names', async () => {
    state = { Status: 'running', Running: true, StartedAt: STARTED, OOMKilled: true };
    see('start');
    see('oom');
    open();
    await isLoaded();
    await settle();
    assert.equal(section(), undefined);
    const rows = last().sections.find(({ id }) => id === 'state')?.rows ?? [];
    const { value } = rows.find(({ label }) => label === 'Out of memory') ?? assert.fail('no row');
    assert.equal(value, 'A process in the container was killed.');
  });

  it('is a signal that a client sent, by its number or name', async () => {
    for (const [signal, isSent] of [
      ['9', true],
      ['KILL', true],
      ['SIGKILL', true],
      ['15', false],
    ] as const) {
      state = ended(137);
      for (const action of ['start', 'kill', 'die']) see(action, { signal, exitCode: 137 });
      open();
      await hasLines();
      const note = row('Exit')?.note ?? '';
      assert.equal(note === 'A client sent this signal.', isSent, signal);
      assert.notEqual(note, '');
      session.dispose();
      told = [];
    }
  });

  it('has the last health check of the run that ended', async () => {
    const Log = [1, 2].map((ExitCode) => ({ Start: STARTED, ExitCode, Output: `no ${ExitCode}` }));
    state = ended(3, { Health: { Status: 'unhealthy', Log } });
    open();
    await hasLines();
    const { value, block } = row('Last health check') ?? assert.fail('no row');
    assert.deepEqual([value, block], ['failed with exit code 2', 'no 2']);
    restarts = 2;
    state = { ...state, Status: 'running', Running: true };
    see('die', { exitCode: 3 });
    await refresh(() => row('Exit')?.note === 'It was started again.');
    assert.equal(row('Last health check'), undefined);
  });

  it('is told of a loop while it runs again, and not of one that was restarted by a client', async () => {
    restarts = 2;
    state = { Status: 'running', Running: true, StartedAt: STARTED, ExitCode: 0 };
    see('start');
    see('die', { exitCode: 3 });
    see('start');
    open();
    await hasLines();
    assert.equal(row('Exit')?.value, 'Exited with code 3.');
    see('kill', { signal: '15' });
    see('die', { exitCode: 4 });
    see('start');
    await refresh(() => section() === undefined);
    restarts = 0;
    see('die', { exitCode: 5 });
    await refresh(() => count('/json') === 3);
    await settle();
    assert.equal(section(), undefined);
  });

  it('says what has changed since the last good run, and what is unknown of it', async () => {
    list({ health: 'healthy', command: 'serve --password=hunter2' });
    list({ state: 'exited', exitCode: 0 });
    list({ health: 'healthy', command: 'serve \u202efast' });
    list({ state: 'exited', exitCode: 3 });
    open();
    await hasLines();
    const { value, note } = row('Changed: Command') ?? assert.fail('no row');
    assert.deepEqual([value, note], ['serve fast', '•••••• before']);
    assert.equal(row('Changed: Environment')?.value, 'unknown');
    assert.equal(row('Changed: Limits')?.value, 'unknown');
    assert.doesNotMatch(JSON.stringify(told), /hunter2/);
  });

  it('is kept for a container that is gone, with its log', async () => {
    see('start');
    see('die', { exitCode: 3 });
    list({ state: 'exited', exitCode: 3 });
    open();
    await hasLines();
    session.dispose();
    told = [];
    isGone = true;
    see('destroy');
    lab.list([]);
    open();
    await hasLines();
    assert.equal(last().notice, 'web no longer exists.');
    assert.equal(last().head?.sentence, 'Exited with code 3.');
    assert.equal(row('Last lines')?.isLink, undefined);
    assert.equal(row('Last lines')?.block, 'one\ntwo');
  });

  it('is told from the events of one that removed itself, unless a client ended it', async () => {
    state = { Status: 'running', Running: true, StartedAt: STARTED };
    see('start');
    open();
    await isLoaded();
    isGone = true;
    see('die', { exitCode: 9 });
    see('destroy');
    lab.list([]);
    clock.pass(300);
    await until(() => section() !== undefined, 'the section');
    assert.equal(last().head?.sentence, 'Exited with code 9.');
    assert.equal(row('Last lines')?.value, 'unknown');
    session.dispose();
    see('stop');
    told = [];
    open();
    await until(() => last().notice === 'web no longer exists.', 'the notice');
    assert.deepEqual(last().sections, []);
  });

  it('leads to the log at the time of the exit, also while it runs again', async () => {
    const showLog = async (): Promise<void> => {
      const { key } = row('Last lines') ?? assert.fail('no row');
      const before = viewed.length;
      tell({ type: 'follow', key });
      await until(() => viewed.length > before, 'the log is opened');
    };
    open();
    await hasLines();
    await showLog();
    restarts = 1;
    state = { ...state, Status: 'running', Running: true };
    see('die', { exitCode: 3 });
    await refresh(() => row('Exit')?.note === 'It was started again.');
    await showLog();
    const call = [{ ids: [ID] }, ['web'], Date.parse(ENDED)];
    assert.deepEqual(viewed, [call, call]);
    // An engine that does not say when it ended.
    state = { ...ended(4), FinishedAt: '' };
    await refresh(() => row('Exit')?.value === 'Exited with code 4.');
    await showLog();
    assert.deepEqual(viewed.at(-1), [{ ids: [ID] }, ['web'], undefined]);
  });

  it('offers the log also if it cannot be read here, and shapes and bounds what it shows', async () => {
    log = undefined;
    open();
    await until(() => section() !== undefined, 'the section');
    await settle();
    const { isLink, value, block } = row('Last lines') ?? assert.fail('no row');
    assert.deepEqual([isLink, value, block], [true, 'Show Logs', undefined]);
    assert.equal(row('Since its last good run')?.value, 'unknown');
    session.dispose();
    log = `\u001b[31m${'x'.repeat(5000)}\u202e\n`.repeat(60);
    for (let time = 0; time < 60; time += 1) see('kill', { signal: `\u202e${'9'.repeat(5000)}` });
    see('die', { exitCode: 3 });
    open();
    await hasLines();
    const shown = row('Last lines')?.block ?? '';
    assert.equal(shown.split('\n').length, 20);
    for (const odd of ['\u001b', '\u202e']) assert.ok(!shown.includes(odd));
    assert.ok(JSON.stringify(section()).length < 30_000);
    assert.doesNotMatch(JSON.stringify(section()), /\u202e/);
  });
});

function reading(at: number, memoryBytes: number): Reading {
  return {
    ...{ at, memoryBytes, cpuPercent: undefined, memoryLimitBytes: undefined },
    ...{ networkReceived: 0, networkSent: 0, blockRead: 0, blockWritten: 0, pids: 1 },
  };
}
