import type { ParseErrorCode } from 'jsonc-parser';

import { InputError } from '../engine/errors.ts';
import type { L10n } from '../l10n.ts';

/** A recipe that cannot be made a container of, with the place of the first fault. Its message names both. */
export class RecipeError extends InputError {
  /** What its reader called the file. */
  readonly file: string;
  readonly position: RecipePosition;

  constructor(file: string, place: RecipePosition, why: string) {
    super(`${file}:${place.line + 1}:${place.column + 1}: ${why}`);
    this.file = file;
    this.position = place;
  }
}

/** A place in a text, both from 0 on. */
export interface RecipePosition {
  readonly line: number;
  readonly column: number;
}

/** Where the character at an offset stands. */
export function textPositionAt(text: string, offset: number): RecipePosition {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}

/** What is wrong with JSON, by the parser's number for it. */
export function syntaxErrorMessage(code: ParseErrorCode, l10n: L10n): string {
  return MESSAGES[code]?.(l10n) ?? l10n.t('This is not JSON.');
}

/** The parser's numbers, which it has for types alone. */
const MESSAGES: Readonly<Record<number, (l10n: L10n) => string>> = {
  3: (l10n) => l10n.t('A name in quotation marks is missing here.'),
  4: (l10n) => l10n.t('A value is missing here.'),
  5: (l10n) => l10n.t('A colon is missing here.'),
  6: (l10n) => l10n.t('A comma is missing here.'),
  7: (l10n) => l10n.t('A closing brace is missing here.'),
  8: (l10n) => l10n.t('A closing bracket is missing here.'),
  9: (l10n) => l10n.t('Nothing may stand after the end.'),
  11: (l10n) => l10n.t('This comment has no end.'),
  12: (l10n) => l10n.t('This text has no closing quotation mark.'),
};
