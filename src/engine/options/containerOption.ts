import type { L10n } from '../../l10n.ts';
import { asText, asTextMap, asTexts } from '../wire.ts';
import { isHealthcheck, type Healthcheck } from './healthcheck.ts';

/** One option of a container: what its value must be, and where it is found again. */
export interface ContainerOption<Kind extends OptionKind = OptionKind> {
  readonly kind: Kind;
  /** Its flag of `docker run`, unless it is written in another way. */
  readonly flag: string | undefined;
  /** Where its value is in an inspect of a container. A request has the fields of `Config` at its top. */
  readonly at: WirePath | undefined;
  /**
   * Converts a value, of a list one entry, to what a request has for it.
   *
   * @param text what was typed for a number.
   * @throws InputError if it is invalid.
   */
  readonly check: (value: unknown, l10n: L10n, text?: string) => unknown;
  /** The same for the value as a whole; undefined if a request says nothing of it. */
  readonly toWire: (value: unknown, l10n: L10n) => unknown;
  readonly fromWire: WireReader;
}

/** The types of values, by kind. */
export interface OptionValues {
  readonly text: string;
  readonly texts: readonly string[];
  /** The words of a command: one thing, and not a list of entries. */
  readonly words: readonly string[];
  readonly textMap: Readonly<Record<string, string>>;
  readonly boolean: boolean;
  readonly wholeNumber: number;
  readonly number: number;
  readonly healthcheck: Healthcheck | false;
}

export type OptionKind = keyof OptionValues;

type WirePath = `${'Config' | 'HostConfig'}.${string}`;

/** Converts what an inspect has for an option; undefined if the image or the engine says the same by itself. */
export type WireReader = (
  own: unknown,
  ofImage: unknown,
  container: Readonly<Record<string, unknown>>,
) => unknown;

/** Makes the row of an option whose value is one thing. */
export function option<Kind extends OptionKind>(
  kind: Kind,
  flag: string | undefined,
  at: WirePath | undefined,
  check: (value: OptionValues[Kind], l10n: L10n, text?: string) => unknown = (value) => value,
  fromWire: WireReader = READERS[kind] ?? unread,
): ContainerOption<Kind> {
  const convert: ContainerOption['check'] = (value, l10n, text) =>
    check(NARROWED[kind](value), l10n, text);
  return { kind, flag, at, check: convert, toWire: convert, fromWire };
}

/** Makes that of a list whose entries stand by themselves. @param join makes one value of what `check` returns. */
export function listOption<Entry>(
  flag: string,
  at: WirePath,
  check: (entry: string, l10n: L10n) => Entry,
  fromWire: WireReader = readTexts,
  join: (entries: readonly Entry[]) => unknown = (entries) => entries,
): ContainerOption<'texts'> {
  const toWire: ContainerOption['toWire'] = (value, l10n) => {
    const entries = asTexts(value).map((entry) => check(entry, l10n));
    // An empty list means the same as none, and some engines mistake `[]` for a wish.
    return entries.length === 0 ? undefined : join(entries);
  };
  const checkEntry: ContainerOption['check'] = (entry, l10n) => check(asText(entry), l10n);
  return { kind: 'texts', flag, at, check: checkEntry, toWire, fromWire };
}

/** The list, or undefined if nothing is in it. */
export function nonEmpty(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** For an option that is not read by itself. */
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
