import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { LogLine } from '../../../../src/engine/model.ts';
import {
  OlderMerge,
  type MergedPage,
  type ReadOlderPage,
} from '../../../../src/logs/follow/olderMerge.ts';

const { signal } = new AbortController();

function line(second: number): LogLine {
  return { source: 'stdout', timestamp: `2026-01-01T00:00:0${second}Z`, text: String(second) };
}

/** Returns a page reader that fails once and then returns these lines. */
function failsOnce(error: EngineError, lines: readonly LogLine[]): ReadOlderPage {
  let hasFailed = false;
  return () => {
    if (hasFailed) return Promise.resolve({ lines, isStart: true });
    hasFailed = true;
    return Promise.reject(error);
  };
}

describe('older lines of several logs', () => {
  const transient = ['disconnected', 'sshFull', 'cut', 'timeout', 'refused'] as const;
  const refusals = ['failed', 'unauthorized', 'badAnswer'] as const;
  for (const reason of [...transient, ...refusals]) {
    it(`can be requested again after one failure: ${reason}`, async () => {
      const merge = new OlderMerge();
      merge.add(0, failsOnce(new EngineError(reason), [line(1), line(3)]), false);
      merge.add(1, () => Promise.resolve({ lines: [line(2)], isStart: true }), false);
      await assert.rejects(merge.older(10, signal), { reason });
      const page = await merge.older(10, signal);
      assert.deepEqual(
        page.lines.map((one) => one.line.text),
        ['1', '2', '3'],
      );
      assert.equal(page.isStart, true);
    });
  }

  it('can be requested again after the only log was refused', async () => {
    const merge = new OlderMerge();
    merge.add(0, failsOnce(new EngineError('failed', { status: 502 }), [line(1)]), false);
    await assert.rejects(merge.older(10, signal), { reason: 'failed' });
    const page = await merge.older(10, signal);
    assert.deepEqual([page.lines.length, page.isStart], [1, true]);
  });

  it('are those of the other logs if one is refused twice, and do not end there', async () => {
    const merge = new OlderMerge();
    let isRefused = true;
    let requests = 0;
    const read: ReadOlderPage = () => {
      requests++;
      if (isRefused) return Promise.reject(new EngineError('failed'));
      return Promise.resolve({ lines: [line(1)], isStart: true });
    };
    merge.add(0, read, false);
    merge.add(1, () => Promise.resolve({ lines: [line(2)], isStart: true }), false);
    await assert.rejects(merge.older(10, signal), { reason: 'failed' });
    const page = await merge.older(10, signal);
    assert.deepEqual([page.lines.map((one) => one.line.text), page.isStart], [['2'], false]);
    assert.equal(requests, 2);
    await assert.rejects(merge.older(10, signal), { reason: 'failed' });
    isRefused = false;
    const last = await merge.older(10, signal);
    assert.deepEqual([last.lines.map((one) => one.line.text), last.isStart], [['1'], true]);
  });

  const withoutLog = [
    new EngineError('notFound'),
    new EngineError('engineRemoved'),
    new EngineError('failed', { status: 501 }),
  ];
  for (const error of withoutLog) {
    it(`are those of the other logs if one can no longer be read: ${error.reason}`, async () => {
      const merge = new OlderMerge();
      merge.add(0, failsOnce(error, [line(1)]), false);
      merge.add(1, () => Promise.resolve({ lines: [line(2)], isStart: true }), false);
      const page = await merge.older(10, signal);
      assert.deepEqual(
        page.lines.map((one) => one.line.text),
        ['2'],
      );
      assert.equal(page.isStart, true);
    });
  }
});

describe('lines that were read but not shown', () => {
  const textsOf = ({ lines }: MergedPage): readonly string[] =>
    lines.map((one) => `${one.member} ${one.line.text}`);

  it('are the latest of the older lines, also of a log that is at its start', async () => {
    const merge = new OlderMerge();
    merge.add(0, () => assert.fail('nothing is left to read'), true);
    merge.add(1, () => Promise.resolve({ lines: [line(1), line(3)], isStart: true }), false);
    // Logs at their start are forgotten when another one is removed.
    merge.leave(2);
    merge.hold(0, [line(2)]);
    merge.hold(1, [line(4)]);
    assert.deepEqual(textsOf(await merge.older(3, signal)), ['0 2', '1 3', '1 4']);
    const rest = await merge.older(3, signal);
    assert.deepEqual([textsOf(rest), rest.isStart], [['1 1'], true]);
  });
});
