import assert from 'node:assert/strict';
import { run } from '../kit/commands.ts';
import { useLab } from '../kit/lab.ts';
import { shown } from '../kit/output.ts';
import { bed } from '../../../bed/env.ts';
import { shownOf, TORTURE, tortureLines } from '../../../unit/support/torture.ts';

const MARK = '[stderr] ';
const EXITED = '[The container exited with code 0.]\n';

describe('the torture log, in VS Code', () => {
  const lab = useLab('torture');
  const keepsText = bed().kind === 'docker';

  /** Returns the expected stdout and stderr lines in the channel. */
  const expected = (): { readonly stdout: string; readonly stderr: string } => {
    const { stdout, stderr } = tortureLines({ tty: false, keepsText });
    const text = (lines: readonly string[], mark = ''): string =>
      lines.map((line) => `${mark}${shownOf(line)}\n`).join('');
    return { stdout: text(stdout), stderr: text(stderr, MARK) };
  };

  it('is readable in its channel', async () => {
    const id = await lab.ended(['sh', '-c', TORTURE]);
    const { channel } = await run('containers.logs', { id, tail: 'all' });
    const text = await shown(channel, (now) => now.endsWith(EXITED));
    const lines = text.slice(0, -EXITED.length).match(/.*\n/g) ?? [];
    // Engines do not preserve the order between stdout and stderr.
    const of = (isError: boolean): string =>
      lines.filter((line) => line.startsWith(MARK) === isError).join('');
    const { stdout, stderr } = expected();
    assert.equal(of(true), stderr);
    assert.ok(of(false) === stdout, firstOther(of(false), stdout));
  });
});

/** Describes the first different line of thousands. */
function firstOther(got: string, expected: string): string {
  const [a, b] = [got.split('\n'), expected.split('\n')];
  const at = b.findIndex((line, index) => a[index] !== line);
  return `line ${at} is ${JSON.stringify(a[at]?.slice(-100))}, not ${JSON.stringify(b[at]?.slice(-100))}`;
}
