import assert from 'node:assert/strict';
import { KNOWN, PASSES, type MarkReport } from '../../../../src/logs/search/lineQuery.ts';
import { EMPTY_FILTER, type RowSpan } from '../../../../src/logviewer/protocol.ts';
import { DEFAULT_STYLE } from '../../../../src/logviewer/host/keptStyle.ts';
import { SessionLab } from '../sessionLab.ts';

/** A session with a filter that hides every line except those with the given IDs. */
async function filtered(texts: readonly string[], shown: readonly number[]): Promise<SessionLab> {
  const lab = new SessionLab();
  let report: (marked: MarkReport) => void = () => assert.fail();
  const rows = (_: unknown, onMarks: typeof report): Promise<void> => {
    report = onMarks;
    return Promise.resolve();
  };
  Object.assign(lab.search, { rows });
  await lab.say({ type: 'ready' });
  await lab.write(...texts);
  await lab.say({ type: 'filter', filter: { ...EMPTY_FILTER, levels: ['error'] } });
  const marks = Uint8Array.from(texts, (_, id) => KNOWN | (shown.includes(id) ? PASSES : 0));
  report({ from: 0, marks, isDone: true, isFresh: false });
  return lab;
}

async function copied(lab: SessionLab, span: RowSpan): Promise<unknown> {
  lab.done.length = 0;
  await lab.say({ type: 'copy', ...span, withColors: false });
  return lab.done.map(([, text]) => text);
}

const span = (from: number, to: number): RowSpan => ({
  from: { id: from, character: 0 },
  to: { id: to, character: Number.MAX_SAFE_INTEGER },
});

describe('text that is copied', () => {
  it('ends before a row that is not selected, even if the last selected rows are hidden', async () => {
    const lab = await filtered(['one', 'two', 'three', 'four'], [0, 1, 3]);
    assert.deepEqual(await copied(lab, span(0, 2)), ['one\ntwo']);
  });

  it('begins after a row that is not selected, even if all later rows are hidden', async () => {
    const lab = await filtered(['one', 'two', 'three'], [0]);
    assert.deepEqual(await copied(lab, span(0, 2)), ['one']);
    assert.deepEqual(await copied(lab, span(1, 2)), []);
  });

  it('leaves the clipboard as it is if all selected rows are hidden or cleared', async () => {
    const lab = await filtered(['one', 'two', 'three'], [0, 2]);
    assert.deepEqual(await copied(lab, span(1, 1)), []);
    await lab.say({ type: 'filter', filter: EMPTY_FILTER });
    await lab.say({ type: 'command', name: 'clear' });
    await lab.write('new');
    assert.deepEqual(await copied(lab, span(0, 2)), []);
  });

  it('has the selected JSON fields of each row, like the rows', async () => {
    const lab = new SessionLab();
    await lab.say({ type: 'ready' });
    const line = (level: string, msg: string): string => JSON.stringify({ level, msg });
    await lab.write(line('info', 'one'), '{"ms":1}', line('warn', 'two'), line('error', 'three'));
    await lab.say({ type: 'style', style: { ...DEFAULT_STYLE, fields: ['level', 'msg'] } });
    const to = { id: 3, character: 9 };
    assert.deepEqual(await copied(lab, { from: { id: 0, character: 0 }, to }), [
      ['info   one', '{"ms":1}', 'warn   two', 'error  th'].join('\n'),
    ]);
  });
});
