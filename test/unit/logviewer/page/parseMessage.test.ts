import assert from 'node:assert/strict';
import { parseMessage } from '../../../../src/logviewer/page/parseMessage.ts';

const ROW = {
  id: -3,
  kind: 'stdout',
  member: 0,
  level: 'info',
  time: '',
  moment: '',
  runs: [{ text: 'a', fg: 3, bg: '#aabbcc', look: 'bi', link: { index: 0, title: 'x' } }],
};

const SHAPE = {
  generation: 1,
  rowCount: 2,
  lineCount: 2,
  droppedCount: 0,
  isStart: true,
  isReadingOlder: false,
  isFiltered: false,
};

const rows = (row: object) => ({ type: 'rows', generation: 1, from: 0, rows: [row] });

describe('a message to the log viewer page', () => {
  it('is taken as it is where it is as agreed', () => {
    for (const message of [
      rows(ROW),
      rows({ ...ROW, json: { isOpen: false, fields: [{ name: 'a', value: 'b' }] } }),
      { type: 'shape', shape: SHAPE },
      { type: 'shape', shape: { ...SHAPE, anchor: { id: 1, row: 0 } } },
      { type: 'shifted', generation: 2, by: -5 },
      { type: 'notice', text: 'done' },
      { type: 'ask', what: 'find' },
    ]) {
      assert.equal(parseMessage(message), message);
    }
  });

  it('is left out where it is not', () => {
    for (const message of [
      undefined,
      null,
      'rows',
      {},
      { type: 'constructor' },
      { type: 'toString' },
      { type: 'rows', generation: 1, from: 0, rows: {} },
      rows({ ...ROW, id: '1' }),
      rows({ ...ROW, level: 'loud' }),
      rows({ ...ROW, runs: [{ text: 1 }] }),
      rows({ ...ROW, runs: [{ text: 'a', fg: 'url(x)' }] }),
      rows({ ...ROW, runs: [{ text: 'a', link: {} }] }),
      rows({ ...ROW, json: { isOpen: true, fields: [{ name: 'a' }] } }),
      { type: 'shape', shape: { ...SHAPE, rowCount: -1 } },
      { type: 'shape', shape: { ...SHAPE, rowCount: 1e99 } },
      { type: 'notice' },
      { type: 'ask', what: 'everything' },
    ]) {
      assert.equal(parseMessage(message), undefined, JSON.stringify(message));
    }
  });
});
