import * as l10n from '@vscode/l10n';
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { InputError } from '../../engine/errors.ts';
import { asList, asRecord } from '../../engine/wire/wire.ts';
import type { TextInsertion, TextEdit } from '../ui/ui.ts';

/**
 * Returns how a task gets into the text of a tasks.json, after the others. All that is written there stays as it is, and
 * so do comments. A label that another task has gets a number.
 *
 * @param text empty for a new file.
 * @throws InputError if the text is broken, or has something else in the place of tasks.
 */
export function insertTask(text: string, task: NewTask): Required<TextInsertion> {
  if (text.trim() === '') return newFile(text, task);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const version = root && findNodeAtLocation(root, ['version']);
  const tasks = root && findNodeAtLocation(root, ['tasks']);
  const isBroken = errors.length > 0 || root?.type !== 'object';
  if (isBroken || (tasks && tasks.type !== 'array')) throw broken();
  if (version && version.value !== '2.0.0') throw oldVersion();
  const style = styleOf(text);
  if (tasks) {
    const used = new Set(asList(getNodeValue(tasks)).map((one) => asRecord(one)['label']));
    return append(text, tasks, { ...task, label: freeLabel(task.label, used) }, style);
  }
  const missing = version ? '' : '"version": "2.0.0",\n';
  const { unit } = style;
  const list = `[\n${unit}${indented(JSON.stringify(task, null, unit), unit)}\n]`;
  return appendText(text, root, `${missing}"tasks": ${list}`, style);
}

/** The fields of a task in the order in which they are written. */
export interface NewTask extends Readonly<Record<string, unknown>> {
  readonly label: string;
}

/** How a text is indented, and how its lines end. */
interface Style {
  readonly unit: string;
  readonly eol: string;
}

function styleOf(text: string): Style {
  const unit = /^(?:\t|[ ]{1,8})(?=")/m.exec(text)?.[0] ?? '  ';
  return { unit, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

function newFile(text: string, task: NewTask): Required<TextInsertion> {
  const content = `${JSON.stringify({ version: '2.0.0', tasks: [task] }, null, '  ')}\n`;
  const start = content.indexOf('{', 1);
  const end = content.lastIndexOf('}', content.length - 3) + 1;
  return { edits: [{ offset: 0, length: text.length, content }], shown: { start, end } };
}

function append(text: string, list: Node, task: NewTask, style: Style): Required<TextInsertion> {
  return appendText(text, list, JSON.stringify(task, null, style.unit), style);
}

/** Appends an element to an array, or a property to an object, on lines of its own. */
function appendText(
  text: string,
  parent: Node,
  added: string,
  { unit, eol }: Style,
): Required<TextInsertion> {
  const close = parent.offset + parent.length - 1;
  const place = text.slice(0, close).trimEnd().length;
  const base = indentAt(text, parent.offset);
  const last = parent.children?.at(-1);
  const indent = last && startsLine(text, last.offset) ? indentAt(text, last.offset) : base + unit;
  // What stands after the last element, such as a comment, belongs to it.
  const lines = indented(added, indent).replaceAll('\n', eol);
  const isOwnLine = text.slice(place, close).includes('\n');
  const content = `${eol}${indent}${lines}${isOwnLine ? '' : eol + base}`;
  const insertion = { offset: place, length: isOwnLine ? 0 : close - place, content };
  const commaAt = last && !hasComma(text, last, close) ? last.offset + last.length : undefined;
  const start = place + eol.length + indent.length + (commaAt === undefined ? 0 : 1);
  return {
    edits: withComma(insertion, commaAt),
    shown: { start, end: start + lines.length },
  };
}

function withComma(insertion: TextEdit, commaAt: number | undefined): readonly TextEdit[] {
  if (commaAt === undefined) return [insertion];
  if (commaAt === insertion.offset) return [{ ...insertion, content: `,${insertion.content}` }];
  return [{ offset: commaAt, length: 0, content: ',' }, insertion];
}

/** Whether there is a comma after an element, before the end of its parent. */
function hasComma(text: string, { offset, length }: Node, end: number): boolean {
  const rest = text.slice(offset + length, end);
  const scanner = createScanner(rest, true);
  scanner.scan();
  return rest.charAt(scanner.getTokenOffset()) === ',';
}

function indented(text: string, indent: string): string {
  return text.replaceAll('\n', `\n${indent}`);
}

/** Returns the blanks at the beginning of the line of a position. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[\t ]*/.exec(line)?.[0] ?? '';
}

function startsLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
}

function freeLabel(label: string, used: ReadonlySet<unknown>): string {
  for (let number = 2, free = label; ; number++) {
    if (!used.has(free)) return free;
    free = `${label} ${number}`;
  }
}

function broken(): InputError {
  return new InputError(l10n.t('The file tasks.json has an error. Correct it first.'));
}

function oldVersion(): InputError {
  return new InputError(l10n.t('The file tasks.json needs "version": "2.0.0".'));
}
