import assert from 'node:assert/strict';
import { inspectContainer } from '../../src/engine/containers.ts';
import type { CreateArguments } from '../../src/engine/createSpec.ts';
import { failedWith } from '../../src/engine/errors.ts';
import { ContainerRun, NotStarted } from '../../src/tasks/containerRun.ts';
import { until } from '../bed/http.ts';
import { Site, type Wishes } from './support.ts';

describe('a container that is run to its end, on a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  async function make(
    command: readonly string[],
    wishes: Wishes = {},
    args: Partial<CreateArguments> = {},
  ): Promise<{ readonly id: string; readonly run: ContainerRun; readonly text: () => string }> {
    const id = await site.create(command, wishes);
    let text = '';
    const write = (more: string): Promise<void> => {
      text += more;
      return Promise.resolve();
    };
    const whole = { image: site.facts.image, ...args };
    const run = new ContainerRun({ connection: site.connection, id, args: whole, write });
    return { id, run, text: () => text };
  }

  it('tells its status and all that it wrote, from the first byte to the last', async () => {
    const count = 20_000;
    const script = `echo first; seq ${count}; echo last >&2; exit 3`;
    const { run, text } = await make(['sh', '-c', script]);
    const end = await run.toEnd();
    assert.deepEqual([end.exitCode, end.wasOutOfMemory], [3, false]);
    assert.ok(Date.parse(end.finishedAt) > 0 && Date.parse(end.startedAt) > 0);
    // Engines keep no order between the two outputs: the one may come in the middle of a line of the other.
    const [before, after, ...more] = text().split('last\r\n');
    assert.deepEqual(more, []);
    const numbers = Array.from({ length: count }, (_, index) => `${index + 1}\r\n`);
    assert.equal(`${before}${after}`, `first\r\n${numbers.join('')}`);
  });

  it('misses neither status nor word of one that is gone in milliseconds', async () => {
    for (const code of [0, 1, 2]) {
      const { run, text } = await make(['sh', '-c', `echo ${code}; exit ${code}`]);
      assert.equal((await run.toEnd()).exitCode, code);
      assert.equal(text(), `${code}\r\n`);
    }
  });

  it('hands it what is typed', async () => {
    const wishes = { body: { OpenStdin: true, StdinOnce: true } };
    const { run, text } = await make(['sh', '-c', 'read a; echo "<$a>"'], wishes, {
      openStdin: true,
    });
    const ending = run.toEnd();
    // What is typed before it is there has nobody to go to.
    await until(async () => {
      await run.input(Buffer.from('hello\n'));
      return text() !== '';
    }, 'it has answered');
    assert.equal((await ending).exitCode, 0);
    assert.equal(text(), '<hello>\r\n');
  });

  it('is asked to end, and tells how it did', async () => {
    const script = 'trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.1; done';
    const { run, text } = await make(['sh', '-c', script], { body: { StopSignal: 'SIGTERM' } });
    const ending = run.toEnd();
    await until(() => Promise.resolve(text().includes('ready')), 'it runs');
    await run.stop();
    assert.equal((await ending).exitCode, 7);
    assert.match(text(), /bye\r\n$/);
  });

  it('says why it does not start, and leaves nothing waiting', async () => {
    const { id, run } = await make(['/no/such/program']);
    const error: unknown = await run.toEnd().catch((thrown: unknown) => thrown);
    assert(error instanceof NotStarted, String(error));
    assert.ok(error.exitCode >= 125 && error.exitCode <= 128, String(error.exitCode));
    assert.match(String(error.cause), /\/no\/such\/program/);
    await run.remove();
    const gone: unknown = await inspectContainer(site.connection, id).catch(
      (thrown: unknown) => thrown,
    );
    assert.ok(failedWith(gone, 'notFound'));
  });
});
