import assert from 'node:assert/strict';
import '../support/fakeEditor.ts';
import type { BuildSpec } from '../../../src/builds/buildRun.ts';
import { Builds } from '../../../src/builds/builds.ts';
import type { BuildEvent } from '../../../src/engine/builds/model.ts';
import type * as buildOutput from '../../../src/output/buildOutput.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';
import { CancellationTokenSource, window } from '../support/fakeVscode.ts';

const IMAGE = `sha256:${'a'.repeat(64)}`;
const STEP: BuildEvent = {
  kind: 'step',
  step: { id: '1', name: '[1/1] RUN make', inputs: [], state: 'running' },
};

function outputOf(text: string): BuildEvent {
  return {
    kind: 'output',
    output: { step: '1', time: 0, stream: 'stdout', data: Buffer.from(text) },
  };
}

describe('the logs of builds in output channels', () => {
  const { createOutputChannel, withProgress } = window;
  const texts = new Map<string, string>();
  const disposed: string[] = [];
  let clock: FakeClock;
  let builds: Builds;
  let output: buildOutput.BuildOutput;

  beforeEach(async () => {
    texts.clear();
    disposed.length = 0;
    const open = (name: string) => ({
      ...createOutputChannel(name),
      append: (text: string) => texts.set(name, (texts.get(name) ?? '') + text),
      dispose: () => disposed.push(name),
      show: () => undefined,
    });
    Object.assign(window, { createOutputChannel: open });
    const { BuildOutput } = await import('../../../src/output/buildOutput.ts');
    clock = new FakeClock();
    builds = new Builds(clock);
    output = new BuildOutput(builds, String);
  });

  afterEach(() => {
    output.dispose();
    builds.dispose();
    Object.assign(window, { createOutputChannel, withProgress });
  });

  const specOf = (title: string, work: BuildSpec['work']): BuildSpec => ({
    ...{ ref: title, engine: 'default', title },
    request: { context: '/shop', dockerfile: '/shop/Dockerfile', tags: [] },
    work,
    rebuild: () => Promise.resolve({ imageId: IMAGE }),
  });

  async function build(title: string, events: readonly BuildEvent[]): Promise<void> {
    const spec = specOf(title, (onEvent) => {
      for (const event of events) onEvent(event);
      return Promise.resolve({ imageId: IMAGE });
    });
    await builds.start(spec).join();
  }

  it('have a notification that counts steps only when there are some', async () => {
    const messages: (string | undefined)[] = [];
    const show = (_: object, work: (bar: object, token: object) => Promise<unknown>) =>
      work(
        { report: ({ message }: { readonly message?: string }) => messages.push(message) },
        new CancellationTokenSource().token,
      );
    Object.assign(window, { withProgress: show });
    const end = Promise.withResolvers<undefined>();
    let report: ((event: BuildEvent) => void) | undefined;
    const run = builds.start(
      specOf('shop', async (onEvent) => {
        report = onEvent;
        await end.promise;
        return { imageId: IMAGE };
      }),
    );
    const waiting = output.wait(run);
    const begin = async (name: string): Promise<void> => {
      await turn();
      report?.({ kind: 'step', step: { id: name, name, inputs: [], state: 'running' } });
      clock.pass(1000);
      await turn();
    };
    await begin('[1/2] FROM busybox');
    assert.equal(messages.at(-1), '[1/2] FROM busybox');
    await begin('[2/2] RUN make');
    assert.equal(messages.at(-1), '0 of 1 steps · [2/2] RUN make');
    end.resolve(undefined);
    await waiting;
  });

  it('have the output between the first and the last line', async () => {
    await build('shop', [STEP, outputOf('compiling\n')]);
    const lines = (texts.get('Build: shop') ?? '').split('\n');
    assert.match(lines[0] ?? '', /Building \/shop\/Dockerfile$/);
    assert.deepEqual(lines.slice(1, 3), ['#1 [1/1] RUN make', '#1 compiling']);
    assert.match(lines[3] ?? '', /Built sha256:a+ in /);
  });

  it('end with a remark if there is too much of it', async () => {
    const block = `${'x'.repeat(8191)}\n`.repeat(128);
    await build('shop', [STEP, ...Array.from({ length: 18 }, () => outputOf(block))]);
    const text = texts.get('Build: shop') ?? '';
    assert(text.length < 20_000_000, `${text.length}`);
    assert.match(
      text.slice(-300),
      /The log is too long\. The rest is not shown\.\n.* Built sha256:/,
    );
  });

  it('are dropped with the oldest builds', async () => {
    for (let number = 1; number <= 22; number++) await build(`app-${number}`, []);
    assert.deepEqual(disposed, ['Build: app-1', 'Build: app-2']);
  });

  it('are written again if a build is shown whose channel was dropped', async () => {
    for (let number = 1; number <= 20; number++)
      await build(`app-${number}`, [STEP, outputOf('compiling\n')]);
    const running = builds.start(specOf('app-21', () => new Promise(() => undefined)));
    assert.deepEqual(disposed, ['Build: app-1']);
    const written = texts.get('Build: app-1');
    texts.clear();
    output.show(builds.get('default', 'app-1') ?? assert.fail());
    assert.equal(texts.get('Build: app-1'), written);
    running.cancel();
  });

  it('are written again also if a later build of the same name has a channel', async () => {
    await build('app-1', [STEP, outputOf('first\n')]);
    const first = builds.get('default', 'app-1') ?? assert.fail();
    for (let number = 2; number <= 21; number++) await build(`app-${number}`, []);
    assert.deepEqual(disposed, ['Build: app-1']);
    await build('app-1', [STEP, outputOf('second\n')]);
    texts.clear();
    output.show(first);
    output.show(first);
    assert.deepEqual(texts.get('Build: app-1')?.match(/first|second/g), ['first']);
  });

  it('stay if they were used again', async () => {
    for (let number = 1; number <= 20; number++) await build(`app-${number}`, []);
    await build('app-1', []);
    await build('app-21', []);
    assert.deepEqual(disposed, ['Build: app-2']);
  });
});
