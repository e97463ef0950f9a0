import assert from 'node:assert/strict';
import {
  isLaterStamp,
  parseSince,
  shiftedDate,
  stampAsSince,
} from '../../../../src/engine/logs/logStamps.ts';

describe("an engine's time stamp", () => {
  it('is converted to seconds and nanoseconds without loss', () => {
    assert.equal(stampAsSince('2026-08-01T10:00:00.123456789Z'), '1785578400.123456789');
    assert.equal(stampAsSince('2026-08-01T10:00:00Z'), '1785578400.000000000');
    assert.equal(stampAsSince('2026-08-01T12:00:00.5+02:00'), '1785578400.500000000');
    assert.equal(stampAsSince('yesterday'), '');
  });

  it('is shifted by nanoseconds and formatted as a date', () => {
    assert.equal(shiftedDate('1785578400.123456789', -1n), '2026-08-01T10:00:00.123456788Z');
    assert.equal(shiftedDate('1785578400', -1n), '2026-08-01T09:59:59.999999999Z');
    assert.equal(shiftedDate('1785578400.5', 1n), '2026-08-01T10:00:00.500000001Z');
    assert.equal(shiftedDate('0', -1n), '1969-12-31T23:59:59.999999999Z');
  });

  it('is compared by time, whatever the time zone', () => {
    assert.ok(isLaterStamp('2026-08-01T10:00:00.000000002Z', '2026-08-01T10:00:00.000000001Z'));
    assert.ok(!isLaterStamp('2026-08-01T10:00:00.000000001Z', '2026-08-01T10:00:00.000000001Z'));
    assert.ok(isLaterStamp('2026-08-01T10:00:00+01:00', '2026-08-01T10:30:00+02:00'));
    assert.ok(!isLaterStamp('2026-08-01T10:30:00+02:00', '2026-08-01T10:00:00+01:00'));
    assert.ok(isLaterStamp('2026-08-01T10:00:00Z', ''));
  });
});

describe('a start time from the user', () => {
  for (const [text, expected] of [
    [0, '0'],
    [1785578400, '1785578400'],
    ['1785578400', '1785578400'],
    ['1785578400.123456789', '1785578400.123456789'],
    ['2026-08-01T10:00:00Z', '1785578400'],
    [' 2026-08-01t10:00:00z ', '1785578400'],
    ['2026-08-01T10:00:00.123456789Z', '1785578400.123456789'],
    ['2026-08-01 12:00+02:00', '1785578400'],
    ['2026-08-01T12:00:00,5+0200', '1785578400.500000000'],
    ['2026-08-01T12:00:00+02', '1785578400'],
  ] as const) {
    it(`${JSON.stringify(text)} is parsed as ${expected}`, () => {
      assert.equal(parseSince(text), expected);
    });
  }

  it('is local if it has no time zone', () => {
    assert.equal(parseSince('2026-08-01'), String(new Date(2026, 7, 1).getTime() / 1000));
    assert.equal(
      parseSince('2026-08-01T10:20'),
      String(new Date(2026, 7, 1, 10, 20).getTime() / 1000),
    );
  });

  for (const text of [
    '',
    '10m',
    'yesterday',
    '-5',
    '1e9',
    '2026-13-01',
    '1960-01-01',
    'NaN',
    -1,
    NaN,
    1.5e-9,
  ]) {
    it(`${JSON.stringify(text)} is rejected with a message that quotes it`, () => {
      assert.throws(() => parseSince(text), {
        name: 'InputError',
        message: `"${String(text)}" is not a start time. Use the form 2026-08-01T10:00:00Z, or seconds since 1970.`,
      });
    });
  }
});
