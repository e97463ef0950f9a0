/** What a service of a compose file is built from, as it is written there. */
export interface ComposeBuild {
  readonly context?: string;
  readonly dockerfile?: string;
  readonly target?: string;
}

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** Nobody writes a longer one by hand. */
const LONGEST_LINE = 10_000;
const KEY = /^(?:"([\w.-]+)"|'([\w.-]+)'|([\w.-]+))\s*:(?!\S)/;
/** A reference, a tag, text over several lines, another collection. */
const NO_SCALAR = /^[*&!|>%@`{}[\],?]/;

/**
 * Reads of a compose file the `build` of one service, and nothing else of it: no anchors, no variables, no `extends`.
 * Undefined where there is none, or it is written in a way that this does not read.
 */
export function composeBuildOf(text: string, service: string): ComposeBuild | undefined {
  const lines = linesOf(text);
  const inServices = blockOf(lines, 'services');
  const inService = inServices && blockOf(inServices, service);
  const at = inService?.findIndex((line) => isKey(line, inService, 'build')) ?? -1;
  const build = inService?.[at];
  if (!inService || !build) return undefined;
  const value = valueOf(build);
  if (value.startsWith('{')) return sectionOf(flowPairs(value));
  if (value !== '') {
    const context = scalarOf(value);
    return context === undefined ? undefined : { context };
  }
  const within = below(inService, at);
  const [first] = within;
  return sectionOf(
    within.flatMap((line): [string, string][] =>
      line.indent === first?.indent ? [[keyOf(line) ?? '', valueOf(line)]] : [],
    ),
  );
}

/** The first document's lines, without those that say nothing. A file that is indented by tabs is none. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const content = line.trim();
    if (content === '' || content.startsWith('#') || line.length > LONGEST_LINE) continue;
    if (/^(?:---|\.\.\.)(?:\s|$)/.test(line)) {
      if (lines.length > 0) break;
      continue;
    }
    const indent = line.search(/[^ ]/);
    if (line[indent] === '\t') return [];
    lines.push({ indent, text: content });
  }
  return lines;
}

/** What stands below a key of a block. Undefined where it is no block of its own. */
function blockOf(block: readonly Line[], key: string): readonly Line[] | undefined {
  const at = block.findIndex((line) => isKey(line, block, key));
  const line = block[at];
  // An anchor names a block and changes nothing of it.
  return line && /^(?:&\S+)?$/.test(valueOf(line)) ? below(block, at) : undefined;
}

function below(block: readonly Line[], at: number): readonly Line[] {
  const indent = block[at]?.indent ?? 0;
  const end = block.findIndex((line, index) => index > at && line.indent <= indent);
  return block.slice(at + 1, end < 0 ? undefined : end);
}

function isKey(line: Line, block: readonly Line[], key: string): boolean {
  return line.indent === block[0]?.indent && keyOf(line) === key;
}

function keyOf({ text }: Line): string | undefined {
  const [, double, single, plain] = KEY.exec(text) ?? [];
  return double ?? single ?? plain;
}

function valueOf({ text }: Line): string {
  const [key] = KEY.exec(text) ?? [];
  const value = key === undefined ? '' : text.slice(key.length).trim();
  return value.startsWith('#') ? '' : value;
}

function flowPairs(value: string): readonly [string, string][] {
  const inner = /^\{([^{}[\]"']*)\}\s*(?:#.*)?$/.exec(value)?.[1] ?? '';
  return inner.split(',').map((pair) => {
    const line = { indent: 0, text: pair.trim() };
    return [keyOf(line) ?? '', valueOf(line)];
  });
}

function sectionOf(pairs: readonly (readonly [string, string])[]): ComposeBuild | undefined {
  const section: Record<string, string> = {};
  for (const [key, value] of pairs) {
    if (!['context', 'dockerfile', 'target'].includes(key)) continue;
    const scalar = scalarOf(value);
    // One that is not understood makes the others worthless.
    if (scalar === undefined) return undefined;
    section[key] = scalar;
  }
  return Object.keys(section).length > 0 ? section : undefined;
}

/** A text on one line without variables; undefined for anything else. */
function scalarOf(value: string): string | undefined {
  const quoted = /^(?:"([^"\\]*)"|'([^']*)')\s*(?:#.*)?$/.exec(value);
  if (!quoted && (NO_SCALAR.test(value) || /^["']/.test(value))) return undefined;
  const end = value.indexOf(' #');
  const text = quoted
    ? (quoted[1] ?? quoted[2] ?? '')
    : value.slice(0, end < 0 ? undefined : end).trim();
  return text === '' || text.includes('$') ? undefined : text;
}
