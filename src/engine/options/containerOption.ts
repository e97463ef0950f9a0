import { asText, asTextMap, asTexts } from '../wire/wire.ts';
import { isHealthcheck, type Healthcheck } from './healthcheck.ts';

/** One option of a container: how its value is checked, and which API field has it. */
export interface ContainerOption<Kind extends OptionKind = OptionKind> {
  readonly kind: Kind;
  /** Flag of `docker run`; undefined if the option is not written as a flag. */
  readonly flag: string | undefined;
  /** Field of the value in a container inspect. In a create request, the fields of `Config` are at the top level. */
  readonly at: WirePath | undefined;
  /**
   * Converts a value (or one entry of a list) to the form used in a request.
   *
   * @param text the text that the user entered for a number.
   * @throws InputError if the value is invalid.
   */
  readonly check: (value: unknown, text?: string) => unknown;
  /** Like `check`, for the whole value; undefined if the request does not set the field. */
  readonly toWire: (value: unknown) => unknown;
  readonly fromWire: WireReader;
}

/** Value types by kind. */
export interface OptionValues {
  readonly text: string;
  readonly texts: readonly string[];
  /** The words of a command: a single value, not a list of entries. */
  readonly words: readonly string[];
  readonly textMap: Readonly<Record<string, string>>;
  readonly boolean: boolean;
  readonly wholeNumber: number;
  readonly number: number;
  readonly healthcheck: Healthcheck | false;
}

export type OptionKind = keyof OptionValues;

type WirePath = `${'Config' | 'HostConfig'}.${string}`;

/**
 * Converts the value in a container inspect to an option value; undefined if it is the default of the image or
 * the engine.
 */
export type WireReader = (
  own: unknown,
  ofImage: unknown,
  container: Readonly<Record<string, unknown>>,
) => unknown;

/** Defines an option with a single value. */
export function option<Kind extends OptionKind>(
  kind: Kind,
  flag: string | undefined,
  at: WirePath | undefined,
  check: (value: OptionValues[Kind], text?: string) => unknown = (value) => value,
  fromWire: WireReader = READERS[kind] ?? unread,
): ContainerOption<Kind> {
  const convert: ContainerOption['check'] = (value, text) => check(NARROWED[kind](value), text);
  return { kind, flag, at, check: convert, toWire: convert, fromWire };
}

/**
 * Defines an option with a list of independent entries.
 *
 * @param join makes one value of the results of `check`.
 */
export function listOption<Entry>(
  flag: string,
  at: WirePath,
  check: (entry: string) => Entry,
  fromWire: WireReader = readTexts,
  join: (entries: readonly Entry[]) => unknown = (entries) => entries,
): ContainerOption<'texts'> {
  const toWire: ContainerOption['toWire'] = (value) => {
    const entries = asTexts(value).map((entry) => check(entry));
    // An empty list is the same as no list, but some engines treat `[]` as an explicit value.
    return entries.length === 0 ? undefined : join(entries);
  };
  const checkEntry: ContainerOption['check'] = (entry) => check(asText(entry));
  return { kind: 'texts', flag, at, check: checkEntry, toWire, fromWire };
}

/** Returns the list; undefined if it is empty. */
export function nonEmpty(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Reader of an option that is not read from a field of its own. */
export const unread: WireReader = () => undefined;

const readTexts: WireReader = (own) => nonEmpty(asTexts(own));

const READERS: Readonly<Partial<Record<OptionKind, WireReader>>> = {
  text: (own, ofImage) => (asText(own) === asText(ofImage) ? undefined : asText(own) || undefined),
  boolean: (own) => (own === true ? true : undefined),
};

const NARROWED: { readonly [Kind in OptionKind]: (value: unknown) => OptionValues[Kind] } = {
  text: asText,
  texts: asTexts,
  words: asTexts,
  textMap: asTextMap,
  boolean: (value) => value === true,
  wholeNumber: toNumber,
  number: toNumber,
  healthcheck: (value) => (isHealthcheck(value) ? value : {}),
};

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}
