import { createOne, verb, waitForEnd } from './crowd.ts';

/** The text in three lines of a big log. */
export const NEEDLE = 'the planted Needle';
/** The positions of these lines, as fractions of the log. */
export const PLANTED = [0.01, 0.5, 0.99] as const;
/** The bytes that engines send per line: header, timestamp, text, and line end. */
export const LINE_BYTES = 107;
const HEADER = 8;
const STAMP = 31;
const TEXT_BYTES = LINE_BYTES - HEADER - STAMP - 1;
const PROSE = 'The quick brown fox jumps over the lazy dog and on';

/**
 * Runs a container that prints lines of equal length and exits. Resolves to its ID when the engine has stored
 * all lines.
 */
export async function makeBigLog(socket: string, name: string, lines: number): Promise<string> {
  const id = await createOne(socket, name, { Cmd: ['awk', programFor(lines)] });
  await verb(socket, id, 'start');
  await waitForEnd(socket, id);
  return id;
}

/** Returns the number at the start of a line of a big log, or NaN. */
export function numberOf(text: string): number {
  return Number(/^line (\d{8}) /.exec(text)?.[1] ?? NaN);
}

function programFor(lines: number): string {
  const places = PLANTED.map((share) => `i == ${Math.round(lines * share)}`).join(' || ');
  const width = TEXT_BYTES - 'line 12345678 '.length;
  return `BEGIN {
    for (i = 0; i < ${lines}; i++)
      printf "line %08d %-${width}.${width}s\\n", i, (${places}) ? "${NEEDLE}" : "${PROSE}";
  }`;
}
