import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { run } from '../kit/commands.ts';
import { raw, touch } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { assertShows, shown, textOf } from '../kit/output.ts';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { shownOf, TORTURE, tortureLines } from '../../../unit/support/torture.ts';

const exited = (status: number): string => `[The container exited with code ${status}.]\n`;
const MARK = '[stderr] ';
/** Twice the limit of the channel. */
const LINES = 2000;
/**
 * Long enough that the text written to keep only the newest lines is several times what VS Code keeps of a
 * channel.
 */
const WORDS = 'of a container that writes as fast as it can '.repeat(20);
const FLOOD = `seq 1 ${LINES} | sed 's/.*/line & ${WORDS}/'`;
const NUMBERS = Array.from({ length: LINES }, (_, index) => `line ${index + 1} ${WORDS}\n`);

/** Limits the lines of a channel; undefined resets the limit. */
async function keepLines(lines: number | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration('gantry.logs');
  await settings.update('outputLines', lines, vscode.ConfigurationTarget.Global);
}

/** Waits until a channel shows the number of omitted lines, the newest lines of the flood, and `end`. */
async function assertTrimmed(channel: string, end: string): Promise<void> {
  const whole = [...NUMBERS, end];
  const expectedOf = (text: string): string => {
    const left = Number(/^\[(\d+) older lines are not shown\./.exec(text)?.[1] ?? LINES);
    const head = `[${left} older lines are not shown. Use Open Log Viewer to see them.]\n`;
    return head + whole.slice(left).join('');
  };
  const text = await shown(channel, (now) => now === expectedOf(now) && now.endsWith(end));
  const kept = text.split('\n').length - 2;
  assert.ok(kept >= 750 && kept <= 1000, String(kept));
}

/** Describes the first different line of thousands. */
function firstOther(got: string, expected: string): string {
  const a = got.split('\n');
  const b = expected.split('\n');
  const at = b.findIndex((line, index) => a[index] !== line);
  return `line ${at} is ${JSON.stringify(a[at]?.slice(-100))}, not ${JSON.stringify(b[at]?.slice(-100))}`;
}

describe('logs in output channels', () => {
  const lab = useLab('logs');

  const open = async (id: string, options: object = {}): Promise<string> =>
    (await run('containers.logs', { id, ...options })).channel;

  it('show the torture log as readable text', async () => {
    const id = await lab.ended(['sh', '-c', TORTURE]);
    const channel = await open(id, { tail: 'all' });
    assert.ok(channel.endsWith(lab.name()), channel);
    const text = await shown(channel, (now) => now.endsWith(exited(0)));
    const lines = text.slice(0, -exited(0).length).match(/.*\n/g) ?? [];
    // Engines do not preserve the order between stdout and stderr.
    const of = (isError: boolean): string =>
      lines.filter((line) => line.startsWith(MARK) === isError).join('');
    const { stdout, stderr } = tortureLines({ tty: false, keepsText: bed().kind === 'docker' });
    const written = (all: readonly string[], mark = ''): string =>
      all.map((line) => `${mark}${shownOf(line)}\n`).join('');
    assert.equal(of(true), written(stderr, MARK));
    assert.ok(of(false) === written(stdout), firstOther(of(false), written(stdout)));
  });

  it('come to the front, and do not move the focus', async () => {
    const id = await lab.ended(['echo', 'hello']);
    const document = await vscode.workspace.openTextDocument({ content: 'mine' });
    await vscode.window.showTextDocument(document);
    const channel = await open(id);
    await shown(channel, (text) => text.startsWith('hello'));
    assert.equal(vscode.window.activeTextEditor?.document, document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('show new lines, and the exit code at the end', async () => {
    const script = 'echo one; until [ -f /go ]; do sleep 0.1; done; echo two; exit 4';
    const id = await lab.running('it', ['sh', '-c', script]);
    const channel = await open(id);
    await assertShows(channel, 'one\n');
    await touch(id, '/go');
    await assertShows(channel, `one\ntwo\n${exited(4)}`);
  });

  it('show no line twice if opened twice, even at the same time', async () => {
    const id = await lab.running('it', ['sh', '-c', 'echo one; sleep 1000']);
    const channels = await Promise.all([open(id), open(id), open(lab.name())]);
    assert.equal(new Set(channels).size, 1);
    const channel = await open(id, { follow: true });
    await assertShows(channel, 'one\n');
    await raw('POST', `/containers/${id}/kill`);
    await assertShows(channel, `one\n${exited(137)}`);
  });

  it('have one channel per container', async () => {
    const a = await lab.ended(['echo', 'A'], 'a');
    const b = await lab.ended(['echo', 'B'], 'b');
    const channels = await Promise.all([open(a), open(b)]);
    assert.notEqual(channels[0], channels[1]);
    // VS Code keeps the text of the channel in front; which of the two that is depends on the engine. If
    // another channel is requested before that one is visible, VS Code may bring the two to the front in any
    // order.
    const isShown = (): boolean => channels.some((channel) => textOf(channel)?.endsWith(exited(0)));
    await until(isShown, 'one of the two logs is complete');
    await assertShows(await open(a), `A\n${exited(0)}`);
    await assertShows(await open(b), `B\n${exited(0)}`);
  });

  it('are read again with other options', async () => {
    const ten = Array.from({ length: 10 }, (_, index) => `${index + 1}\n`);
    const id = await lab.ended(['seq', '1', '10']);
    await assertShows(await open(id, { follow: false, tail: 5 }), ten.slice(5).join(''));
    await assertShows(await open(id, { follow: false, tail: 'all' }), ten.join(''));
    await assertShows(await open(id, { follow: false, tail: 0 }), '');
    await assertShows(await open(id, { tail: 2 }), ten.slice(8).join('') + exited(0));
  });

  it('show the newest lines of fast output once, with the number of omitted lines', async () => {
    await keepLines(1000);
    try {
      const script = `until [ -f /go ]; do usleep 20000; done; ${FLOOD}`;
      const id = await lab.running('it', ['sh', '-c', script]);
      await assertShows(await open(id), '');
      await touch(id, '/go');
      await assertTrimmed(await open(id, { tail: 'all' }), exited(0));
    } finally {
      await keepLines(undefined);
    }
  });
});

describe('logs in the log viewer', () => {
  const lab = useLab('viewer');
  const open = async (argument: object): Promise<string> =>
    (await run('containers.openLogViewer', argument)).title;

  it('have one editor for the same containers, in whatever order they are given', async () => {
    const first = await lab.ended(['echo', '1'], 'one');
    const second = await lab.ended(['echo', '2'], 'two');
    const one = await open({ id: first });
    assert.ok(one.startsWith('Logs: ') && one.endsWith(lab.name('one')), one);
    assert.equal(await open({ id: lab.name('one') }), one);
    const both = await open({ ids: [first, second] });
    assert.match(both, /and 1 more$/);
    assert.equal(await open({ ids: [second, first] }), both);
    // VS Code reports a new tab with a short delay.
    await until(() => viewers().length === 2, 'two log viewer tabs are open');
    assert.deepEqual(viewers().sort(), [one, both].sort());
  });
});

/** Returns the titles of the open log viewers. */
function viewers(): string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputWebview && input.viewType.endsWith('gantry.logViewer'),
    )
    .map(({ label }) => label);
}
