import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { refusal, run } from '../kit/commands.ts';
import { touch } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { assertShows, shown } from '../kit/output.ts';

const TEN = Array.from({ length: 10 }, (_, index) => `${index + 1}\n`);
/** Twice the limit of the channel. */
const LINES = 2000;
/**
 * Long enough that the text written to keep only the newest lines is several times what VS Code keeps of a
 * channel.
 */
const WORDS = 'of a container that writes as fast as it can '.repeat(20);
const FLOOD = `seq 1 ${LINES} | sed 's/.*/line & ${WORDS}/'`;
const NUMBERS = Array.from({ length: LINES }, (_, index) => `line ${index + 1} ${WORDS}\n`);
const STAMPED = /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) \w+\n){2}$/;
const EXITED = '[The container exited with code 0.]\n';

describe('the options of gantry.containers.logs', () => {
  const lab = useLab('tail');

  const keep = async (what: 'tail' | 'outputLines', lines: number | undefined): Promise<void> => {
    const settings = vscode.workspace.getConfiguration('gantry.logs');
    if (settings.inspect(what)?.globalValue === lines) return;
    await settings.update(what, lines, vscode.ConfigurationTarget.Global);
  };
  afterEach(async () => {
    for (const what of ['tail', 'outputLines'] as const) await keep(what, undefined);
  });

  const open = async (id: string, options: object = {}): Promise<string> =>
    (await run('containers.logs', { id, follow: false, ...options })).channel;

  it('tail limits the lines, by default to the setting, and other options read the log again', async () => {
    const id = await lab.ended(['seq', '1', '10']);
    await assertShows(await open(id, { tail: 5 }), TEN.slice(5).join(''));
    await assertShows(await open(id, { tail: 'all' }), TEN.join(''));
    await assertShows(await open(id, { tail: 0 }), '');
    await assertShows(await open(id, { tail: 100 }), TEN.join(''));
    await assertShows(await open(id, { tail: 2, follow: true }), TEN.slice(8).join('') + EXITED);
    await keep('tail', 3);
    await assertShows(await open(id), TEN.slice(7).join(''));
  });

  it('timestamps precede each line, and since skips earlier lines, given in ISO 8601 or in seconds', async () => {
    const id = await lab.ended(['sh', '-c', 'echo before; sleep 3; echo after']);
    const channel = await open(id, { timestamps: true, tail: 'all' });
    const stamped = await shown(channel, (now) => now.includes('after'));
    assert.match(stamped, STAMPED);
    const [before = 0, after = 0] = stamped
      .split('\n')
      .map((line) => Date.parse(line.split(' ')[0]!));
    // The lines are three seconds apart, so that a full second is between them.
    const middle = new Date((before + after) / 2);
    for (const since of [middle.toISOString(), middle.getTime() / 1000]) {
      await assertShows(await open(id, { since }), 'after\n');
      await assertShows(await open(id, { tail: 'all' }), 'before\nafter\n');
    }
    const text = String(Math.floor(middle.getTime() / 1000));
    await assertShows(await open(id, { since: text }), 'after\n');
  });

  it('the newest lines of fast output are shown once, with the number of omitted lines', async () => {
    await keep('outputLines', 1000);
    const script = `until [ -f /go ]; do usleep 20000; done; ${FLOOD}`;
    const id = await lab.running('it', ['sh', '-c', script]);
    await assertShows(await open(id, { follow: true }), '');
    await touch(id, '/go');
    await assertTrimmed(await open(id, { tail: 'all', follow: true }), [EXITED.trim()]);
    const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
    await assertShows(await open(id, { tail: 'all', since: tomorrow }), '');
  });

  it('since rejects an invalid time', async () => {
    const id = await lab.container(['true']);
    for (const since of ['', 'yesterday', '10m', '2026-13-45', 'Z', NaN, -1, null]) {
      await refusal(run('containers.logs', { id, since }), /since|date and time/);
    }
  });
});

/** Waits until a channel shows the number of omitted lines, the newest lines of the flood, and `end`. */
async function assertTrimmed(channel: string, end: readonly string[]): Promise<void> {
  const whole = [...NUMBERS, ...end.map((line) => `${line}\n`)];
  const expectedOf = (text: string): string => {
    const left = Number(/^\[(\d+) older lines are not shown\./.exec(text)?.[1] ?? LINES);
    const head = `[${left} older lines are not shown. Use Open Log Viewer to see them.]\n`;
    return head + whole.slice(left).join('');
  };
  const isSo = (text: string): boolean => text === expectedOf(text);
  const text = await shown(channel, (now) => isSo(now) && now.endsWith(whole.at(-1)!));
  const kept = text.split('\n').length - 2;
  assert.ok(kept >= 750 && kept <= 1000, String(kept));
}
