import { InputError } from '../engine/errors.ts';
import type { L10n } from '../l10n.ts';

/** What a field of a command's argument must be. */
export type FieldKind =
  | 'text'
  | 'boolean'
  | 'wholeNumber'
  | 'texts'
  | 'textMap'
  | { readonly oneOf: readonly string[] }
  /** Anything its command checks itself. */
  | { readonly check: (value: unknown) => boolean; readonly expected: string };

/** The fields of a command's argument; `required` ones must be there. */
export type ArgumentSchema = Readonly<
  Record<string, { readonly kind: FieldKind; readonly required?: true }>
>;

/**
 * Checks a plain object against a shape before anything is sent.
 *
 * @throws InputError that names the field: unknown, missing or of another kind.
 */
export function checkArguments(
  value: object,
  shape: ArgumentSchema,
  command: string,
  l10n: L10n,
): void {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  for (const [name, field] of fields) {
    const expected = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!expected) throw new InputError(l10n.t('{0} knows no field "{1}".', command, name));
    if (!fits(field, expected.kind)) {
      throw new InputError(
        l10n.t('{0}: "{1}" must be {2}.', command, name, describeKind(expected.kind, l10n)),
      );
    }
  }
  for (const [name, { required }] of Object.entries(shape)) {
    if (required && !fields.some(([given]) => given === name)) {
      throw new InputError(l10n.t('{0} needs the field "{1}".', command, name));
    }
  }
}

function fits(value: unknown, kind: FieldKind): boolean {
  if (typeof kind === 'object') {
    return 'oneOf' in kind ? kind.oneOf.some((one) => one === value) : kind.check(value);
  }
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'wholeNumber':
      return Number.isSafeInteger(value);
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'textMap':
      return isPlainObject(value) && Object.values(value).every((one) => typeof one === 'string');
  }
}

function describeKind(kind: FieldKind, l10n: L10n): string {
  if (typeof kind === 'object') {
    return 'oneOf' in kind
      ? l10n.t('one of {0}', kind.oneOf.map((one) => `"${one}"`).join(', '))
      : kind.expected;
  }
  switch (kind) {
    case 'text':
      return l10n.t('a text');
    case 'boolean':
      return l10n.t('true or false');
    case 'wholeNumber':
      return l10n.t('a whole number');
    case 'texts':
      return l10n.t('a list of texts');
    case 'textMap':
      return l10n.t('an object whose values are texts');
  }
}

/** An object written by hand or come through JSON; no instance of a class, no array. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isForeignPlain(prototype);
}

/** `Object.prototype` of another realm: VS Code runs some callers in one of their own. */
function isForeignPlain(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  );
}
