import * as vscode from 'vscode';
import { listChanges } from '../../engine/containers/listChanges.ts';
import { containerMounts } from '../../engine/containers/containerMounts.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { Engines } from '../../engines/engines.ts';
import { isCancellation } from '../../lifetime.ts';
import type { ChangeCounts } from '../../review/changeTree.ts';
import type { ReviewSubject } from '../../review/review.ts';
import type { ReviewController } from '../../review/reviewController.ts';
import type { ReviewRow } from '../../review/reviewRow.ts';
import { containerFileSource, imageFileSource } from '../../review/fileSources.ts';
import { ContainerNode } from '../../views/treeNode.ts';
import { formatImageName } from '../../views/format.ts';
import type { TargetCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { errorActions, showError, showInfo } from '../notifications.ts';
import type { CommandRegistry } from '../registry.ts';
import { failureMessage } from '../errorMessages.ts';

const { l10n } = vscode;

/** Shows what an image made of a container would contain. */
export function reviewChangesCommand(desk: ReviewController): TargetCommand<object, ChangeCounts> {
  return {
    id: 'gantry.containers.reviewChanges',
    kind: 'container',
    schema: {},
    isForOne: true,
    progress: 'late',
    progressTitle: (name) => l10n.t('Looking for changes in {0}', name),
    failureTitle: (name) => l10n.t('Could not review the changes of {0}', name),
    run: async (call, context) => {
      const { id } = await call.target();
      const subject = await containerReviewSubject(context, id, desk.owner, call.signal);
      const { tree } = await desk.open(subject, call.signal);
      if (call.isInteractive) await desk.focus();
      return tree.counts;
    },
  };
}

/**
 * A container as the subject of a review, compared with the very image it was made of: its name may be another
 * image's by now.
 *
 * @param owner this window's mark on its temporary containers.
 */
export async function containerReviewSubject(
  { engine, unit }: Pick<CommandContext, 'engine' | 'unit'>,
  id: string,
  owner: string,
  signal: AbortSignal | undefined,
): Promise<ReviewSubject> {
  const connect = (within?: AbortSignal) => engine.connect(within);
  const details = await inspectContainer(await connect(signal), id, signal);
  return {
    engine: unit.id,
    kind: 'container',
    id: details.id,
    name: details.name,
    base: formatImageName(details.image === '' ? details.imageId : details.image),
    list: async (within) => listChanges(await connect(within), details.id, within),
    before: imageFileSource(connect, details.imageId, owner),
    after: containerFileSource(connect, details.id),
    mounts: containerMounts(details),
  };
}

/** Registers the commands of the view of changes and of its rows: they are for the review that is open alone. */
export function registerReviewCommands(
  registry: CommandRegistry,
  desk: ReviewController,
  engines: Engines,
): void {
  registry.simple('gantry.changes.refresh', () => withErrorMessage(() => desk.refresh()));
  registry.simple('gantry.changes.close', () => {
    desk.close();
  });
  registry.simple('gantry.changes.commit', () => commit(desk, engines));
  registry.simple('gantry.changes.open', (row) => withErrorMessage(() => open(desk, row)));
  registry.simple('gantry.changes.copyPath', async (row) => {
    const path = pathOf(row);
    if (path !== undefined) await vscode.env.clipboard.writeText(path);
  });
}

async function open(desk: ReviewController, row: unknown): Promise<void> {
  const { entry } = isRow(row) && row.kind === 'entry' ? row : {};
  if (!entry || (await desk.openEntry(entry))) return;
  showInfo(l10n.t('{0} is not there any more. Refresh the changes.', entry.path));
}

/** The form is the container's own, with what was entered in it before the review. */
async function commit(desk: ReviewController, engines: Engines): Promise<unknown> {
  const { subject } = desk.current ?? {};
  if (subject?.kind !== 'container') return undefined;
  const container = engines.get(subject.engine)?.inventory.containers.get(subject.id);
  if (!container) {
    showInfo(l10n.t('{0} is not there any more.', subject.name));
    return undefined;
  }
  const node = new ContainerNode(subject.engine, container, true);
  return vscode.commands.executeCommand('gantry.containers.commit', node);
}

function pathOf(row: unknown): string | undefined {
  if (!isRow(row)) return undefined;
  if (row.kind === 'entry') return row.entry.path;
  return row.kind === 'mount' ? row.mount.target : undefined;
}

function isRow(value: unknown): value is ReviewRow {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

async function withErrorMessage(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (isCancellation(error)) return;
    const sentence = failureMessage(l10n.t('Could not show the changes'), error, l10n);
    showError(sentence, ...errorActions(error));
  }
}
