import * as vscode from 'vscode';
import { listChanges } from '../../engine/containers/changes.ts';
import { mountsOf } from '../../engine/containers/containerMounts.ts';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { Engines } from '../../engines/engines.ts';
import { isCancellation } from '../../lifetime.ts';
import type { ChangeCounts } from '../../review/changeTree.ts';
import type { ReviewSubject } from '../../review/review.ts';
import type { ReviewDesk } from '../../review/reviewDesk.ts';
import type { ReviewRow } from '../../review/reviewRows.ts';
import { containerSide, imageSide } from '../../review/sides.ts';
import { ContainerNode } from '../../views/nodes.ts';
import { imageWords } from '../../views/words.ts';
import type { TargetCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { helpFor, showError, showInfo } from '../person.ts';
import type { CommandRegistry } from '../registry.ts';
import { describeFailure } from '../sentences.ts';

const { l10n } = vscode;

/** Shows what an image made of a container would contain. */
export function reviewChangesCommand(desk: ReviewDesk): TargetCommand<object, ChangeCounts> {
  return {
    id: 'gantry.containers.reviewChanges',
    kind: 'container',
    shape: {},
    isForOne: true,
    progress: 'late',
    doing: (name) => l10n.t('Looking for changes in {0}', name),
    failing: (name) => l10n.t('Could not review the changes of {0}', name),
    run: async (call, context) => {
      const { id } = await call.target();
      const subject = await containerSubject(context, id, desk.owner, call.signal);
      const { tree } = await desk.open(subject, call.signal);
      if (call.isPerson) await desk.focus();
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
export async function containerSubject(
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
    base: imageWords(details.image === '' ? details.imageId : details.image),
    list: async (within) => listChanges(await connect(within), details.id, within),
    before: imageSide(connect, details.imageId, owner),
    after: containerSide(connect, details.id),
    mounts: mountsOf(details),
  };
}

/** Registers the commands of the view of changes and of its rows: they are for the review that is open alone. */
export function registerChangesCommands(
  registry: CommandRegistry,
  desk: ReviewDesk,
  engines: Engines,
): void {
  registry.simple('gantry.changes.refresh', () => told(() => desk.refresh()));
  registry.simple('gantry.changes.close', () => {
    desk.close();
  });
  registry.simple('gantry.changes.commit', () => commit(desk, engines));
  registry.simple('gantry.changes.open', (row) => told(() => open(desk, row)));
  registry.simple('gantry.changes.copyPath', async (row) => {
    const path = pathOf(row);
    if (path !== undefined) await vscode.env.clipboard.writeText(path);
  });
}

async function open(desk: ReviewDesk, row: unknown): Promise<void> {
  const { entry } = isRow(row) && row.kind === 'entry' ? row : {};
  if (!entry || (await desk.openEntry(entry))) return;
  showInfo(l10n.t('{0} is not there any more. Refresh the changes.', entry.path));
}

/** The form is the container's own, with what was entered in it before the review. */
async function commit(desk: ReviewDesk, engines: Engines): Promise<unknown> {
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

async function told(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (isCancellation(error)) return;
    const sentence = describeFailure(l10n.t('Could not show the changes'), error, l10n);
    showError(sentence, ...helpFor(error));
  }
}
