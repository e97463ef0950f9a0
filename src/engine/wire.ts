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

/** Unix seconds as ISO 8601; empty where that is no moment. */
export function asMoment(seconds: unknown): string {
  const date = new Date((asNumber(seconds) ?? NaN) * 1000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** An image id in one spelling: Podman leaves `sha256:` out. Empty stays empty. */
export function asImageId(value: unknown): string {
  const text = asText(value);
  return /^[0-9a-f]{64}$/.test(text) ? `sha256:${text}` : text;
}
