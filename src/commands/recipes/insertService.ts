import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { parseCompose, type ComposeNodes } from '../../projects/composeNodes.ts';
import { formatYaml, type YamlMap } from '../../recipes/formatYaml.ts';
import {
  formatComposeFile,
  type ComposeNames,
  type ServiceSpec,
} from '../../recipes/serviceSpec.ts';
import type { TextEdit, TextInsertion } from '../ui/ui.ts';

/** More than in any file that people write. */
const LONGEST_TEXT = 1024 * 1024;
const MOST_KEYS = 10_000;
const SECTIONS = ['services', 'networks', 'volumes'] as const;
type Section = (typeof SECTIONS)[number];

/**
 * Returns how a service gets into the text of a compose file: after the others, and so its networks and volumes. All
 * that is written there stays as it is.
 *
 * @param project the project of the file, if it has no name of its own.
 * @param specOf returns the service for the names that the file has.
 * @throws InputError if the text is broken, or has a section in another form than one entry for each line.
 */
export async function insertService(
  text: string,
  project: string,
  specOf: (existing: ComposeNames) => ServiceSpec,
): Promise<TextInsertion> {
  const nodes = text.length > LONGEST_TEXT ? undefined : await parseCompose(text);
  if (!nodes?.isOnly && text.trim() !== '') throw unreadable();
  const file = new Outline(text, nodes);
  const name = nodes?.text(nodes.get(nodes.root, 'name')) ?? project;
  const spec = specOf({
    services: file.keysOf('services').map((key) => key.name),
    networks: file.namesOf('networks', name),
    volumes: file.namesOf('volumes', name),
  });
  if (text.trim() === '') {
    const content = formatComposeFile(spec);
    const edits = [{ offset: 0, length: text.length, content }];
    return { edits, shown: { start: 0, end: content.length } };
  }
  const added = { services: { [spec.name]: spec.service }, ...spec };
  const edits = joined(
    SECTIONS.flatMap((section) => file.edit(section, added[section])),
    text,
  );
  await verify(withEdits(text, edits), file, added);
  return { edits, shown: shownIn(edits) };
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Returns a text after edits of which none overlap. */
export function withEdits(text: string, edits: readonly TextEdit[]): string {
  return edits
    .toSorted((one, other) => other.offset - one.offset)
    .reduce(
      (now, { offset, length, content }) =>
        now.slice(0, offset) + content + now.slice(offset + length),
      text,
    );
}

/** Joins edits at the same place, and ends the last line of the text if one is after it. */
function joined(edits: readonly TextEdit[], text: string): readonly TextEdit[] {
  return [...Map.groupBy(edits, ({ offset }) => offset)].map(([offset, all]) => {
    const content = all.map((one) => one.content).join('');
    return {
      offset,
      length: 0,
      content: offset === text.length ? `${content}${eolOf(text)}` : content,
    };
  });
}

/** Returns the place of the first edit, without the end of the line before it. */
function shownIn([edit, ...others]: readonly TextEdit[]): TextInsertion['shown'] {
  const { offset, content } = edit ?? { offset: 0, content: '' };
  const before = others.filter((one) => one.offset < offset);
  const shift = before.reduce((sum, one) => sum + one.content.length, 0);
  const start = offset + shift + content.search(/[^\r\n]/);
  return { start, end: offset + shift + content.length };
}

/** @throws InputError if the new text does not have exactly what was there and what was added. */
async function verify(
  text: string,
  before: Outline,
  added: Readonly<Record<Section, YamlMap>>,
): Promise<void> {
  const after = new Outline(text, await parseCompose(text));
  const isRight = SECTIONS.every((section) => {
    const names = [
      ...before.keysOf(section).map(({ name }) => name),
      ...Object.keys(added[section]),
    ];
    const now = after.keysOf(section).map(({ name }) => name);
    return now.length === names.length && now.every((name, at) => name === names[at]);
  });
  if (!isRight) throw unreadable();
}

function unreadable(): InputError {
  return new InputError(
    l10n.t(
      'Gantry cannot insert into this compose file. Correct its errors, or save to a new file.',
    ),
  );
}

/** Where the sections of a compose file are, by its lines. */
class Outline {
  readonly #text: string;
  readonly #nodes: ComposeNodes | undefined;
  readonly #lines: readonly string[];
  /** The offset of each line. */
  readonly #starts: readonly number[];
  readonly #eol: string;

  constructor(text: string, nodes: ComposeNodes | undefined) {
    this.#text = text;
    this.#nodes = nodes;
    this.#eol = eolOf(text);
    this.#lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
    this.#starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  keysOf(section: Section) {
    const nodes = this.#nodes;
    return nodes ? nodes.keys(nodes.get(nodes.root, section), MOST_KEYS) : [];
  }

  /** Returns the names of the networks or volumes of the engine that the keys of a section stand for. */
  namesOf(section: Section, project: string): ReadonlyMap<string, string> {
    const nodes = this.#nodes;
    return new Map(
      this.keysOf(section).map(({ name: key, value }) => {
        const name = nodes?.text(nodes.get(value, 'name'));
        const isExternal = nodes?.word(nodes.get(value, 'external')) === 'true';
        return [key, name ?? (isExternal ? key : `${project}_${key}`)];
      }),
    );
  }

  /** Returns the edit that appends entries to a section; none without entries. */
  edit(section: Section, entries: YamlMap): readonly TextEdit[] {
    if (Object.keys(entries).length === 0) return [];
    const nodes = this.#nodes;
    const top = nodes?.keys(nodes.root, MOST_KEYS).find(({ name }) => name === section);
    const keys = this.keysOf(section);
    const unit = this.#unit();
    if (!top)
      return this.#append(this.#endOfText(), ['', ...formatYaml({ [section]: entries }, unit)]);
    const line = this.#lineOf(top.at);
    const isBlock = this.#isAlone(line, section) && keys.every(({ at }) => this.#columnOf(at) > 0);
    const isEmpty = keys.length === 0 && nodes?.isNull(top.value);
    const first = keys[0] && this.#lineOf(keys[0].at);
    if (!isBlock || !(isEmpty || (first !== undefined && first > line))) throw unreadable();
    const indent = keys[0] ? ' '.repeat(this.#columnOf(keys[0].at)) : unit;
    const lines = formatYaml(entries, unit).map((one) => indent + one);
    const hasBlanks = keys.length > 1 && this.#isBlankBefore(this.#lineOf(keys.at(-1)?.at ?? 0));
    return this.#append(this.#endOfSection(line, indent.length), [
      ...(hasBlanks ? [''] : []),
      ...lines,
    ]);
  }

  /** Returns the blanks of one level: those of the first service. */
  #unit(): string {
    const [first] = this.keysOf('services');
    return ' '.repeat(first ? this.#columnOf(first.at) : 2);
  }

  /** Whether a line has nothing but the key of a section, at its beginning, and maybe an anchor or a comment. */
  #isAlone(line: number, section: Section): boolean {
    const pattern = new RegExp(
      `^(?:${section}|"${section}"|'${section}')\\s*:\\s*(?:&\\S+\\s*)?(?:#.*)?$`,
    );
    return pattern.test(this.#lines[line] ?? '');
  }

  /** Returns the last line of a section. Comments that are indented less than its entries belong to what follows. */
  #endOfSection(line: number, indent: number): number {
    let end = line + 1;
    while (end < this.#lines.length && !/^[^\s#]/.test(this.#lines[end] ?? '')) end++;
    const isAfter = (one: string): boolean =>
      one.trim() === '' || (one.trimStart().startsWith('#') && one.search(/\S/) < indent);
    while (end > line + 1 && isAfter(this.#lines[end - 1] ?? '')) end--;
    return end - 1;
  }

  #endOfText(): number {
    let end = this.#lines.length;
    while (end > 0 && (this.#lines[end - 1] ?? '').trim() === '') end--;
    return end - 1;
  }

  /** Returns the edit that appends lines to a line. */
  #append(line: number, lines: readonly string[]): readonly TextEdit[] {
    const offset = (this.#starts[line] ?? 0) + (this.#lines[line] ?? '').length;
    return [{ offset, length: 0, content: lines.map((one) => this.#eol + one).join('') }];
  }

  #isBlankBefore(line: number): boolean {
    let before = line - 1;
    while ((this.#lines[before] ?? '').trimStart().startsWith('#')) before--;
    return (this.#lines[before] ?? '').trim() === '';
  }

  #lineOf(at: number): number {
    return this.#text.slice(0, at).split('\n').length - 1;
  }

  #columnOf(at: number): number {
    return at - (this.#starts[this.#lineOf(at)] ?? 0);
  }
}
