import type { LogSource } from '../../engine/model.ts';
import type { Level } from '../text/level.ts';

export interface StoredLine extends NewLine {
  readonly id: number;
  readonly level: Level;
}

/** The source of a line. A marker is a message of Gantry, a gap marks missing lines. */
export type LineKind = LogSource | 'marker' | 'gap';

/** The kinds by their number in a packed line. */
const LINE_KINDS: readonly LineKind[] = ['stdout', 'stderr', 'marker', 'gap'];

/** Whether the line is from Gantry, not from the container. */
export function isGantryLine(kind: LineKind): boolean {
  return kind === 'marker' || kind === 'gap';
}

/** A line to add to the store. */
export interface NewLine {
  /** The number of the container, 0 to 4095. */
  readonly member: number;
  readonly kind: LineKind;
  /** In the engine's format; may be empty. */
  readonly timestamp: string;
  /** One line without its line end. Lone surrogates become U+FFFD. */
  readonly text: string;
}

/** Number of containers that can have numbers of their own. */
export const MEMBER_NUMBERS = 0x1000;

/** Encodes member and kind as one 16-bit number. */
export function lineOrigin(member: number, kind: LineKind): number {
  return (member % MEMBER_NUMBERS) + MEMBER_NUMBERS * LINE_KINDS.indexOf(kind);
}

export function originMember(origin: number): number {
  return origin % MEMBER_NUMBERS;
}

export function originKind(origin: number): LineKind {
  return LINE_KINDS[Math.floor(origin / MEMBER_NUMBERS)] ?? 'stdout';
}
