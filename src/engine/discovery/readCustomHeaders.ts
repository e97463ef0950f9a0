import { asTextMap } from '../wire.ts';

/** The headers of HTTP itself: whoever makes the connection sets them. */
const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers a person wants sent along, without those that HTTP does not allow or that are not theirs to set. */
export function readCustomHeaders(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asTextMap(value)).filter(([name, text]) => isOurs(name) && isValue(text)),
  );

  function isOurs(name: string): boolean {
    return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !OURS.has(name.toLowerCase());
  }
}

/**
 * Reads `DOCKER_CUSTOM_HEADERS`: one line of comma-separated `name=value`, quoted where a comma is meant. The
 * later of two values counts, an empty one is left out. Undefined where this is not how it is written.
 */
export function parseHeaderList(text: string): Readonly<Record<string, string>> | undefined {
  const fields = splitFields(text);
  if (!fields) return undefined;
  const headers = new Map<string, [name: string, value: string]>();
  for (const field of fields) {
    const equals = field.indexOf('=');
    const name = field.slice(0, Math.max(equals, 0)).trim();
    if (name === '') return undefined;
    headers.set(name.toLowerCase(), [name, field.slice(equals + 1)]);
  }
  return readCustomHeaders(Object.fromEntries(headers.values()));
}

function isValue(text: string): boolean {
  // What a header can carry: visible Latin-1, blanks and tabs.
  return text !== '' && /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** The fields of a line of comma-separated values; a doubled quote stands for one. */
function splitFields(text: string): readonly string[] | undefined {
  const fields: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const found = pattern.exec(text);
    if (!found) return undefined;
    fields.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '') return fields;
  }
}
