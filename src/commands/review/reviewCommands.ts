import * as l10n from '@vscode/l10n';
import type { ReviewController } from '../../review/reviewController.ts';
import type { ReviewRow } from '../../review/reviewRow.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';
import { editorCommands, type Command } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { runOnTargets } from '../frame/runOnTargets.ts';
import { containerTarget } from '../frame/targets.ts';
import { commitCommand } from './commitCommand.ts';

/** The commands of the Changes view and its rows. They work on the open review only. */
export function reviewCommands(
  parts: Pick<CommandDependencies, 'ui' | 'showDetails' | 'choice'>,
  reviews: ReviewController,
): readonly Command[] {
  const { ui, choice } = parts;
  const show = async (run: () => Promise<void>): Promise<void> => {
    await withErrorMessage(l10n.t('Could not show the changes'), parts, run);
  };
  const open = async (row: unknown): Promise<void> => {
    const { entry } = isRow(row) && row.kind === 'entry' ? row : {};
    if (!entry || (await reviews.openEntry(entry))) return;
    ui.info(l10n.t('{0} no longer exists. Refresh the changes.', entry.path));
  };
  // Continues with the values that were entered before the review.
  const commit = async (): Promise<unknown> => {
    const { subject } = reviews.current ?? {};
    if (subject?.kind !== 'container') return undefined;
    const context = choice.ofEngine(subject.engine);
    const container = context?.inventory.containers.get(subject.id);
    if (context && container) {
      const targets = [containerTarget(container, context)];
      return withErrorMessage(undefined, parts, () =>
        runOnTargets(commitCommand(reviews), targets, parts),
      );
    }
    ui.info(l10n.t('{0} no longer exists.', subject.name));
    return undefined;
  };
  return editorCommands({
    'gantry.changes.refresh': () => show(() => reviews.refresh()),
    'gantry.changes.close': () => reviews.close(),
    'gantry.changes.commit': commit,
    'gantry.changes.open': (row) => show(() => open(row)),
    'gantry.changes.copyPath': async (row) => {
      const path = pathOf(row);
      if (path !== undefined) await ui.copy(path);
    },
  });
}

function pathOf(row: unknown): string | undefined {
  if (!isRow(row)) return undefined;
  if (row.kind === 'entry') return row.entry.path;
  return row.kind === 'mount' ? row.mount.target : undefined;
}

function isRow(value: unknown): value is ReviewRow {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
