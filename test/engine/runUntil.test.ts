import assert from 'node:assert/strict';
import {
  pauseContainer,
  unpauseContainer,
} from '../../src/engine/containers/containerLifecycle.ts';
import { runExec } from '../../src/engine/exec/runExec.ts';
import { runUntil, type ProcessEnd, type ProcessRun } from '../../src/engine/exec/runUntil.ts';
import { missingPartMessage } from '../../src/output/terminal/missingPartMessage.ts';
import { until } from '../bed/until.ts';
import { Site } from './support.ts';

/** A process with what it has written so far. */
class Run {
  readonly said = { stdout: '', stderr: '' };
  readonly stop = new AbortController();
  readonly end: Promise<ProcessEnd>;

  constructor(site: Site, id: string, run: Partial<ProcessRun> & Pick<ProcessRun, 'command'>) {
    const onOutput: ProcessRun['onOutput'] = (source, bytes) => {
      this.said[source] += Buffer.from(bytes).toString();
    };
    const whole = { hasTty: false, onOutput, ...run };
    this.end = runUntil(site.connection, id, whole, this.stop.signal);
  }

  has(words: string): Promise<unknown> {
    return until(() => this.said.stdout.includes(words), `${words} in ${this.said.stdout}`);
  }
}

describe('a process that runs until it is canceled, on a real engine', () => {
  const site = new Site();
  let id: string;
  before(async () => {
    id = await site.sleeper({ body: { HostConfig: { NetworkMode: 'none' } } });
  });
  after(() => site.leave());

  /** Returns the command lines of the container. */
  async function processes(): Promise<string> {
    const script = 'for f in /proc/[0-9]*; do tr "\\0" " " <$f/cmdline; echo; done 2>/dev/null';
    return (await runExec(site.connection, id, ['sh', '-c', script]))?.output ?? '';
  }

  it('keeps its outputs apart, has its input, user, folder and environment, and exits', async () => {
    const script = 'pwd; id -u; echo "$1 $NAME" >&2; cat; exit 3';
    const run = new Run(site, id, {
      command: ['sh', '-c', script, 'sh', '$(id)'],
      user: '1234',
      workingDir: '/tmp',
      env: ['NAME=a b'],
      hasInput: true,
      onStart: (process) => void process.write(Buffer.from('in')).then(() => process.endInput()),
    });
    assert.deepEqual(await run.end, { kind: 'exited', exitCode: 3, isWhole: true });
    assert.deepEqual(run.said, { stdout: '/tmp\n1234\nin', stderr: '$(id) a b\n' });
  });

  it('says why a process could not be started, apart from one with the same exit code', async () => {
    for (const code of [125, 126, 127, 128]) {
      const own = await new Run(site, id, { command: ['sh', '-c', `exit ${code}`] }).end;
      assert.deepEqual(own, { kind: 'exited', exitCode: code, isWhole: true });
    }
    const bad = [
      [{ command: ['nosuch'] }, 'web has no program "nosuch".'],
      [{ command: ['nosuch'], hasTty: true }, 'web has no program "nosuch".'],
      [{ command: ['/no/such'] }, 'web has no program "/no/such".'],
      [{ command: ['true'], workingDir: '/nosuch' }, 'web has no folder /nosuch.'],
      [{ command: ['true'], user: 'nosuch' }, 'web has no user or group "nosuch".'],
      [{ command: ['/etc/passwd'] }, undefined],
    ] as const;
    for (const [spec, sentence] of bad) {
      const end = await new Run(site, id, spec).end.catch((error: unknown) => error as Error);
      const message = 'message' in end ? end.message : assert.fail(end.kind);
      assert.equal(missingPartMessage(message, spec, 'web'), sentence);
    }
  });

  it('ends with all processes of its session', async () => {
    const script = 'trap "echo bye; exit" TERM; sleep 4321 & echo up; wait';
    for (const user of [undefined, '1234']) {
      const run = new Run(site, id, { command: ['sh', '-c', script], user });
      await run.has('up');
      assert.match(await processes(), /sleep 4321/);
      run.stop.abort();
      assert.deepEqual(await run.end, { kind: 'ended' });
      assert.equal(run.said.stdout, 'up\nbye\n');
      assert.doesNotMatch(await processes(), /sleep 4321/);
    }
    assert.match(await processes(), /sleep 1000/);
  });

  it('ends by force what ignores it, and also if it has unset its environment', async () => {
    const ignoring = 'trap "" TERM HUP; echo up; env -i sleep 4322; sleep 4322';
    for (const hasTty of [false, true]) {
      const run = new Run(site, id, { command: ['sh', '-c', ignoring], hasTty, graceMs: 200 });
      await run.has('up');
      run.stop.abort();
      assert.deepEqual(await run.end, { kind: 'ended' });
      assert.doesNotMatch(await processes(), /sleep 4322/);
    }
  });

  it('ends when it is canceled while it starts', async () => {
    const run = new Run(site, id, {
      command: ['sleep', '4323'],
      onStart: () => run.stop.abort(),
    });
    assert.deepEqual(await run.end, { kind: 'ended' });
    assert.doesNotMatch(await processes(), /sleep 4323/);
  });

  it('is reported as running if its container is paused', async () => {
    const own = await site.sleeper();
    const run = new Run(site, own, { command: ['sh', '-c', 'echo up; sleep 4324'] });
    await run.has('up');
    await pauseContainer(site.connection, own);
    run.stop.abort();
    assert.deepEqual(await run.end, { kind: 'running' });
    await unpauseContainer(site.connection, own);
  });

  it('is reported as running if nothing in its container can end it', async () => {
    const own = await site.sleeper();
    await runExec(site.connection, own, ['sh', '-c', 'cp /bin/busybox /tail; rm /bin/sh']);
    const run = new Run(site, own, { command: ['/tail', '-f', '/etc/passwd'] });
    await run.has('root');
    run.stop.abort();
    assert.deepEqual(await run.end, { kind: 'running' });
    // With a TTY, Ctrl+C ends it.
    const withTty = new Run(site, own, { command: ['/tail', '-f', '/etc/passwd'], hasTty: true });
    await withTty.has('root');
    withTty.stop.abort();
    assert.deepEqual(await withTty.end, { kind: 'ended' });
  });
});
