import assert from 'node:assert/strict';
import { EngineError, type FailureReason } from '../../../../src/engine/errors.ts';
import type { LogLine } from '../../../../src/engine/model.ts';
import { OlderMerge, type ReadOlderPage } from '../../../../src/logs/follow/olderMerge.ts';

const { signal } = new AbortController();

function line(second: number): LogLine {
  return { source: 'stdout', timestamp: `2026-01-01T00:00:0${second}Z`, text: String(second) };
}

/** Returns a page reader that fails once and then returns these lines. */
function failsOnce(reason: FailureReason, lines: readonly LogLine[]): ReadOlderPage {
  let hasFailed = false;
  return () => {
    if (hasFailed) return Promise.resolve({ lines, isStart: true });
    hasFailed = true;
    return Promise.reject(new EngineError(reason));
  };
}

describe('older lines of several logs', () => {
  for (const reason of ['disconnected', 'sshFull', 'cut', 'timeout', 'refused'] as const) {
    it(`can be requested again after a transient failure: ${reason}`, async () => {
      const merge = new OlderMerge();
      merge.add(0, failsOnce(reason, [line(1), line(3)]), false);
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

  for (const reason of ['notFound', 'engineRemoved', 'failed'] as const) {
    it(`are those of the other logs if one can no longer be read: ${reason}`, async () => {
      const merge = new OlderMerge();
      merge.add(0, failsOnce(reason, [line(1)]), false);
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
