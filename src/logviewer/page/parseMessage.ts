// What the extension sends is looked at before it is used: a message that is not as agreed is left out.
import type {
  ViewerFilter,
  FindState,
  ViewerMember,
  ViewerQuery,
  Row,
  RowRun,
  LogExtent,
  ToPage,
  ViewerStyle,
} from '../protocol.ts';

type Bag = Readonly<Record<string, unknown>>;

const KINDS: readonly unknown[] = ['stdout', 'stderr', 'remark', 'gap'];
const LEVELS: readonly unknown[] = ['none', 'trace', 'debug', 'info', 'warning', 'error', 'fatal'];
const ASKS: readonly unknown[] = ['find', 'copy', 'copyWithColors'];
const TIMES: readonly unknown[] = ['off', 'relative', 'local', 'utc'];

/** The message if it is one, else undefined. */
export function parseMessage(data: unknown): ToPage | undefined {
  if (!isBag(data) || typeof data['type'] !== 'string') return undefined;
  const looksRight = LOOKS[data['type'] as ToPage['type']] as ((bag: Bag) => boolean) | undefined;
  return Object.hasOwn(LOOKS, data['type']) && looksRight?.(data)
    ? (data as unknown as ToPage)
    : undefined;
}

const LOOKS: Readonly<Record<ToPage['type'], (bag: Bag) => boolean>> = {
  init: (bag) => isStrings(bag['strings']) && isStyle(bag['style']) && isFilter(bag['filter']),
  members: (bag) => isListOf(bag['members'], isMember),
  shape: (bag) => isShape(bag['shape']),
  rows: (bag) => isWhole(bag['generation']) && isWhole(bag['from']) && isListOf(bag['rows'], isRow),
  find: (bag) => isFind(bag['find']),
  reveal: (bag) => isWhole(bag['row']) && isWhole(bag['id']),
  shifted: (bag) => isWhole(bag['generation']) && isWhole(bag['by']),
  style: (bag) => isStyle(bag['style']),
  notice: (bag) => typeof bag['text'] === 'string',
  ask: (bag) => ASKS.includes(bag['what']),
  keep: () => true,
};

function isBag(value: unknown): value is Bag {
  return typeof value === 'object' && value !== null;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isListOf<T>(value: unknown, is: (one: unknown) => one is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isStrings(value: unknown): value is Readonly<Record<string, string>> {
  return isBag(value) && Object.values(value).every(isText);
}

function areFlags(bag: Bag, ...names: readonly string[]): boolean {
  return names.every((name) => typeof bag[name] === 'boolean');
}

function isStyle(value: unknown): value is ViewerStyle {
  return (
    isBag(value) &&
    areFlags(value, 'wrap', 'fold') &&
    TIMES.includes(value['times']) &&
    isListOf(value['fields'], isText)
  );
}

/** Words to look for. */
export function isQuery(value: unknown): value is ViewerQuery {
  return (
    isBag(value) && isText(value['pattern']) && areFlags(value, 'isRegex', 'matchCase', 'wholeWord')
  );
}

function isFilter(value: unknown): value is ViewerFilter {
  if (!isBag(value)) return false;
  const { include, exclude, levels, streams, context } = value;
  return (
    (include === undefined || isQuery(include)) &&
    (exclude === undefined || isQuery(exclude)) &&
    Array.isArray(levels) &&
    levels.every((level) => LEVELS.includes(level)) &&
    isListOf(streams, isText) &&
    isWhole(context)
  );
}

function isMember(value: unknown): value is ViewerMember {
  return (
    isBag(value) &&
    isWhole(value['index']) &&
    isText(value['name']) &&
    isWhole(value['color']) &&
    areFlags(value, 'isShown', 'isOver')
  );
}

function isShape(value: unknown): value is LogExtent {
  if (!isBag(value)) return false;
  const { generation, rowCount, lineCount, droppedCount, anchor } = value;
  return (
    [generation, rowCount, lineCount, droppedCount].every(isWhole) &&
    Number(rowCount) >= 0 &&
    areFlags(value, 'isStart', 'isReadingOlder', 'isFiltered') &&
    (anchor === undefined || (isBag(anchor) && isWhole(anchor['id']) && isWhole(anchor['row'])))
  );
}

function isColor(value: unknown): boolean {
  return value === undefined || isWhole(value) || (isText(value) && /^#[\da-f]{6}$/i.test(value));
}

function isRun(value: unknown): value is RowRun {
  if (!isBag(value)) return false;
  const { text, fg, bg, look, link } = value;
  return (
    isText(text) &&
    isColor(fg) &&
    isColor(bg) &&
    (look === undefined || isText(look)) &&
    (link === undefined || (isBag(link) && isWhole(link['index']) && isText(link['title'])))
  );
}

function isRow(value: unknown): value is Row {
  if (!isBag(value)) return false;
  const { id, kind, member, level, time, moment, runs, folded, json } = value;
  return (
    [id, member].every(isWhole) &&
    KINDS.includes(kind) &&
    LEVELS.includes(level) &&
    [time, moment].every(isText) &&
    isListOf(runs, isRun) &&
    (folded === undefined || (isBag(folded) && isWhole(folded['count']))) &&
    (json === undefined || isJson(json))
  );
}

function isJson(value: unknown): value is NonNullable<Row['json']> {
  return isBag(value) && areFlags(value, 'isOpen') && isListOf(value['fields'], isField);
}

function isField(value: unknown): value is { readonly name: string; readonly value: string } {
  return isBag(value) && isText(value['name']) && isText(value['value']);
}

function isFind(value: unknown): value is FindState {
  if (!isBag(value)) return false;
  const { count, current, marks, problem, horizon } = value;
  return (
    [count, current].every(isWhole) &&
    Array.isArray(marks) &&
    marks.every((mark) => typeof mark === 'number') &&
    [problem, horizon].every((text) => text === undefined || isText(text)) &&
    areFlags(value, 'isDone', 'isSearchingBack')
  );
}
