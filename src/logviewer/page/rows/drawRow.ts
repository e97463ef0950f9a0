import type { Row, RowRun } from '../../protocol.ts';
import type { AnsiColors } from './ansiColors.ts';
import { make } from '../dom.ts';
import type { NamedMembers } from '../bars/namedMembers.ts';
import type { PageStrings } from '../pageStrings.ts';

export function drawRow(line: HTMLElement, row: Row, tools: RowDrawOptions): void {
  line.className = `row kind-${row.kind} level-${row.level}`;
  line.setAttribute('aria-label', labelOf(row, tools));
  line.ariaExpanded = (row.folded ?? row.json)?.isOpen.toString() ?? null;
  const cells: Node[] = [];
  if (row.time !== '') cells.push(cell('time', row.time, row.moment));
  if (tools.members.size > 1) cells.push(memberCell(row, tools));
  cells.push(textCell(row, tools));
  line.replaceChildren(...cells);
}

interface RowDrawOptions {
  readonly words: PageStrings;
  readonly colors: AnsiColors;
  /** The containers. Their names are shown only if there are several. */
  readonly members: NamedMembers;
}

/** Returns the plain text of a row, as it is copied. */
export function rowText(row: Row): string {
  return row.runs.map(({ text }) => text).join('');
}

/** Returns the focused element in the line; undefined if the focus is elsewhere. */
export function focusedIn(line: HTMLElement): HTMLElement | undefined {
  const { activeElement } = document;
  const isInside = activeElement instanceof HTMLElement && line.contains(activeElement);
  return isInside ? activeElement : undefined;
}

/**
 * Returns the link of a redrawn line that has the index of an earlier link; undefined if there is none, or if
 * `before` was not a link.
 */
export function matchingLink(before: HTMLElement, line: HTMLElement): HTMLElement | undefined {
  const { link } = before.dataset;
  if (link === undefined) return undefined;
  return line.querySelector<HTMLElement>(`[data-link="${link}"]`) ?? undefined;
}

/** Renders a placeholder for a row that has not arrived yet. */
export function drawPlaceholder(line: HTMLElement, index: number, { words }: RowDrawOptions): void {
  line.className = 'row placeholder';
  line.setAttribute('aria-label', words.get('loading'));
  const children = [make('span', { class: `bone bone-${index % 3}` })];
  line.replaceChildren(make('span', { attributes: { role: 'gridcell' }, class: 'text', children }));
}

function cell(name: string, text: string, title: string): HTMLElement {
  return make('span', { class: name, text, title, attributes: { role: 'gridcell' } });
}

function memberCell(row: Row, { members }: RowDrawOptions): HTMLElement {
  const { name = '', shortName = '', color = 0 } = members.get(row.member) ?? {};
  return cell(`member color-${Math.abs(color) % 6}`, shortName, name);
}

function textCell(row: Row, tools: RowDrawOptions): HTMLElement {
  const text = make('span', { class: 'text', attributes: { role: 'gridcell' } });
  const twistie = twistieOf(row, tools);
  if (twistie) text.append(twistie);
  const content = make('span', { class: 'content' });
  for (const run of row.runs) content.append(runOf(run, row, tools));
  text.append(content);
  if (row.isCut) text.append(badge('…', tools.words.get('cut')));
  if (row.folded && !row.folded.isOpen) text.append(foldBadge(row.folded.count, tools.words));
  if (row.json?.isOpen) text.append(fieldsOf(row.json.fields));
  return text;
}

function badge(text: string, title: string): HTMLElement {
  return make('span', { class: 'badge', text, title });
}

function foldBadge(count: number, words: PageStrings): HTMLElement {
  const text = words.get(count === 1 ? 'foldedLine' : 'foldedLines', words.formatCount(count));
  const shown = badge(text, text);
  shown.dataset['act'] = 'fold';
  return shown;
}

function twistieOf({ folded, json }: Row, { words }: RowDrawOptions): HTMLElement | undefined {
  const isOpen = folded?.isOpen ?? json?.isOpen;
  if (isOpen === undefined) return undefined;
  const fields = words.get(isOpen ? 'closeFields' : 'openFields');
  const lines = words.get('foldedLines', words.formatCount(folded?.count ?? 0));
  const twistie = make('span', {
    class: `twistie codicon-chevron-${isOpen ? 'down' : 'right'}`,
    title: folded ? lines : fields,
    attributes: { 'aria-hidden': 'true' },
  });
  twistie.dataset['act'] = folded ? 'fold' : 'json';
  return twistie;
}

function fieldsOf(fields: NonNullable<Row['json']>['fields']): HTMLElement {
  const table = make('span', { class: 'fields' });
  for (const { name, value } of fields) {
    const children = [
      make('span', { class: 'field-name', text: name }),
      make('span', { class: 'field-value', text: value }),
    ];
    table.append(make('span', { class: 'field', children }));
  }
  return table;
}

function runOf(run: RowRun, row: Row, { colors, words }: RowDrawOptions): Node {
  const looks = [run.look, run.isMatch && 'match'].filter(Boolean).join(' ');
  const isPlain = run.fg === undefined && run.bg === undefined && !run.link;
  if (isPlain && looks === '') return document.createTextNode(run.text);
  const drawn = make(run.link ? 'a' : 'span', { class: looks, text: run.text });
  if ((run.fg ?? run.bg) !== undefined) drawn.style.color = colors.text(run.fg, run.bg);
  if (run.bg !== undefined) drawn.style.backgroundColor = colors.ground(run.bg);
  if (run.link) makeLink(drawn, run.link, row, words);
  return drawn;
}

function makeLink(
  drawn: HTMLElement,
  link: NonNullable<RowRun['link']>,
  row: Row,
  words: PageStrings,
): void {
  drawn.setAttribute('role', 'link');
  drawn.tabIndex = -1;
  drawn.title = words.get('openLink', link.title);
  drawn.dataset['link'] = String(link.index);
  drawn.dataset['row'] = String(row.id);
}

/** Returns the label of a row for screen readers. */
function labelOf(row: Row, { words, members }: RowDrawOptions): string {
  const member = members.size > 1 ? members.get(row.member) : undefined;
  const parts = [
    row.time,
    member?.name ?? '',
    row.kind === 'stderr' ? words.get('stderr') : '',
    row.level === 'none' ? '' : words.get(`level.${row.level}`),
    rowText(row).slice(0, 2000),
  ];
  if (row.folded && !row.folded.isOpen) parts.push(words.get('foldedLines', row.folded.count));
  return parts.filter(Boolean).join(', ');
}
