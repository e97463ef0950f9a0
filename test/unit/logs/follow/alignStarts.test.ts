import assert from 'node:assert/strict';
import type { LogLine } from '../../../../src/engine/model.ts';
import { alignStarts } from '../../../../src/logs/follow/alignStarts.ts';
import { OlderMerge } from '../../../../src/logs/follow/olderMerge.ts';
import { TimeMerge } from '../../../../src/logs/follow/timeMerge.ts';

function at(second: number): string {
  return `2026-01-01T00:00:0${second}Z`;
}

function line(second: number): LogLine {
  return { source: 'stdout', timestamp: at(second), text: String(second) };
}

describe('alignStarts', () => {
  // The clock of the first log was set back before its end.
  const first = { member: { index: 0 }, log: { stampBefore: at(5) } };
  const second = { member: { index: 1 }, log: { stampBefore: at(3) } };

  for (const logs of [
    [first, second],
    [second, first],
  ]) {
    const order = logs.map(({ member }) => member.index).join(', ');
    it(`holds back what is from before an unread line of another log: ${order}`, async () => {
      const shown: string[] = [];
      const merge = new TimeMerge({
        lines: (_, lines) => {
          shown.push(...lines.map(({ text }) => text));
          return Promise.resolve();
        },
        marker: () => Promise.resolve(),
      });
      const past = new OlderMerge();
      await merge.lines(0, [line(2), line(4), line(6)]);
      await merge.lines(1, [line(4), line(7)]);
      alignStarts(new Set(logs), merge, past);
      await merge.open();
      const { lines } = await past.older(10, new AbortController().signal);
      const held = lines.map(({ member, line: { text } }) => `${member} ${text}`);
      assert.deepEqual(
        [held, shown],
        [
          ['0 2', '1 4'],
          ['4', '6', '7'],
        ],
      );
      merge.dispose();
    });
  }
});
