import type { Reading } from '../statistics/reading.ts';
import { READING_FIELDS, type ReadingRow } from './protocol.ts';

/** Returns a reading as the page gets it. What an engine makes up is not known: the page never gets such numbers. */
export function readingRow(reading: Reading): ReadingRow {
  const values = READING_FIELDS.map((field) => {
    const value = reading[field];
    return isSane(value, field === 'cpuPercent' ? MOST_PERCENT : MOST) ? value : null;
  });
  return [reading.at, ...values];
}

function isSane(value: number | undefined, most: number): value is number {
  return value !== undefined && value >= 0 && value <= most;
}

/** 10,000 processors. */
const MOST_PERCENT = 1_000_000;

const MOST = Number.MAX_SAFE_INTEGER;
