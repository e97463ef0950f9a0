import { oneLine } from '../../base/plainText.ts';

/** Tolerant readers for JSON from the network: an invalid field affects only that field, never the whole response. */

/** Returns a JSON object, or an empty one for any other value. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Returns a JSON array, or an empty one for `null`, undefined or any other value. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The longest name, reference or state of any engine. */
const LINE_LIMIT = 512;

/** Returns a name, a reference or a few words, safe to show: one line without hidden characters. */
export function asLine(value: unknown): string {
  return oneLine(asText(value), LINE_LIMIT);
}

/** The same for an array; empty lines are dropped. */
export function asLines(value: unknown): readonly string[] {
  return asTexts(value)
    .map(asLine)
    .filter((line) => line !== '');
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Returns the strings of an array and drops all other elements. */
export function asTexts(value: unknown): readonly string[] {
  return asList(value).filter((one) => typeof one === 'string');
}

/** Returns the string values of an object. Safe for keys such as `__proto__`. */
export function asTextMap(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asRecord(value)).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    ),
  );
}

/** More labels than an object has, and in UTF-16 code units more than the name or the value of one has. */
const MOST_LABELS = 1_000;
const LONGEST_LABEL = 64 * 1024;

/** Returns labels unchanged, because they are compared. Those beyond the limits are left out, not cut. */
export function asLabels(value: unknown): Readonly<Record<string, string>> {
  const fit = Object.entries(asTextMap(value)).filter(
    ([name, text]) => name.length <= LONGEST_LABEL && text.length <= LONGEST_LABEL,
  );
  return Object.fromEntries(fit.slice(0, MOST_LABELS));
}

/** Converts Unix seconds or RFC 3339 to ISO 8601; empty if unknown. Engines write 0 or the year 1 for "unknown". */
export function asMoment(value: unknown): string {
  const at = typeof value === 'string' ? Date.parse(value) : (asNumber(value) ?? 0) * 1000;
  const date = new Date(at);
  return at <= 0 || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Returns an ID; empty if it is invalid. IDs are used in paths and row IDs and shown to the user. */
export function asId(value: unknown): string {
  const text = asText(value);
  return /^[\w:-]{1,256}$/.test(text) ? text : '';
}

/** Returns a normalized image ID, because Podman omits `sha256:`. Empty if it is invalid. */
export function asImageId(value: unknown): string {
  return withAlgorithm(asId(value));
}

/** Adds the algorithm to a full image ID; returns any other text unchanged. */
export function withAlgorithm(text: string): string {
  return isFullId(text) ? `sha256:${text}` : text;
}

/** Returns whether a text is the full ID of a container, which needs no lookup. */
export function isFullId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** No file system supports a longer path. */
export const PATH_LIMIT = 4096;

/** Returns the path of a container or of one of its operations. */
export function containerPath(id: string, operation = ''): string {
  return `/containers/${encodeURIComponent(id.toWellFormed())}${operation === '' ? '' : `/${operation}`}`;
}
