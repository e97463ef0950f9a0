import type { Row } from '../../protocol.ts';
import { hasMainKey } from '../dom.ts';
import type { EffectiveSelection } from './effectiveSelection.ts';
import type { PointerOptions } from './pointer.ts';
import { FIRST_ID, LAST_ID } from './textSelection.ts';

/** Handles the keyboard in the log: navigating, selecting, copying, folding, and links. */
export function listenToKeys(parts: KeyboardOptions): void {
  parts.list.element.addEventListener('keydown', (event) => {
    if (event.target instanceof HTMLButtonElement) return;
    const isOnLink = event.target instanceof HTMLElement && event.target.dataset['link'];
    const isDone = isOnLink ? onLinkKey(event, parts) : onRowKey(event, parts);
    if (isDone) event.preventDefault();
  });
}

interface KeyboardOptions extends Omit<PointerOptions, 'onClick'> {
  readonly effective: EffectiveSelection;
  /** Opens or closes the lines or fields below a row; undefined toggles. */
  readonly onOpen: (row: Row, isOpen: boolean | undefined) => void;
}

function onRowKey(event: KeyboardEvent, parts: KeyboardOptions): boolean {
  if (event.altKey) return false;
  if (hasMainKey(event) && !['Home', 'End'].includes(event.key)) return onMainKey(event, parts);
  const step = stepOf(event.key, parts.list.page);
  if (step !== undefined) return go(event, step, parts);
  if (event.key === 'Escape') return clear(parts);
  const { index } = parts.cursor;
  const row = index === undefined ? undefined : parts.rowAt(index);
  return row && index !== undefined ? onCurrent(event.key, row, index, parts) : false;
}

function stepOf(key: string, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: -1,
    ArrowDown: 1,
    PageUp: -page,
    PageDown: page,
    Home: -Infinity,
    End: Infinity,
  };
  return Object.hasOwn(steps, key) ? steps[key] : undefined;
}

function onMainKey(
  event: KeyboardEvent,
  { selection, effective, onSelect }: KeyboardOptions,
): boolean {
  const key = event.key.toLowerCase();
  if (key === 'c') {
    effective.copy(event.shiftKey);
    return true;
  }
  if (key !== 'a') return false;
  selection.all();
  onSelect();
  return true;
}

function clear({ selection, onSelect }: KeyboardOptions): boolean {
  selection.clear();
  onSelect();
  return true;
}

function go(event: KeyboardEvent, step: number, parts: KeyboardOptions): boolean {
  const { list } = parts;
  const last = list.count - 1;
  if (last < 0) return true;
  const before = parts.cursor.index ?? firstInView(parts, step);
  const after = Math.min(last, Math.max(0, before + step));
  if (event.shiftKey) extend(before, after, step, parts);
  else parts.selection.clear();
  parts.cursor.set(after);
  parts.onSelect();
  if (step === Infinity) list.isFollowing = true;
  else if (step === -Infinity) list.goTo({ row: -1, offset: 0 });
  else list.reveal(after);
  return true;
}

/**
 * Returns the start for Up or Down without a current row: just outside the view, so that the first step leads into it.
 */
function firstInView({ list }: KeyboardOptions, step: number): number {
  const top = Math.max(0, list.position.row);
  return step > 0 ? top - 1 : top + list.page;
}

function extend(before: number, after: number, step: number, parts: KeyboardOptions): void {
  const start = parts.rowAt(before)?.id;
  const ends: Readonly<Record<number, number>> = { [Infinity]: LAST_ID, [-Infinity]: FIRST_ID };
  const id = ends[step] ?? parts.rowAt(after)?.id;
  if (id !== undefined) parts.selection.extendRows(start ?? id, id);
}

function onCurrent(key: string, row: Row, index: number, parts: KeyboardOptions): boolean {
  const isOpen = row.folded?.isOpen ?? row.json?.isOpen;
  if (key === 'ArrowRight' && isOpen === false) parts.onOpen(row, true);
  else if (key === 'ArrowLeft' && isOpen) parts.onOpen(row, false);
  else if (key === 'Enter') return enter(row, index, parts);
  else if (key === ' ' && isOpen !== undefined) parts.onOpen(row, undefined);
  else return false;
  return true;
}

/** Focuses the row's first link. Without a link, toggles the row. */
function enter(row: Row, index: number, parts: KeyboardOptions): boolean {
  const link = parts.list.rendered.line(index)?.querySelector<HTMLElement>('[data-link]');
  if (link) link.focus();
  else parts.onOpen(row, undefined);
  return true;
}

const BACK_TO_ROW = ['Escape', 'ArrowUp', 'ArrowDown'];

/**
 * Handles keys on a link: Enter follows it; Left, Right, and Tab move between the row's links; Escape goes back
 * to the row.
 */
function onLinkKey(event: KeyboardEvent, { list }: KeyboardOptions): boolean {
  const link = event.target as HTMLElement;
  const links = [...(link.closest('.row')?.querySelectorAll<HTMLElement>('[data-link]') ?? [])];
  const isBack = event.key === 'ArrowLeft' || (event.key === 'Tab' && event.shiftKey);
  const step = isBack ? -1 : ['ArrowRight', 'Tab'].includes(event.key) ? 1 : 0;
  const next = links[links.indexOf(link) + step];
  if (event.key === 'Enter') link.click();
  else if (step !== 0 && next) next.focus();
  else if (BACK_TO_ROW.includes(event.key)) list.element.focus({ preventScroll: true });
  else return step !== 0 && event.key !== 'Tab';
  return true;
}
