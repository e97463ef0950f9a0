import * as vscode from 'vscode';
import type { ReviewController } from '../../review/reviewController.ts';
import type { ReviewRow } from '../../review/reviewRow.ts';
import type { EngineChoice } from '../engines/engineChoice.ts';
import { showInfo, withErrorMessage, type ErrorDetails } from '../notifications.ts';
import type { CommandRegistry } from '../commandRegistry.ts';
import { containerTarget } from '../targets.ts';
import { commitCommand } from './commitCommand.ts';

const { l10n } = vscode;

/** Registers the commands of the view of changes and of its rows: they are for the review that is open alone. */
export function registerReviewCommands(
  registry: CommandRegistry,
  reviews: ReviewController,
  choice: EngineChoice,
  details: ErrorDetails,
): void {
  const show = async (run: () => Promise<void>): Promise<void> => {
    await withErrorMessage(l10n.t('Could not show the changes'), details, run);
  };
  registry.simple('gantry.changes.refresh', () => show(() => reviews.refresh()));
  registry.simple('gantry.changes.close', () => {
    reviews.close();
  });
  registry.simple('gantry.changes.commit', () => commit(registry, reviews, choice));
  registry.simple('gantry.changes.open', (row) => show(() => open(reviews, row)));
  registry.simple('gantry.changes.copyPath', async (row) => {
    const path = pathOf(row);
    if (path !== undefined) await vscode.env.clipboard.writeText(path);
  });
}

async function open(reviews: ReviewController, row: unknown): Promise<void> {
  const { entry } = isRow(row) && row.kind === 'entry' ? row : {};
  if (!entry || (await reviews.openEntry(entry))) return;
  showInfo(l10n.t('{0} is not there any more. Refresh the changes.', entry.path));
}

/** Goes on with what was entered before the review. */
async function commit(
  registry: CommandRegistry,
  reviews: ReviewController,
  choice: EngineChoice,
): Promise<unknown> {
  const { subject } = reviews.current ?? {};
  if (subject?.kind !== 'container') return undefined;
  const context = choice.ofEngine(subject.engine);
  const container = context?.inventory.containers.get(subject.id);
  if (!context || !container) {
    showInfo(l10n.t('{0} is not there any more.', subject.name));
    return undefined;
  }
  return registry.runForUser(commitCommand(reviews), [containerTarget(container, context)]);
}

function pathOf(row: unknown): string | undefined {
  if (!isRow(row)) return undefined;
  if (row.kind === 'entry') return row.entry.path;
  return row.kind === 'mount' ? row.mount.target : undefined;
}

function isRow(value: unknown): value is ReviewRow {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
