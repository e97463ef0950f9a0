import assert from 'node:assert/strict';
import { lastState, lastStateIn, visibleText } from '../../../../src/logs/text/visibleText.ts';

const ESC = '\u001b';

describe('the visible text of a line', () => {
  for (const [written, shown] of [
    ['', ''],
    ['a\tb 😀', 'a\tb 😀'],
    [`${ESC}[31mred${ESC}[0m`, 'red'],
    ['10 %\r50 %\r100 %', '100 %'],
    [`10 %\r${ESC}[1mdone${ESC}[0m\r${ESC}[K`, 'done'],
    ['\rone', 'one'],
    ['\r\r', ''],
    [`a${ESC}]0;t\rb`, 'b'],
  ] as const) {
    it(`is ${JSON.stringify(shown)} for ${JSON.stringify(written)}`, () => {
      assert.equal(visibleText(written), shown);
    });
  }

  it('is found in a line with millions of states', () => {
    assert.equal(visibleText(`first${'\r'.repeat(3_000_000)}`), 'first');
    assert.equal(visibleText(`${'x\r'.repeat(1_000_000)}last`), 'last');
  }).timeout(30_000);

  it('has the range that lastStateIn returns', () => {
    assert.deepEqual(lastStateIn('ab\rcd\r'), { start: 3, end: 5 });
    assert.deepEqual(lastStateIn('\r\r'), { start: 2, end: 2 });
    assert.equal(lastState('ab\rcd\r'), 'cd');
  });
});
