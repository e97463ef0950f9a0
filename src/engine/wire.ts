import { oneLine } from '../plainText.ts';

/**
 * Tolerant readers for what comes over the wire: one odd field spoils that field, never the whole answer.
 */

/** A JSON object, or an empty one. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** A JSON array; `null`, missing and anything else is an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** No engine's name, reference or state is longer. */
const LINE_LIMIT = 512;

/** A name, a reference or a few words, fit to show as they are: one line, nothing hidden in it. */
export function asLine(value: unknown): string {
  return oneLine(asText(value), LINE_LIMIT);
}

/** The same for an array; what shows nothing is left out. */
export function asLines(value: unknown): readonly string[] {
  return asTexts(value)
    .map(asLine)
    .filter((line) => line !== '');
}

/** A finite number, or undefined. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The texts of an array; anything else in it is left out. */
export function asTexts(value: unknown): readonly string[] {
  return asList(value).filter((one) => typeof one === 'string');
}

/** The texts of an object. Null-prototype-safe: a key such as `__proto__` stays a key. */
export function asTextMap(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asRecord(value)).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    ),
  );
}

/** Unix seconds as ISO 8601; empty where that is no moment. Engines write 0 or year one for "not known". */
export function asMoment(seconds: unknown): string {
  const at = asNumber(seconds) ?? 0;
  const date = new Date(at * 1000);
  return at <= 0 || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** An id; empty where it cannot be one: it stands in paths, in rows' ids and before a person. */
export function asId(value: unknown): string {
  const text = asText(value);
  return /^[\w:-]{1,256}$/.test(text) ? text : '';
}

/** An image id in one spelling: Podman leaves `sha256:` out. Empty where it cannot be one. */
export function asImageId(value: unknown): string {
  return withAlgorithm(asId(value));
}

/** A whole image id with its algorithm before it; any other text as it is. */
export function withAlgorithm(text: string): string {
  return /^[0-9a-f]{64}$/.test(text) ? `sha256:${text}` : text;
}
