import type { Connection } from '../../engine/http/connection.ts';
import { parseDuration } from '../../engine/options/quantities.ts';
import { engineTime } from '../../engine/system/system.ts';

/** Checks the `until` of an argument. Returns milliseconds. @throws InputError if it is not a duration. */
export function parseAge(until: string | undefined): number | undefined {
  return until === undefined ? undefined : parseDuration(until) / 1_000_000;
}

/** Returns when something must have been made to have this age now, in milliseconds since 1970 of the engine. */
export async function momentOfAge(
  connection: Connection,
  age: number | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (age === undefined) return undefined;
  const seconds = await engineTime(connection, signal);
  return (seconds === undefined ? Date.now() : Number(seconds) * 1000) - age;
}
