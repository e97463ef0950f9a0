import assert from 'node:assert/strict';
import {
  ageOfImage,
  ageOfStatus,
  narrow,
  nextChangeAt,
  parseStatus,
  formatAge,
  type Age,
} from '../../../src/inventory/age.ts';
import { image } from './support/nouns.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-06-01T12:00:00Z');

const wordsOf = (milliseconds: number): string =>
  formatAge({ earliest: 0, latest: 0 }, milliseconds);

/** Returns the age of a status text in a list that came at `NOW`. */
const told = (status: string, at = NOW): Age => {
  const age = ageOfStatus(parseStatus(status), at);
  assert(age, status);
  return age;
};

/** Ages over five years, dense at first. */
function* samples(): Generator<number> {
  for (let age = 0; age < 5 * 365 * DAY; age += Math.max(137, Math.floor(age / 311))) yield age;
}

describe('inventory/age: parseStatus', () => {
  const cases: readonly [string, object][] = [
    ['Up 5 minutes', { kind: 'up', ago: [5 * MINUTE, 6 * MINUTE] }],
    ['Up 5 minutes (healthy)', { kind: 'up', note: 'healthy', ago: [5 * MINUTE, 6 * MINUTE] }],
    [
      'Up 1 second (health: starting)',
      { kind: 'up', note: 'health: starting', ago: [SECOND, 2 * SECOND] },
    ],
    ['Up About a minute', { kind: 'up', ago: [MINUTE, 2 * MINUTE] }],
    ['Up About an hour', { kind: 'up', ago: [HOUR, 1.5 * HOUR] }],
    ['Up Less than a second', { kind: 'up', ago: [0, SECOND] }],
    ['Up 2 hours (Paused)', { kind: 'up', note: 'Paused', ago: [1.5 * HOUR, 2.5 * HOUR] }],
    ['Up 47 hours', { kind: 'up', ago: [46.5 * HOUR, 47.5 * HOUR] }],
    ['Up 2 days', { kind: 'up', ago: [47.5 * HOUR, 71.5 * HOUR] }],
    ['Up 8 weeks', { kind: 'up', ago: [1343.5 * HOUR, 1439.5 * HOUR] }],
    ['Up 5 minutes ago', { kind: 'up', ago: [5 * MINUTE, 6 * MINUTE] }],
    ['Exited (1) 2 hours ago', { kind: 'exited', exitCode: 1, ago: [1.5 * HOUR, 2.5 * HOUR] }],
    ['Exited (0) Less than a second ago', { kind: 'exited', exitCode: 0, ago: [0, SECOND] }],
    [
      'Exited (-1) 3 weeks ago',
      { kind: 'exited', exitCode: -1, ago: [503.5 * HOUR, 671.5 * HOUR] },
    ],
    [
      'Exited (137) 2 years ago',
      { kind: 'exited', exitCode: 137, ago: [17519.5 * HOUR, 26279.5 * HOUR] },
    ],
    ['Exited (2)', { kind: 'exited', exitCode: 2 }],
    ['Restarting (1) 3 seconds ago', { kind: 'restarting', exitCode: 1, ago: [3000, 4000] }],
    ['Created', { kind: 'created' }],
    ['Dead', { kind: 'dead' }],
    ['Removal In Progress', { kind: 'removing' }],
    ['', { kind: 'other' }],
    ['Stopping', { kind: 'other' }],
    ['Upset', { kind: 'other' }],
    ['Up quite a while', { kind: 'up' }],
    ['constructor', { kind: 'other' }],
  ];
  for (const [text, parts] of cases) {
    it(`parses "${text}"`, () => assert.deepEqual(parseStatus(text), parts));
  }
});

describe('inventory/age: formatAge', () => {
  const cases: readonly [number, string][] = [
    [0, 'Less than a second'],
    [999, 'Less than a second'],
    [SECOND, '1 second'],
    [2 * SECOND, '2 seconds'],
    [9 * SECOND, '9 seconds'],
    [10 * SECOND, '10 seconds'],
    [20 * SECOND - 1, '10 seconds'],
    [20 * SECOND, '20 seconds'],
    [MINUTE - 1, '50 seconds'],
    [MINUTE, 'About a minute'],
    [2 * MINUTE, '2 minutes'],
    [HOUR - 1, '59 minutes'],
    [HOUR, 'About an hour'],
    [1.5 * HOUR, '2 hours'],
    [47.5 * HOUR - 1, '47 hours'],
    [47.5 * HOUR, '2 days'],
    [14 * DAY - HOUR, '13 days'],
    [14 * DAY, '2 weeks'],
    [60 * DAY - HOUR, '8 weeks'],
    [60 * DAY, '2 months'],
    [730 * DAY - HOUR, '24 months'],
    [730 * DAY, '2 years'],
    [1095 * DAY, '3 years'],
  ];
  for (const [age, words] of cases) {
    it(`returns "${words}" at ${age} ms`, () => assert.equal(wordsOf(age), words));
  }

  it('returns a text whose span contains the age, over five years, except for seconds in tens', () => {
    for (const age of [...samples()].filter((one) => one < 10 * SECOND || one >= MINUTE)) {
      const { earliest, latest } = told(`Up ${wordsOf(age)}`);
      assert(NOW - age > earliest && NOW - age <= latest, `${age}: ${wordsOf(age)}`);
    }
  });

  it('returns the same text until the time of the next change, and another one from then on', () => {
    const age = { earliest: 0, latest: 0 };
    for (const now of samples()) {
      const next = nextChangeAt(age, now);
      assert(next > now);
      assert.equal(wordsOf(next - 1), wordsOf(now));
      assert.notEqual(wordsOf(next), wordsOf(now));
    }
  });

  it('never returns a future time if the clocks differ', () => {
    const age = { earliest: NOW + HOUR, latest: NOW + HOUR };
    assert.equal(formatAge(age, NOW), 'Less than a second');
    assert(nextChangeAt(age, NOW) > NOW);
  });

  it('counts from the creation time of an image', () => {
    const age = ageOfImage(image('a', { createdAt: '2026-06-01T11:00:00Z' }));
    assert.equal(age && formatAge(age, NOW), 'About an hour');
    assert.equal(ageOfImage(image('a', { createdAt: 'soon' })), undefined);
  });
});

describe('inventory/age: narrow', () => {
  it('keeps an exact age when a coarse list comes later', () => {
    const exact = told('Up 1 second', NOW);
    const later = NOW + 2.4 * HOUR;
    const age = narrow(exact, told('Up 2 hours', later));
    assert.deepEqual(age, exact);
  });

  it('intersects the spans of both lists', () => {
    const age = narrow(told('Up 2 hours', NOW), told('Up 3 hours', NOW + HOUR / 4));
    assert.deepEqual(age, { earliest: NOW - 2.5 * HOUR, latest: NOW + HOUR / 4 - 2.5 * HOUR });
  });

  it('never lets the displayed age decrease', () => {
    const began = NOW - 100 * MINUTE;
    let age = told(`Up ${wordsOf(NOW - began)}`, NOW);
    let shown = 0;
    for (let now = NOW; now < NOW + DAY; now += 7 * MINUTE) {
      age = narrow(age, told(`Up ${wordsOf(now - began)}`, now)) ?? age;
      assert(now - age.latest >= shown, 'the shown age must not decrease');
      assert(age.latest >= began && age.earliest < began);
      shown = now - age.latest;
    }
  });

  it('uses the later list alone if it must be of another run', () => {
    const again = told('Up 3 seconds', NOW + HOUR);
    assert.deepEqual(narrow(told('Up 2 hours', NOW), again), again);
  });

  it('tolerates the delay of a response', () => {
    const exact = told('Up 10 seconds', NOW);
    assert.deepEqual(narrow(exact, told('Up 59 minutes', NOW + HOUR - 9500)), exact);
  });

  it('returns the age of the later list if either age is unknown', () => {
    assert.equal(narrow(told('Up 2 hours'), undefined), undefined);
    assert.deepEqual(narrow(undefined, told('Up 2 hours')), told('Up 2 hours'));
  });
});
