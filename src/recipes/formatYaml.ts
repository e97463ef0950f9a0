/** Formats YAML in block style, as people write it. Every parser of YAML 1.1 or 1.2 reads the same values. */

/**
 * Returns the lines of a map.
 *
 * @param unit the blanks of one level.
 */
export function formatYaml(map: YamlMap, unit = '  '): readonly string[] {
  return Object.entries(map).flatMap(([name, value]) => {
    const key = quoteUnless(KEY, name);
    // Parsers limit a key on the line of its value to 1024 characters.
    const lines = entryLines(key.length > 1000 ? '' : key, value, unit, FLOW.has(name));
    return key.length > 1000 ? [`? ${key}`, ...lines] : lines;
  });
}

type Scalar = string | number | boolean;
export type YamlItem = string | YamlMap;
export type YamlValue = Scalar | null | readonly YamlItem[] | YamlMap;

export interface YamlMap {
  readonly [key: string]: YamlValue;
}

/** Lists that people write in one line. */
const FLOW: ReadonlySet<string> = new Set(['command', 'entrypoint', 'test', 'capabilities']);

function entryLines(
  key: string,
  value: YamlValue,
  unit: string,
  isFlow: boolean,
): readonly string[] {
  if (value === null) return [`${key}:`];
  if (typeof value !== 'object') return [`${key}: ${scalar(value)}`];
  if (isList(value)) {
    if (isFlow) return [`${key}: [${value.map(flowItem).join(', ')}]`];
    return [`${key}:`, ...value.flatMap((one) => itemLines(one, unit))];
  }
  const lines = formatYaml(value, unit).map((line) => unit + line);
  return lines.length > 0 ? [`${key}:`, ...lines] : [`${key}: {}`];
}

function itemLines(item: YamlItem, unit: string): readonly string[] {
  if (typeof item === 'string') return [`${unit}- ${scalar(item)}`];
  return formatYaml(item, unit).map((line, at) => `${unit}${at === 0 ? '- ' : '  '}${line}`);
}

function flowItem(item: YamlItem): string {
  return typeof item === 'string' ? quote(item) : '{}';
}

function isList(value: YamlValue): value is readonly YamlItem[] {
  return Array.isArray(value);
}

function scalar(value: Scalar): string {
  return typeof value === 'string' ? quoteUnless(PLAIN, value) : String(value);
}

/** Keys without quotation marks. */
const KEY = /^[A-Za-z_][\w./-]*$/;
/**
 * Texts without quotation marks: one line that begins with a letter or a slash, has no comment and no `: `, and does not
 * end with a blank or a colon. Also durations, sizes, addresses, and variables of Compose.
 */
const PLAIN =
  /^(?:[A-Za-z_/](?:[\w ./@%+~=,;|&$()<>-]|:(?! |$))*(?<! )|(?:\d+(?:h|ms|us|ns|m|s))+|\d+[bkgtp]|\d+(?:\.\d+){3}|\$\{\w+\})$/;
/** Words that are booleans, null, or numbers for some parser. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?\d+)$/i;

function quoteUnless(plain: RegExp, text: string): string {
  return plain.test(text) && !RESERVED.test(text) ? text : quote(text);
}

/** Characters that JSON does not escape, and that YAML does not allow, or that are not visible. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffe\uffff]/gu;

function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
