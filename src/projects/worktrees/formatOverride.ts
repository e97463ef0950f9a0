/** Formats an override file of Compose. Its values are exact: Compose replaces no variables in them. */
export function formatOverride(root: OverrideMap): string {
  return linesOf(root).join('\n');
}

/** A value of an override file. */
export type OverrideValue = string | number | Tagged | OverrideList | OverrideMap;
type OverrideList = readonly OverrideValue[];
export interface OverrideMap {
  readonly [key: string]: OverrideValue;
}

/** A value that replaces that of the files before, or removes it, in place of a merge. */
class Tagged {
  readonly tag: 'override' | 'reset';
  readonly value: OverrideValue;

  constructor(tag: Tagged['tag'], value: OverrideValue) {
    this.tag = tag;
    this.value = value;
  }
}

/** Returns a value that replaces the one of the files before. */
export function replaced(value: OverrideValue): OverrideValue {
  return new Tagged('override', value);
}

/** Removes what the files before have. */
export const REMOVED: OverrideValue = new Tagged('reset', 'null');
export const EMPTIED: OverrideValue = new Tagged('override', []);

function linesOf(map: OverrideMap): readonly string[] {
  return Object.entries(map).flatMap(([key, value]) => {
    const name = jsonInYaml(key);
    if (!isMap(value)) return [`${name}: ${inline(value)}`];
    return [`${name}:`, ...linesOf(value).map((line) => `  ${line}`)];
  });
}

/** Returns a value as JSON that YAML reads in the same way, on one line, also in a comment. */
export function jsonInYaml(value: unknown): string {
  return JSON.stringify(value).replace(
    NOT_YAML,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What JSON leaves as it is, and YAML does not accept, or takes for the end of a line. */
// oxlint-disable-next-line no-control-regex -- it is what is replaced
const NOT_YAML = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

function inline(value: OverrideValue): string {
  if (value instanceof Tagged)
    return `!${value.tag} ${value === REMOVED ? 'null' : inline(value.value)}`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return jsonInYaml(value.replaceAll('$', '$$$$'));
  if (!isMap(value)) return `[${value.map(inline).join(', ')}]`;
  const fields = Object.entries(value).map(([key, one]) => `${jsonInYaml(key)}: ${inline(one)}`);
  return `{${fields.join(', ')}}`;
}

function isMap(value: OverrideValue): value is OverrideMap {
  return typeof value === 'object' && !(value instanceof Tagged) && !Array.isArray(value);
}
