import type { LogSource } from '../../engine/model.ts';
import type { Level } from '../text/level.ts';

/** A line of the store. */
export interface StoredLine extends NewLine {
  readonly id: number;
  readonly level: Level;
}

/** Where a line comes from; a marker is Gantry's own, and so is a gap: where lines are missing. */
export type LineKind = LogSource | 'marker' | 'gap';

/** The kinds by their number in a packed line. */
export const LINE_KINDS: readonly LineKind[] = ['stdout', 'stderr', 'marker', 'gap'];

/** Whether Gantry says it, and not the container. */
export function isGantryLine(kind: LineKind): boolean {
  return kind === 'marker' || kind === 'gap';
}

/** A line on its way into the store. */
export interface NewLine {
  /** Number of the container, 0 to 4095. */
  readonly member: number;
  readonly kind: LineKind;
  /** As the engine spells it; may be empty. */
  readonly timestamp: string;
  /** One line, without its end. Lone surrogates become U+FFFD. */
  readonly text: string;
}

/** So many containers have numbers of their own. */
export const MEMBER_NUMBERS = 0x1000;

/** Member and kind as one number of sixteen bits. */
export function lineOrigin(member: number, kind: LineKind): number {
  return (member % MEMBER_NUMBERS) + MEMBER_NUMBERS * LINE_KINDS.indexOf(kind);
}

/** The number of the container in an origin. */
export function originMember(origin: number): number {
  return origin % MEMBER_NUMBERS;
}

/** The kind in an origin. */
export function originKind(origin: number): LineKind {
  return LINE_KINDS[Math.floor(origin / MEMBER_NUMBERS)] ?? 'stdout';
}
