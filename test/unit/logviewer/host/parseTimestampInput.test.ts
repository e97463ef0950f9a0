import assert from 'node:assert/strict';
import { parseTimestampInput } from '../../../../src/logviewer/host/goToTime.ts';

const NOW = Date.parse('2026-08-01T14:10:00Z');
const moment = (text: string, isUtc = true): string | undefined => {
  const found = parseTimestampInput(text, NOW, isUtc);
  return found === undefined ? undefined : new Date(found).toISOString();
};

describe('parseTimestampInput', () => {
  const said: [string, string][] = [
    ['14:02', '2026-08-01T14:02:00.000Z'],
    [' 9:05:07.5 ', '2026-08-01T09:05:07.500Z'],
    ['14:11', '2026-07-31T14:11:00.000Z'],
    ['today 23:00', '2026-08-01T23:00:00.000Z'],
    ['Yesterday 14:02', '2026-07-31T14:02:00.000Z'],
    ['2026-07-20', '2026-07-20T00:00:00.000Z'],
    ['2026-07-20 08:30', '2026-07-20T08:30:00.000Z'],
    ['2026-07-20T08:30:15.25Z', '2026-07-20T08:30:15.250Z'],
    ['2026-07-20T08:30:15+02:00', '2026-07-20T06:30:15.000Z'],
    ['-15m', '2026-08-01T13:55:00.000Z'],
    ['- 2 h', '2026-08-01T12:10:00.000Z'],
    ['-1d', '2026-07-31T14:10:00.000Z'],
  ];
  for (const [text, expected] of said) {
    it(`returns ${expected} for "${text}"`, () => assert.equal(moment(text), expected));
  }

  for (const text of ['', 'soon', '25:00', '14:60', '2026-13-01', '15m', '-15', '14']) {
    it(`rejects "${text}"`, () => assert.equal(moment(text), undefined));
  }

  it('uses the local time zone if none is given', () => {
    const expected = new Date(2026, 6, 20, 8, 30).toISOString();
    assert.equal(moment('2026-07-20 08:30', false), expected);
    const clock = parseTimestampInput('00:00', NOW, false);
    assert.equal(new Date(clock ?? NaN).getHours(), 0);
  });
});
