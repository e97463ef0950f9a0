import assert from 'node:assert/strict';
import { LINE_END, TextSelection } from '../../../../../src/logviewer/page/rows/textSelection.ts';
import type { Row } from '../../../../../src/logviewer/protocol.ts';

const row = (id: number) => ({ id }) as Row;

describe('TextSelection', () => {
  it('selects from its start to where it was extended, forward and backward', () => {
    const selection = new TextSelection();
    selection.start({ id: 5, character: 3 });
    assert.ok(!selection.span);
    selection.extend({ id: 7, character: 1 });
    assert.deepEqual(selection.partOf(row(5)), { start: 3, end: LINE_END });
    assert.deepEqual(selection.partOf(row(6)), { start: 0, end: LINE_END });
    assert.deepEqual(selection.partOf(row(7)), { start: 0, end: 1 });
    assert.equal(selection.partOf(row(8)), undefined);
    selection.extend({ id: 5, character: 1 });
    const span = { from: { id: 5, character: 1 }, to: { id: 5, character: 3 } };
    assert.deepEqual(selection.span, span);
  });

  it('extends to whole rows in both directions', () => {
    const selection = new TextSelection();
    selection.extendRows(5, 6);
    selection.extendRows(5, 3);
    assert.deepEqual(selection.span, {
      from: { id: 3, character: 0 },
      to: { id: 5, character: LINE_END },
    });
  });

  it('selects all rows and clears the selection', () => {
    const selection = new TextSelection();
    selection.all();
    assert.deepEqual(selection.partOf(row(-1e6)), { start: 0, end: LINE_END });
    selection.clear();
    assert.equal(selection.span, undefined);
  });
});
