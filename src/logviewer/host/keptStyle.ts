import { asList, asRecord } from '../../engine/wire/wire.ts';
import type { Memento } from '../../base/lifetime.ts';
import { TIME_FORMATS, type ViewerStyle } from '../protocol.ts';

/**
 * Returns the user's style for the logs of a container, or the default if none or no valid style is stored. The
 * key is the container's name, because IDs change with every deployment.
 */
export function keptStyle(memento: Memento, name: string): ViewerStyle {
  return styleFrom(stylesIn(memento).get(name.slice(0, LONGEST_NAME)));
}

export async function keepStyle(memento: Memento, name: string, style: ViewerStyle): Promise<void> {
  const all = stylesIn(memento);
  const short = name.slice(0, LONGEST_NAME);
  all.delete(short);
  all.set(short, style);
  await memento.update(KEY, [...all].slice(-MOST_NAMES));
}

/** Returns all stored styles, least recently stored first. */
function stylesIn(memento: Memento): Map<string, unknown> {
  return new Map(asList(memento.get(KEY)).filter(isPair));
}

/** Style before the user changes it. */
export const DEFAULT_STYLE: ViewerStyle = { wrap: false, times: 'local', fold: true, fields: [] };

const KEY = 'gantry.logStyles';
/** Maximum number of names. The least recently stored ones are dropped. */
const MOST_NAMES = 200;
const MOST_FIELDS = 50;
/**
 * Maximum length of a name. A longer container name is truncated; a longer field name is dropped, because it
 * comes from a log.
 */
const LONGEST_NAME = 300;

function isPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}

/** Returns a valid style. Missing or invalid parts get the default. */
export function styleFrom(value: unknown): ViewerStyle {
  const { wrap, times, fold, fields } = asRecord(value);
  return {
    wrap: typeof wrap === 'boolean' ? wrap : DEFAULT_STYLE.wrap,
    times: TIME_FORMATS.find((one) => one === times) ?? DEFAULT_STYLE.times,
    fold: typeof fold === 'boolean' ? fold : DEFAULT_STYLE.fold,
    fields: asList(fields).filter(isFieldName).slice(0, MOST_FIELDS),
  };
}

function isFieldName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_NAME;
}
