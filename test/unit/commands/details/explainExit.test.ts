import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { explainExitCommand } from '../../../../src/commands/details/explainExitCommand.ts';
import { tellExit, type ToldExit } from '../../../../src/commands/details/tellExit.ts';
import type { EngineEvent } from '../../../../src/engine/model.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

const ID = idOf('a');
const STARTED = '2026-08-01T10:00:00Z';

describe('gantry.containers.explainExit', () => {
  let lab: CommandLab;
  let state: object;
  let isGone: boolean;
  let limit: number;
  let restarts: number;
  let log: string;

  beforeEach(async () => {
    state = { Status: 'exited', Running: false, StartedAt: STARTED, ExitCode: 137 };
    isGone = false;
    limit = 64;
    restarts = 0;
    log = '';
    lab = await openCommandLab(({ path }, response) => {
      if (isGone) json(response, 404, { message: 'no' });
      else if (path.endsWith('/logs')) response.end(log);
      else
        json(response, 200, {
          ...{ Id: ID, Name: '/web', State: state, RestartCount: restarts },
          HostConfig: { Memory: limit },
          Config: { Tty: true },
        });
    });
  });
  afterEach(() => lab.close());

  const explain = (id = ID) => lab.call(explainExitCommand(), { id }) as Promise<ToldExit>;
  const list = (fields: object): void => lab.list([container('a', { name: 'web', ...fields })]);
  const see = (action: string, fields: Partial<EngineEvent> = {}): void =>
    lab.context.inventory.recordEvent({ type: 'container', action, id: ID, ...fields });

  it('says what the engine recorded of the exit', async () => {
    const Log = [
      { Start: STARTED, End: '2026-08-01T10:00:01Z', ExitCode: 1, Output: '\u001b[1mno' },
    ];
    state = { ...state, OOMKilled: true, Health: { Status: 'unhealthy', Log } };
    log = 'one\n\n\u001b[31mtwo\u202e\r\n';
    const probe = {
      startedAt: '2026-08-01T10:00:00.000Z',
      durationMs: 1000,
      exitCode: 1,
      output: 'no',
    };
    assert.deepEqual(await explain(), {
      ...{ exitCode: 137, signal: 'SIGKILL', oomKilled: true },
      ...{ lastLines: ['one', 'two'], probes: [probe], changed: [] },
    });
  });

  it('returns at most 20 lines of the log, and shortens them', async () => {
    log = `${'x'.repeat(5000)}\n`.repeat(60);
    const { lastLines } = await explain();
    assert.equal(lastLines.length, 20);
    assert(lastLines.every((line) => line.length <= 1001));
  });

  it('takes only a kill for an exit without memory', async () => {
    for (const ExitCode of [1, 0, 143]) {
      state = { ...state, ExitCode, OOMKilled: true };
      assert.equal((await explain()).oomKilled, false, String(ExitCode));
    }
  });

  it('does not take a kill by a client for one for lack of memory, whatever was killed before', async () => {
    state = { ...state, OOMKilled: true };
    list({});
    see('start');
    see('oom');
    see('kill', { signal: '15' });
    see('kill', { signal: '9' });
    see('die', { exitCode: 137 });
    assert.equal((await explain()).oomKilled, false);
    see('start');
    see('kill', { signal: '15' });
    see('oom');
    see('die', { exitCode: 137 });
    assert.equal((await explain()).oomKilled, true);
  });

  it('says what has changed since the last good run', async () => {
    list({ health: 'healthy' });
    await explain();
    list({ state: 'exited', exitCode: 143 });
    list({ health: 'healthy' });
    see('update');
    limit = 16;
    list({ state: 'exited', exitCode: 137 });
    const changed = [{ what: 'memory', before: '64', after: '16' }];
    assert.deepEqual((await explain()).changed, changed);
  });

  it('tells the last exit of one that is running again from its events', async () => {
    state = { Status: 'running', Running: true, StartedAt: STARTED, ExitCode: 0 };
    list({});
    see('start');
    see('oom');
    see('die', { exitCode: 137 });
    see('start');
    const { exitCode, oomKilled } = await explain();
    assert.deepEqual([exitCode, oomKilled], [137, true]);
  });

  it('does not take a killed process for a container without memory', async () => {
    state = { Status: 'running', Running: true, StartedAt: STARTED };
    see('start');
    see('oom');
    see('die', { exitCode: 3 });
    see('start');
    assert.equal((await explain()).oomKilled, false);
  });

  it('does not know the code of a restart that no event told', async () => {
    state = { Status: 'running', Running: true, StartedAt: STARTED };
    restarts = 3;
    const { exitCode, signal } = await explain();
    assert.deepEqual([exitCode, signal], [-1, undefined]);
    see('die');
    assert.equal((await explain()).exitCode, -1);
  });

  it('tells of one that is gone what is kept, by its ID or name', async () => {
    list({});
    see('start');
    see('die', { exitCode: 3 });
    lab.list([]);
    isGone = true;
    for (const text of [ID, 'web']) {
      const { exitCode, lastLines, probes } = await explain(text);
      assert.deepEqual([exitCode, lastLines, probes], [3, [], []]);
    }
    await assert.rejects(explain('other'));
    await assert.rejects(explain(idOf('c')));
  });

  it('refuses a container that has not exited', async () => {
    state = { Status: 'running', Running: true, StartedAt: STARTED };
    await assert.rejects(explain(), /web has not exited yet\./);
    state = { Status: 'created', Running: false, StartedAt: '0001-01-01T00:00:00Z' };
    await assert.rejects(explain(), /web has not exited yet\./);
  });

  it('knows the events from the start of the last run until its end', async () => {
    for (const action of ['start', 'die', 'start', 'kill', 'die', 'start']) see(action);
    const connection = await lab.context.engine.connect();
    const { events, runs } = lab.context.unit;
    const known = { events, runs: await runs() };
    const story = await tellExit(ID, connection, known, new AbortController().signal);
    assert.deepEqual(
      story.events.map(({ action }) => action),
      ['start', 'kill', 'die'],
    );
  });
});
