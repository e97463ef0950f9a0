import assert from 'node:assert/strict';
import { BuildTrace } from '../../../../src/builds/buildTrace.ts';
import type { ViewedBuild } from '../../../../src/builds/shownBuild.ts';
import type { BuildEvent } from '../../../../src/engine/builds/model.ts';
import { markerMessage, type LogSetSink } from '../../../../src/logs/follow/logMarker.ts';
import { BuildLog } from '../../../../src/logviewer/host/buildLog.ts';
import { output, step as reportedStep } from '../../commands/builds/buildLab.ts';

const MINUTE = 60_000;

function step(id: string, fields: Parameters<typeof reportedStep>[1] = {}): BuildEvent {
  return reportedStep(id, { state: 'running', ...fields });
}

describe('logviewer/session/BuildLog', () => {
  let written: string[];
  let log: BuildLog | undefined;
  beforeEach(() => {
    written = [];
  });
  afterEach(() => log?.dispose());

  const sink: LogSetSink = {
    lines: async (member, lines) => {
      // The next call must wait for this one.
      await Promise.resolve();
      for (const { source, timestamp, text } of lines)
        written.push(`${member} ${timestamp.slice(11, 19)} ${source} ${text}`);
    },
    marker: async (member, marker, at) => {
      await Promise.resolve();
      written.push(`${member} ${at.slice(11, 19)} - ${markerMessage(marker)}`);
    },
    caughtUp: () => written.push('caught up'),
  };

  function openLog(build: Partial<ViewedBuild> & Pick<ViewedBuild, 'replay'>): BuildLog {
    const shown = { ref: 'r', title: 'shop', isOver: true, ...build };
    return (log = new BuildLog(shown, sink, (error) => (error as Error).message));
  }

  function replayOf(...events: readonly BuildEvent[]): ViewedBuild['replay'] {
    return (onEvent) => {
      for (const event of events) onEvent(event);
      return Promise.resolve();
    };
  }

  const at = { startedAt: MINUTE, endedAt: 2 * MINUTE };

  it('shows the steps that wrote something, with their names, lines, and ends', async () => {
    const one = openLog({
      replay: replayOf(
        step('1', { state: 'waiting' }),
        step('2', { state: 'cached' }),
        step('1', { startedAt: MINUTE }),
        output('1', '\x1b[31mred\x1b[0m\nno en'),
        output('1', 'd', { stream: 'stderr' }),
        output('1', 'd', { time: MINUTE }),
        step('1', { state: 'done', ...at }),
        step('1', { state: 'done', ...at }),
      ),
    });
    await one.open();
    assert.deepEqual(written, [
      '0 00:01:00 - [build 1/2] RUN make',
      '0  stdout \x1b[31mred\x1b[0m',
      '0 00:02:00 stdout no end',
      '0 00:02:00 stderr d',
      '0 00:02:00 - DONE 1m 0s',
      'caught up',
    ]);
    assert.deepEqual(one.members, [{ index: 0, id: '1', name: 'build 1/2', isOver: true }]);
  });

  it('shows a step alone, and one that failed without output', async () => {
    const failed = step('2', { name: 'load', state: 'failed', error: 'not\nfound' });
    const events = [step('1'), output('1', 'other\n'), failed];
    await openLog({ step: { id: '2', name: '' }, replay: replayOf(...events) }).open();
    assert.deepEqual(written, ['0  - load', '0  - ERROR: not found', 'caught up']);
    assert.deepEqual(
      log?.members.map(({ name }) => name),
      ['#1'],
    );
  });

  it('follows a running build, whose end it does not wait for', async () => {
    let report: (event: BuildEvent) => void = () => undefined;
    const running = openLog({
      isOver: false,
      replay: (onEvent) => {
        report = onEvent;
        for (const event of [step('1'), output('1', 'before\n')]) onEvent(event);
        return new Promise(() => undefined);
      },
    });
    await running.open();
    let changes = 0;
    running.onDidChangeMembers(() => (changes += 1));
    report(output('1', 'after\n'));
    report(step('2'));
    report(output('2', 'other\n'));
    running.dispose();
    report(output('1', 'too late\n'));
    await new Promise(setImmediate);
    assert.equal(changes, 1);
    assert.deepEqual(written.slice(1), ['0  stdout before', 'caught up']);
  });

  it('shows why a build cannot be read', async () => {
    await openLog({ replay: () => Promise.reject(new Error('gone')) }).open();
    assert.match(
      written.join('\n'),
      /^0 [\d:]+ - Cannot continue reading the log: gone\ncaught up$/,
    );
  });

  it('takes a time that is none as no time', async () => {
    const times = [NaN, Infinity, 1e300, -1].map((time) => output('1', 'x\n', { time }));
    await openLog({ replay: replayOf(step('1'), ...times) }).open();
    assert.deepEqual(written.slice(1, -1), Array(4).fill('0  stdout x'));
  });

  it('repeats the trace of a build whole', async () => {
    const trace = new BuildTrace();
    const noise = 'x'.repeat(1024 * 1024 - 1);
    for (const event of [
      step('1'),
      ...[1, 2, 3, 4, 5].map(() => output('1', `${noise}\n`)),
      step('2'),
      output('2', 'sec'),
      output('2', 'ond\n'),
      step('1', { state: 'done' }),
    ])
      trace.add(event);
    await openLog({ replay: replayOf(...trace.replay()) }).open();
    const shown = written.map((text) => (text.length > 1000 ? 'noise' : text));
    assert.deepEqual(shown, [
      '0  - [build 1/2] RUN make',
      ...['noise', 'noise', 'noise'],
      '0  - DONE',
      '1  - [build 2/2] RUN make',
      '1  stdout second',
      'caught up',
    ]);
  });
});
