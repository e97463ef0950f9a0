import assert from 'node:assert/strict';
import { lineShift } from '../../../src/builds/lineShift.ts';

const at = (line: number, character: number) => ({ line, character });
const change = (
  start: readonly [number, number],
  end: readonly [number, number],
  text: string,
) => ({
  range: { start: at(...start), end: at(...end) },
  text,
});

describe('the lines of a problem', () => {
  const lines = { start: 4, end: 5 };
  const cases: readonly [what: string, shift: number | undefined, ReturnType<typeof change>][] = [
    ['stay if text is added below', 0, change([6, 0], [6, 0], 'RUN a\n')],
    ['move down with a line that is added above', 1, change([1, 3], [1, 3], '\n')],
    ['move up if the line directly above is deleted', -1, change([3, 0], [4, 0], '')],
    ['move down with a line that is added directly above', 1, change([4, 0], [4, 0], 'RUN a\n')],
    ['move with several lines that are replaced above', -1, change([0, 0], [2, 0], 'RUN a\n')],
    ['change if the line above is joined to them', undefined, change([3, 5], [4, 0], '')],
    ['change with text at their beginning', undefined, change([4, 0], [4, 0], 'x')],
    ['change with text inside', undefined, change([5, 2], [5, 3], 'x')],
  ];
  for (const [what, shift, changed] of cases)
    it(what, () => assert.equal(lineShift(lines, changed), shift));
});
