import assert from 'node:assert/strict';
import type { BuildHistoryEvent } from '../../../src/engine/builds/model.ts';
import type { BuildHistorySource } from '../../../src/builds/buildHistorySource.ts';
import { RecordedBuilds } from '../../../src/builds/recordedBuilds.ts';
import type { BuildEvent, BuildRecord } from '../../../src/engine/builds/model.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { FakeClock, turn } from '../support/fakeClock.ts';

const RECORD: BuildRecord = {
  ref: 'r1',
  tags: ['shop'],
  startedAt: 1,
  state: 'running',
  steps: 0,
  cachedSteps: 0,
  completedSteps: 0,
};
const STEP: Extract<BuildEvent, { readonly kind: 'step' }> = {
  kind: 'step',
  step: { id: 'a', name: 'step', inputs: [], state: 'done' },
};

class FakeSource implements BuildHistorySource {
  readonly follows: {
    tell: (change: BuildHistoryEvent) => void;
    fail: (error?: Error) => void;
    signal: AbortSignal;
  }[] = [];
  readonly replays: { tell: (event: BuildEvent) => void; end: () => void; signal: AbortSignal }[] =
    [];

  readonly follow: BuildHistorySource['follow'] = (tell, signal) =>
    new Promise((_resolve, reject) => {
      const fail = (error = new Error('lost')): void => reject(error);
      signal.addEventListener('abort', () => fail());
      this.follows.push({ tell, fail, signal });
      for (const change of this.reported) tell(change);
    });

  /** What is reported whenever a stream begins. */
  reported: readonly BuildHistoryEvent[] = [];
  listed: readonly string[] = [];
  canList = true;

  readonly list: BuildHistorySource['list'] = () =>
    this.canList ? Promise.resolve(this.listed) : Promise.reject(new Error('full'));

  readonly replay: BuildHistorySource['replay'] = (_ref, tell, signal) =>
    new Promise((end) => this.replays.push({ tell, end, signal }));

  readonly findFailure: BuildHistorySource['findFailure'] = () => Promise.resolve(undefined);
}

describe('builds/RecordedBuilds', () => {
  let clock: FakeClock;
  let source: FakeSource;
  let builds: RecordedBuilds;
  beforeEach(() => {
    clock = new FakeClock();
    source = new FakeSource();
    builds = new RecordedBuilds('docker', source, clock);
  });
  afterEach(() => builds.dispose());

  /** The pauses before it listens again, without those of the painter. */
  const pauses = (): readonly number[] => clock.sleeping.filter((one) => one >= 1000);

  it('listens only while it is watched', () => {
    assert.equal(source.follows.length, 0);
    const watching = builds.watch();
    builds.watch();
    assert.equal(source.follows.length, 1);
    watching.dispose();
    assert.equal(source.follows[0]?.signal.aborted, true);
    builds.watch();
    assert.equal(source.follows.length, 2);
  });

  it('does not have a build that is hidden, whenever it is reported', () => {
    builds.watch();
    const tell = source.follows[0]?.tell ?? assert.fail();
    builds.hide('r1');
    tell({ kind: 'changed', record: RECORD });
    tell({ kind: 'changed', record: { ...RECORD, ref: 'r2' } });
    builds.hide('r2');
    tell({ kind: 'changed', record: { ...RECORD, ref: 'r3' } });
    assert.deepEqual(
      builds.all.map(({ ref }) => ref),
      ['r3'],
    );
  });

  describe('without builds', () => {
    it('are loaded when the list says that there are none, and not before', async () => {
      const watching = builds.watch();
      let changes = 0;
      builds.onDidChange(() => (changes += 1));
      assert.equal(builds.isLoaded, false);
      await turn();
      assert.deepEqual([builds.isLoaded, changes], [true, 1]);
      watching.dispose();
      builds.watch();
      assert.equal(builds.isLoaded, false);
    });

    it('are not loaded while the stream has not reported the builds of the list', async () => {
      source.listed = ['r1'];
      builds.watch();
      await turn();
      assert.equal(builds.isLoaded, false);
      source.follows[0]?.tell({ kind: 'changed', record: RECORD });
      assert.equal(builds.isLoaded, true);
    });

    it('are loaded if the stream lasts, but does not report the build of the list, which was removed', async () => {
      source.listed = ['r1'];
      builds.watch();
      await turn();
      clock.pass(15_000);
      assert.equal(builds.isLoaded, true);
    });

    it('are loaded when the only build of the list is hidden', async () => {
      source.listed = ['r1'];
      builds.hide('r1');
      builds.watch();
      await turn();
      source.follows[0]?.tell({ kind: 'changed', record: RECORD });
      assert.deepEqual([builds.isLoaded, builds.all], [true, []]);
    });

    it('are loaded when it is known why the history cannot be read', async () => {
      source.canList = false;
      builds.watch();
      await turn();
      assert.deepEqual([builds.isLoaded, builds.problem?.message], [true, 'full']);
    });

    it('are not listed again after a loss', async () => {
      builds.watch();
      await turn();
      source.canList = false;
      source.follows[0]?.fail(new EngineError('cut'));
      await turn();
      clock.pass(1000);
      await turn();
      assert.deepEqual([builds.isLoaded, source.follows[1]?.signal.aborted], [true, false]);
    });
  });

  it('have the names of their tags as they are typed', () => {
    builds.watch();
    const tags = ['docker.io/library/shop:latest', 'docker.io/me/shop:2', 'x.example/shop:latest'];
    source.follows[0]?.tell({ kind: 'changed', record: { ...RECORD, tags } });
    assert.equal(builds.all[0]?.title, 'shop, me/shop:2, x.example/shop');
  });

  it('follows builds from their beginning to their removal, and keeps the same object', () => {
    builds.watch();
    const tell = source.follows[0]?.tell ?? assert.fail();
    tell({ kind: 'changed', record: RECORD });
    const [build] = builds.all;
    assert.deepEqual([build?.phase, build?.title], ['running', 'shop']);
    tell({
      kind: 'changed',
      record: { ...RECORD, state: 'done', steps: 3, cachedSteps: 2, completedSteps: 3 },
    });
    assert.equal(builds.all[0], build);
    assert.deepEqual([build?.phase, build?.counts], ['done', { all: 3, cached: 2, finished: 3 }]);
    tell({ kind: 'removed', ref: 'r1' });
    assert.deepEqual(builds.all, []);
  });

  it('listens again after a loss, later each time', async () => {
    builds.watch();
    source.follows[0]?.fail();
    await turn();
    assert.deepEqual(pauses(), [1000]);
    clock.pass(1000);
    await turn();
    source.follows[1]?.fail();
    await turn();
    assert.deepEqual(pauses(), [2000]);
  });

  it('has the problem while the history cannot be read, and asks ever later', async () => {
    builds.watch();
    let changes = 0;
    builds.onDidChange(() => (changes += 1));
    const waited: number[] = [];
    for (let at = 0; at < 10; at += 1) {
      source.follows.at(-1)?.fail();
      await turn();
      const [pause = 0] = pauses();
      waited.push(pause);
      clock.pass(pause);
      await turn();
    }
    assert.deepEqual(waited.slice(0, 2), [1000, 2000]);
    assert.equal(waited.at(-1), 300_000);
    assert.equal(builds.problem?.message, 'lost');
    const before = changes;
    clock.pass(300_000);
    await turn();
    clock.pass(20_000);
    assert.deepEqual([builds.problem, changes > before], [undefined, true]);
  });

  it('has no problem when a connection is lost once', async () => {
    builds.watch();
    source.follows[0]?.fail(new EngineError('cut'));
    await turn();
    const before = builds.problem;
    clock.pass(1000);
    await turn();
    source.follows[1]?.fail(new EngineError('cut'));
    await turn();
    assert.deepEqual([before, builds.problem?.message], [undefined, 'cut']);
  });

  it('reads the steps of a build once, and of a running one as they come', async () => {
    builds.watch();
    const { tell } = source.follows[0] ?? assert.fail();
    tell({ kind: 'changed', record: RECORD });
    const [build = assert.fail()] = builds.all;
    await build.open();
    const counted = { ...STEP.step, name: '[1/1] RUN x' };
    source.replays[0]?.tell({ kind: 'step', step: counted });
    assert.deepEqual(build.counts, { all: 1, cached: 0, finished: 1 });
    source.replays[0]?.end();
    await turn();
    tell({ kind: 'changed', record: { ...RECORD, state: 'done' } });
    await build.open();
    assert.equal(source.replays.length, 1);
    assert.equal(build.trace.steps.length, 1);
  });

  it('forgets what vanished while nothing was reported', async () => {
    builds.watch();
    const [first = assert.fail()] = source.follows;
    for (const ref of ['stays', 'vanished', 'again'])
      first.tell({ kind: 'changed', record: { ...RECORD, ref } });
    source.listed = ['stays'];
    first.fail();
    await turn();
    clock.pass(1000);
    await turn();
    source.follows[1]?.tell({ kind: 'changed', record: { ...RECORD, ref: 'again' } });
    await turn();
    assert.deepEqual(
      builds.all.map(({ ref }) => ref),
      ['stays', 'again'],
    );
  });

  it('ends the stream if listing fails, before it listens again', async () => {
    builds.watch();
    const [first = assert.fail()] = source.follows;
    first.tell({ kind: 'changed', record: RECORD });
    source.canList = false;
    first.fail();
    await turn();
    clock.pass(1000);
    await turn();
    assert.deepEqual(
      source.follows.slice(1).map(({ signal }) => signal.aborted),
      [true],
    );
  });

  it('listens again later each time while listing fails, although builds are reported', async () => {
    source.reported = [{ kind: 'changed', record: RECORD }];
    source.canList = false;
    builds.watch();
    source.follows[0]?.fail();
    const waited: number[] = [];
    for (const canList of [false, false, true, true]) {
      await turn();
      const [pause = 0] = pauses();
      waited.push(pause);
      source.canList = canList;
      clock.pass(pause);
      await turn();
      if (canList) source.follows.at(-1)?.fail();
    }
    assert.deepEqual(waited, [1000, 2000, 4000, 1000]);
  });

  it('keeps the newest of many', () => {
    builds.watch();
    const [{ tell } = assert.fail()] = source.follows;
    for (let at = 0; at <= 500; at += 1)
      tell({ kind: 'changed', record: { ...RECORD, ref: String(at), startedAt: at } });
    assert.deepEqual(
      [builds.all.length, builds.all[0]?.ref, builds.all.at(-1)?.ref],
      [500, '1', '500'],
    );
  });

  it('stops reading steps when no view watches any more', async () => {
    const watching = builds.watch();
    source.follows[0]?.tell({ kind: 'changed', record: RECORD });
    await builds.all[0]?.open();
    source.replays[0]?.tell(STEP);
    watching.dispose();
    assert.equal(source.replays[0]?.signal.aborted, true);
    assert.deepEqual(builds.all[0]?.trace.steps, []);
  });
});
