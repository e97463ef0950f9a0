import * as l10n from '@vscode/l10n';
import { listContainers } from '../../engine/containers/containers.ts';
import { imageHistory, instructionOf, type HistoryStep } from '../../engine/images/imageHistory.ts';
import { imageRelatives } from '../../engine/images/imageRelatives.ts';
import { inspectImage } from '../../engine/images/images.ts';
import type { TargetCommand } from '../frame/command.ts';
import { imageDisplayName } from '../../views/images/imageNames.ts';
import { oneLine, plainText } from '../../base/plainText.ts';
import { formatDate, formatSize } from '../../views/format.ts';

/** Returns the history of an image, and shows it to the user as a read-only document. */
export function imageHistoryCommand(): TargetCommand<object, ImageHistoryDetails> {
  return {
    id: 'gantry.images.history',
    on: 'image',
    progressTitle: (name) => l10n.t('Reading the history of {0}', name),
    failureTitle: (name) => l10n.t('Could not read the history of {0}', name),
    run: async (call) => {
      const { id, name, context } = await call.target();
      const connection = await call.connect();
      const [steps, relatives, image, containers] = await Promise.all([
        imageHistory(connection, id, call.signal),
        imageRelatives(connection, id, call.signal),
        inspectImage(connection, id, call.signal),
        listContainers(connection, { all: true }, call.signal),
      ]);
      const history = {
        steps,
        madeFrom: relatives.madeFrom.map(imageDisplayName),
        madeInto: relatives.madeInto.map(imageDisplayName),
        usedBy: containers.filter(({ imageId }) => imageId === image.id).map((one) => one.name),
      };
      if (call.isInteractive) {
        const text = formatImageHistory(name, history);
        await context.ui.showText(context.unit.id, l10n.t('{0} history', name), text);
      }
      return history;
    },
  };
}

/**
 * Formats the history of an image: its parent images, then each step with its size, in the order of a
 * Dockerfile.
 */
export function formatImageHistory(
  name: string,
  { steps, madeFrom, madeInto, usedBy }: ImageHistoryDetails,
): string {
  const sum = steps.reduce((all, { size }) => all + size, 0);
  const layers = steps.filter(({ size }) => size > 0).length;
  const oldestFirst = steps.toReversed();
  return [
    oneLine(name),
    l10n.t('Steps: {0}, with files: {1}, total size: {2}', steps.length, layers, formatSize(sum)),
    '',
    listed(l10n.t('Parent images'), madeFrom),
    listed(l10n.t('Child images'), madeInto),
    listed(l10n.t('Used by'), usedBy),
    ...oldestFirst.flatMap((step, index) => [
      ...dayLines(step, oldestFirst[index - 1]),
      ...stepLines(step),
    ]),
    '',
  ].join('\n');
}

/** The history of an image, with its parents, its children and the containers that use it. */
interface ImageHistoryDetails {
  /** Newest first. */
  readonly steps: readonly HistoryStep[];
  /** Names or short IDs, nearest first. */
  readonly madeFrom: readonly string[];
  readonly madeInto: readonly string[];
  /** Names of containers. */
  readonly usedBy: readonly string[];
}

/** Maximum number of characters of a step's instruction. */
const STEP_LIMIT = 8000;
const NOTHING = '–';
const SIZE_WIDTH = 8;
const INDENT = ' '.repeat(SIZE_WIDTH + 2);

/** Returns the date, once above all steps of the same day. */
function dayLines(step: HistoryStep, before: HistoryStep | undefined): readonly string[] {
  const day = formatDate(step.createdAt);
  if (before && day === formatDate(before.createdAt)) return [];
  return ['', ...(day === '' ? [] : [`${INDENT}# ${day}`])];
}

function listed(title: string, names: readonly string[]): string {
  return `${title}: ${names.map((name) => oneLine(name)).join(', ') || NOTHING}`;
}

/** Notes of builders about themselves: the frontend, or the image before a step, which has no name. */
const NOTE = /^(?:buildkit\.|mobyimage\.)\S*$|^FROM [0-9a-f]{12}$/;

function stepLines(step: HistoryStep): readonly string[] {
  const { createdBy, size, tags } = step;
  const comment = NOTE.test(step.comment) ? '' : step.comment;
  const instruction =
    plainText(instructionOf(createdBy), STEP_LIMIT) || plainText(comment) || NOTHING;
  const [first = '', ...rest] = instruction.split('\n');
  const facts = tags.map((tag) => oneLine(tag));
  if (instructionOf(createdBy) !== '' && comment !== '') facts.push(oneLine(comment));
  const summary = facts.filter((fact) => fact !== '').join(' · ');
  return [
    `${(size === 0 ? NOTHING : formatSize(size)).padStart(SIZE_WIDTH)}  ${first}`,
    ...rest.map((line) => INDENT + line),
    ...(summary === '' ? [] : [`${INDENT}# ${summary}`]),
  ];
}
