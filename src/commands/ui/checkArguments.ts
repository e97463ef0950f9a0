import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';

/**
 * Checks a plain object against a schema before any request is sent.
 *
 * @throws InputError that names the field: unknown, missing or of another kind.
 */
export function checkArguments(value: object, shape: ArgumentSchema, command: string): void {
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  for (const [name, field] of fields) {
    const wanted = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!wanted) throw new InputError(l10n.t('{0}: unknown property "{1}".', command, name));
    const { check, expected } = checkOf(wanted.kind);
    if (!check(field)) {
      throw new InputError(l10n.t('{0}: "{1}" must be {2}.', command, name, expected));
    }
  }
  for (const [name, { required }] of Object.entries(shape)) {
    if (required && !fields.some(([given]) => given === name)) {
      throw new InputError(l10n.t('{0}: property "{1}" is required.', command, name));
    }
  }
}

/** The kinds of values that a field of a command's argument can have. */
export type FieldKind =
  | keyof typeof PLAIN_KINDS
  | { readonly oneOf: readonly string[] }
  /** Any value; the command checks it. */
  | FieldCheck;

interface FieldCheck {
  readonly check: (value: unknown) => boolean;
  /** The expected value, as part of a sentence. */
  readonly expected: string;
}

/** The fields of a command's argument. Fields with `required` must be present. */
export type ArgumentSchema = Readonly<
  Record<string, { readonly kind: FieldKind; readonly required?: true }>
>;

const PLAIN_KINDS = {
  text: () => ({ check: isText, expected: l10n.t('a string') }),
  boolean: () => ({
    check: (value: unknown) => typeof value === 'boolean',
    expected: l10n.t('true or false'),
  }),
  wholeNumber: () => ({
    check: Number.isSafeInteger,
    expected: l10n.t('an integer'),
  }),
  texts: () => ({
    check: (value: unknown) => Array.isArray(value) && value.every(isText),
    expected: l10n.t('an array of strings'),
  }),
  textMap: () => ({
    check: (value: unknown) => isPlainObject(value) && Object.values(value).every(isText),
    expected: l10n.t('an object with string values'),
  }),
};

function checkOf(kind: FieldKind): FieldCheck {
  if (typeof kind === 'string') return PLAIN_KINDS[kind]();
  if (!('oneOf' in kind)) return kind;
  const expected = l10n.t('one of {0}', kind.oneOf.map((one) => `"${one}"`).join(', '));
  return { check: (value) => kind.oneOf.some((one) => one === value), expected };
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** Whether a value is an object literal or parsed JSON, not an array or an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isForeignPlain(prototype);
}

/** Whether this is the `Object.prototype` of another realm: VS Code runs some callers in separate realms. */
function isForeignPlain(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  );
}
