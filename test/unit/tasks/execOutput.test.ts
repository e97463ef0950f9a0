import assert from 'node:assert/strict';
import { ExecOutput } from '../../../src/tasks/execOutput.ts';
import { PathMapper } from '../../../src/tasks/paths/pathMapper.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { when } from '../support/lab.ts';

describe('the output of a command', () => {
  let clock: FakeClock;
  let shown: string;
  let output: ExecOutput;

  beforeEach(() => {
    clock = new FakeClock();
    shown = '';
    const screen = {
      write: (text: string) => {
        shown += text;
        return Promise.resolve();
      },
    };
    const locate = (path: string) =>
      Promise.resolve(path === '/app/a.ts' ? '/work/a.ts' : undefined);
    const mapper = () => new PathMapper(['/app'], locate);
    output = new ExecOutput({ screen, hasTty: true, mapper, clock });
  });

  const push = (text: string, source: 'stdout' | 'stderr' = 'stdout') =>
    output.push(source, Buffer.from(text));

  it('shows a question with a path, which ends no line', async () => {
    await push('Overwrite /app/a.ts? ');
    assert.equal(shown, 'Overwrite ');
    clock.pass(200);
    await when(() => shown === 'Overwrite /work/a.ts? ');
    await push('y\r\n');
    assert.equal(shown, 'Overwrite /work/a.ts? y\r\n');
    assert.deepEqual(clock.sleeping, []);
  });

  it('waits for the rest of a path as long as it comes', async () => {
    for (const part of ['x ', '/app', '/a', '.ts', ':1:2']) {
      await push(part);
      clock.pass(150);
    }
    await push('/app', 'stderr');
    await push('\n');
    assert.equal(shown, 'x /work/a.ts:1:2\n');
    await output.end();
    assert.equal(shown, 'x /work/a.ts:1:2\n/app');
    assert.deepEqual(clock.sleeping, []);
  });
});
