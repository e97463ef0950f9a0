import assert from 'node:assert/strict';

import { EngineError } from '../../../../src/engine/errors.ts';
import type { PullStep } from '../../../../src/engine/model.ts';
import type { PullResult } from '../../../../src/engine/images/pullImage.ts';
import { abortReason } from '../../../../src/base/lifetime.ts';
import type {
  Transfer,
  TransferNews,
  TransferSpec,
} from '../../../../src/registries/transfers/transfer.ts';
import { Transfers } from '../../../../src/registries/transfers/transfers.ts';
import { FakeClock, turn } from '../../support/fakeClock.ts';

const RESULT: PullResult = { imageId: `sha256:${'a'.repeat(64)}` };
const GONE = { name: 'AbortError' };

/** A pull controlled by the test. */
class Work {
  begun = 0;
  /** `isInteractive` of each run. */
  readonly asked: boolean[] = [];
  signal = new AbortController().signal;
  step: (step: PullStep) => void = () => undefined;
  succeed: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  readonly run: TransferSpec<PullResult>['work'] = (onStep, signal, isInteractive) => {
    this.asked.push(isInteractive);
    this.begun += 1;
    this.step = onStep;
    this.signal = signal;
    return new Promise((resolve, reject) => {
      this.succeed = () => resolve(RESULT);
      this.fail = reject;
      signal.addEventListener('abort', () => reject(abortReason(signal)));
    });
  };
}

describe('registries/transfers/transfers: a transfer', () => {
  let clock: FakeClock;
  let transfers: Transfers;
  let work: Work;
  let news: TransferNews['kind'][];

  beforeEach(() => {
    clock = new FakeClock();
    transfers = new Transfers(clock);
    work = new Work();
    news = [];
    transfers.onDidReport((one) => news.push(one.news.kind));
  });

  afterEach(() => transfers.dispose());

  const specOf = (wishes: Partial<TransferSpec<PullResult>> = {}): TransferSpec<PullResult> => ({
    kind: 'pull',
    engine: 'default',
    reference: 'nginx:latest',
    fullName: 'docker.io/library/nginx:latest',
    title: 'nginx:latest',
    keepsFailure: true,
    work: work.run,
    ...wishes,
  });

  /** Starts a pull and waits for it. */
  const begin = async (
    wishes?: Partial<TransferSpec<PullResult>>,
    signal?: AbortSignal,
  ): Promise<{ transfer: Transfer<PullResult>; result: Promise<PullResult> }> => {
    const transfer = transfers.pull(specOf(wishes));
    const result = transfer.join(signal);
    result.catch(() => undefined);
    await turn();
    return { transfer, result };
  };

  const downloading = (current: number): void => {
    work.step({ id: 'layer', status: 'Downloading', current, total: 1_000_000 });
  };

  it('reports changes at most ten times per second', async () => {
    await begin();
    const fired: number[] = [];
    transfers.onDidChange(() => fired.push(clock.now()));
    // 1000 records per second, for three seconds.
    for (let millisecond = 1; millisecond <= 3000; millisecond++) {
      downloading(millisecond);
      clock.pass(1);
      await turn();
    }
    assert.ok(fired.length >= 20, String(fired.length));
    for (const at of fired) {
      const second = fired.filter((one) => one >= at && one <= at + 1000);
      assert.ok(second.length <= 10, String(second.length));
    }
  });

  it('reports its layers, bytes, and rate', async () => {
    const { transfer, result } = await begin();
    assert.equal(transfer.rate, undefined);
    downloading(0);
    clock.pass(2000);
    downloading(500_000);
    assert.equal(transfer.rate, 250_000);
    assert.equal(transfer.state.fraction, 0.5);
    assert.deepEqual(transfer.layers, [
      { id: 'layer', phase: 'moving', share: 0.5, total: 1_000_000 },
    ]);
    work.succeed();
    await result;
    assert.equal(transfer.rate, undefined);
  });

  it('is shared by all callers for the same image, in short or full form', async () => {
    const first = await begin();
    const second = await begin({ reference: 'docker.io/library/nginx:latest' });
    assert.equal(second.transfer, first.transfer);
    assert.equal(work.begun, 1);
    work.succeed();
    assert.deepEqual(await Promise.all([first.result, second.result]), [RESULT, RESULT]);
    assert.deepEqual(news, ['begun', 'ended']);
  });

  it('is separate for another engine, platform, or image, or with credentials of its own', async () => {
    const { transfer } = await begin();
    for (const wishes of [
      { engine: 'other' },
      { platform: 'linux/arm64' },
      { image: RESULT.imageId },
      { fullName: 'docker.io/library/nginx:1' },
      { isPrivate: true },
    ]) {
      assert.notEqual((await begin(wishes)).transfer, transfer);
    }
    assert.equal(work.begun, 6);
    assert.equal(transfers.all.length, 6);
  });

  it('is canceled when the last waiting caller cancels, not before', async () => {
    const one = new AbortController();
    const two = new AbortController();
    const first = await begin({}, one.signal);
    const second = await begin({}, two.signal);
    one.abort();
    await assert.rejects(first.result, GONE);
    assert.equal(work.signal.aborted, false);
    two.abort();
    await assert.rejects(second.result, GONE);
    assert.equal(work.signal.aborted, true);
    assert.deepEqual(transfers.all, []);
    assert.deepEqual(news, ['begun', 'ended']);
  });

  it('is not joined while it is being canceled', async () => {
    const { transfer, result } = await begin();
    transfer.cancel();
    await assert.rejects(result, GONE);
    const next = await begin();
    assert.notEqual(next.transfer, transfer);
    assert.equal(work.begun, 2);
  });

  it('stays after a failure until it is dismissed', async () => {
    const { transfer, result } = await begin();
    work.fail(new EngineError('failed', { engineMessage: 'no space left' }));
    await assert.rejects(result, /no space left/);
    assert.equal(transfer.phase, 'failed');
    clock.pass(60_000);
    await turn();
    assert.deepEqual(transfers.all, [transfer]);
    transfers.dismiss(transfer);
    assert.deepEqual(transfers.all, []);
  });

  it('is removed right after a failure if it does not keep failures', async () => {
    const { result } = await begin({ keepsFailure: false });
    work.fail(new Error('refused'));
    await assert.rejects(result);
    assert.deepEqual(transfers.all, []);
  });

  it('is retried with the spec of the user who joined it', async () => {
    const { transfer, result } = await begin({ keepsFailure: false });
    const theirs = new Work();
    await begin({ work: theirs.run });
    assert.equal(theirs.begun, 0);
    work.fail(new Error('refused'));
    await assert.rejects(result);
    transfer.retry(true);
    await turn();
    assert.deepEqual([work.begun, theirs.begun], [1, 1]);
    assert.deepEqual([work.asked, theirs.asked], [[false], [true]]);
  });

  it('is retried without prompts by a script, and keeps the spec of the user', async () => {
    const { transfer, result } = await begin();
    work.fail(new Error('refused'));
    await assert.rejects(result);
    transfer.retry(false);
    await turn();
    work.fail(new Error('refused'));
    await turn();
    const silent = new Work();
    const next = await begin({ keepsFailure: false, work: silent.run });
    assert.equal(next.transfer, transfer);
    assert.equal(silent.begun, 0);
    assert.deepEqual(work.asked, [true, false, false]);
    assert.equal(transfer.spec.keepsFailure, true);
  });

  it('starts again after a failure, as the same transfer', async () => {
    const { transfer, result } = await begin();
    downloading(900_000);
    work.fail(new Error('refused'));
    await assert.rejects(result);
    transfer.retry(true);
    const again = transfer.join();
    await turn();
    assert.equal(transfer.phase, 'running');
    assert.equal(transfer.state.bytesDone, 0);
    work.succeed();
    assert.deepEqual(await again, RESULT);
    assert.deepEqual(news, ['begun', 'ended', 'begun', 'ended']);
  });

  it('starts again after a failure when the same image is requested', async () => {
    const { transfer, result } = await begin();
    work.fail(new Error('refused'));
    await assert.rejects(result);
    const next = await begin();
    assert.equal(next.transfer, transfer);
    work.succeed();
    assert.deepEqual(await next.result, RESULT);
  });

  it('is removed a few seconds after it is done', async () => {
    const { transfer, result } = await begin();
    work.succeed();
    await result;
    assert.deepEqual(transfers.all, [transfer]);
    await clock.asleep(5000);
    clock.pass(5000);
    await turn();
    assert.deepEqual(transfers.all, []);
  });

  it('does not hide a running one after it is done', async () => {
    const { result } = await begin();
    work.succeed();
    await result;
    const second = await begin();
    const third = await begin();
    assert.equal(third.transfer, second.transfer);
    assert.equal(work.begun, 2);
  });

  it('is not retried after a failure with or without credentials of its own', async () => {
    const { transfer, result } = await begin({ isPrivate: true });
    work.fail(new Error('refused'));
    await assert.rejects(result);
    const open = await begin();
    assert.notEqual(open.transfer, transfer);
    work.fail(new Error('refused'));
    await assert.rejects(open.result);
    const own = await begin({ isPrivate: true });
    assert.ok(own.transfer !== transfer && own.transfer !== open.transfer);
    assert.equal(transfer.phase, 'failed');
  });

  it('is removed after a failure when the same image is pulled in another way', async () => {
    const failed = await begin({ isPrivate: true });
    work.fail(new Error('refused'));
    await assert.rejects(failed.result);
    const open = await begin();
    work.succeed();
    await open.result;
    assert.deepEqual(transfers.all, [open.transfer]);
  });

  it('ignores records after it was canceled', async () => {
    const { transfer, result } = await begin();
    downloading(1);
    transfer.cancel();
    await assert.rejects(result, GONE);
    downloading(500_000);
    work.succeed();
    await turn();
    assert.equal(transfer.phase, 'cancelled');
    assert.equal(transfer.state.bytesDone, 1);
  });

  it('is removed with its engine', async () => {
    const ours = await begin();
    const others = await begin({ engine: 'other' });
    transfers.drop('default');
    await assert.rejects(ours.result, GONE);
    assert.deepEqual(transfers.all, [others.transfer]);
  });
});
