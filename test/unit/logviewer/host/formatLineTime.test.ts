import assert from 'node:assert/strict';
import { formatShortTime, formatLineTime } from '../../../../src/logviewer/host/formatLineTime.ts';

const NOW = Date.parse('2026-08-01T14:02:10Z');
const words = (timestamp: string, times: 'off' | 'relative' | 'local' | 'utc'): string =>
  formatLineTime(timestamp, times, NOW);

describe('time of a line', () => {
  it('is empty if the style shows none or the timestamp is missing or invalid', () => {
    assert.equal(words('2026-08-01T14:02:07.123456789Z', 'off'), '');
    assert.equal(words('', 'utc'), '');
    assert.equal(words('yesterday', 'utc'), '');
  });

  it('is in UTC, with the date if it is another day', () => {
    assert.equal(words('2026-08-01T14:02:07.123456789Z', 'utc'), '14:02:07.123');
    assert.equal(words('2026-08-01T16:02:07.5+02:00', 'utc'), '14:02:07.500');
    assert.equal(words('2026-07-31T23:59:59Z', 'utc'), '2026-07-31 23:59:59.000');
  });

  it('is in the local time zone', () => {
    const date = new Date('2026-08-01T14:02:07.123Z');
    const two = (part: number): string => String(part).padStart(2, '0');
    const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.123`;
    assert.ok(words('2026-08-01T14:02:07.123Z', 'local').endsWith(clock));
  });

  const ago: [string, string][] = [
    ['2026-08-01T14:02:10.9Z', '0 s ago'],
    ['2026-08-01T14:01:11Z', '59 s ago'],
    ['2026-08-01T14:01:10Z', '1 min ago'],
    ['2026-08-01T12:02:10Z', '2 h ago'],
    ['2026-07-30T14:02:09Z', '2 d ago'],
  ];
  for (const [timestamp, expected] of ago) {
    it(`is "${expected}" for ${timestamp}`, () => {
      assert.equal(words(timestamp, 'relative'), expected);
    });
  }

  it('has a short form without seconds', () => {
    assert.equal(formatShortTime('2026-08-01T13:05:07Z', 'utc', NOW), '13:05');
    assert.equal(formatShortTime('2026-07-31T13:05:07Z', 'utc', NOW), '2026-07-31 13:05');
  });
});
