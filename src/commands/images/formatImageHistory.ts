import { instructionOf, type HistoryStep } from '../../engine/images/imageHistory.ts';
import type { L10n } from '../../l10n.ts';
import { oneLine, plainText } from '../../plainText.ts';
import { formatDate, formatSize } from '../../views/format.ts';

/** How an image was made, as a text to read: what it stands on, then each step with its size, as a Dockerfile runs. */
export function formatImageHistory(story: ImageHistoryDetails, l10n: L10n): string {
  const { name, steps, madeFrom, madeInto, usedBy } = story;
  const sum = steps.reduce((all, { size }) => all + size, 0);
  const layers = steps.filter(({ size }) => size > 0).length;
  const head = [
    oneLine(name),
    l10n.t('Steps: {0}, with files: {1}, in all: {2}', steps.length, layers, formatSize(sum)),
    '',
    ...listed(l10n.t('Made from'), madeFrom),
    ...listed(l10n.t('Made into'), madeInto),
    ...listed(l10n.t('Used by'), usedBy),
  ];
  const oldestFirst = steps.toReversed();
  return [
    ...head,
    ...oldestFirst.flatMap((step, index) => [
      ...dayLines(step, oldestFirst[index - 1]),
      ...stepLines(step),
    ]),
    '',
  ].join('\n');
}

/** All that is told of how an image was made. */
export interface ImageHistoryDetails {
  readonly name: string;
  /** The newest first. */
  readonly steps: readonly HistoryStep[];
  /** Names, the nearest first. */
  readonly madeFrom: readonly string[];
  readonly madeInto: readonly string[];
  /** Names of containers. */
  readonly usedBy: readonly string[];
}

/** Of one step's instruction so much is shown. */
const STEP_LIMIT = 8000;
const NOTHING = '–';
const SIZE_WIDTH = 8;
const INDENT = ' '.repeat(SIZE_WIDTH + 2);

/** The day, once above all steps of it. */
function dayLines(step: HistoryStep, before: HistoryStep | undefined): readonly string[] {
  const day = formatDate(step.createdAt);
  if (before && day === formatDate(before.createdAt)) return [];
  return ['', ...(day === '' ? [] : [`${INDENT}# ${day}`])];
}

function listed(title: string, names: readonly string[]): readonly string[] {
  return [
    `${title}: ${names.length === 0 ? NOTHING : names.map((name) => oneLine(name)).join(', ')}`,
  ];
}

function stepLines({ createdBy, size, tags, comment }: HistoryStep): readonly string[] {
  const instruction =
    plainText(instructionOf(createdBy), STEP_LIMIT) || plainText(comment) || NOTHING;
  const [first = '', ...rest] = instruction.split('\n');
  const facts = tags.map((tag) => oneLine(tag));
  if (instructionOf(createdBy) !== '' && comment !== '') facts.push(oneLine(comment));
  const said = facts.filter((fact) => fact !== '').join(' · ');
  return [
    `${(size === 0 ? NOTHING : formatSize(size)).padStart(SIZE_WIDTH)}  ${first}`,
    ...rest.map((line) => INDENT + line),
    ...(said === '' ? [] : [`${INDENT}# ${said}`]),
  ];
}
