import assert from 'node:assert/strict';

import { InputError } from '../../../../src/engine/errors.ts';
import {
  formatNanoseconds,
  formatMemory,
  parseDuration,
  parseMemory,
  parseCpus,
} from '../../../../src/engine/options/quantities.ts';
import { readNumber } from '../../../../src/commands/create/createDraft.ts';

const refuses = (read: () => unknown, sentence: RegExp): void => {
  assert.throws(read, (error) => error instanceof InputError && sentence.test(error.message));
};

describe('engine/quantities', () => {
  it('parses memory in every unit, and formats it so that it parses to the same amount', () => {
    const known: readonly [text: string, bytes: number, written: string][] = [
      ['512m', 536_870_912, '512m'],
      ['1.5g', 1_610_612_736, '1536m'],
      ['1GB', 1_073_741_824, '1g'],
      ['64KiB', 65_536, '64k'],
      ['1000', 1000, '1000b'],
      ['7b', 7, '7b'],
    ];
    for (const [text, bytes, written] of known) {
      assert.equal(parseMemory(text), bytes, text);
      assert.equal(formatMemory(bytes), written);
      assert.equal(parseMemory(written), bytes);
    }
  });

  it('rejects an invalid amount of memory', () => {
    for (const text of ['', '0', '0.1b', '-1m', 'm', '1x', '1 2m', '1e9', '9999999999g']) {
      refuses(() => parseMemory(text), /^".*" is not a memory size/);
    }
  });

  it('parses durations, and formats them so that they parse to the same duration', () => {
    const known: readonly [text: string, nanoseconds: number, written: string][] = [
      ['30s', 30e9, '30s'],
      ['1m30s', 90e9, '1m30s'],
      ['90s', 90e9, '1m30s'],
      ['1.5h', 5400e9, '1h30m'],
      ['500ms', 5e8, '500ms'],
      ['1ms', 1e6, '1ms'],
      ['1500us', 1_500_000, '1ms500us'],
    ];
    for (const [text, nanoseconds, written] of known) {
      assert.equal(parseDuration(text), nanoseconds, text);
      assert.equal(formatNanoseconds(nanoseconds), written);
      assert.equal(parseDuration(written), nanoseconds);
    }
  });

  it('rejects an invalid duration, and one that engines would treat as not set', () => {
    for (const text of ['', '30', '-1s', '1d', '1m 30s', 's', '1e3s', '99999999h']) {
      refuses(() => parseDuration(text), /^".*" is not a duration/);
    }
    for (const text of ['0s', '999us', '1ns']) refuses(() => parseDuration(text), /is too short/);
  });

  it('parses fractions of CPUs', () => {
    const read = (text: string): number => parseCpus(readNumber(text), text);
    assert.equal(read('0.5'), 500_000_000);
    assert.equal(read('2'), 2_000_000_000);
    assert.equal(read('0.001'), 1_000_000);
    for (const text of ['', '0', '-1', '1,5', 'two', '1e3', '99999999999']) {
      refuses(() => read(text), new RegExp(`^"${text}" is not a number of CPUs`));
    }
  });
});
