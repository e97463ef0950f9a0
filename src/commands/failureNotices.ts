import * as vscode from 'vscode';
import { inspectContainer } from '../engine/containers/containers.ts';
import type { Engines } from '../engines/engines.ts';
import type { EngineUnit } from '../engines/engineUnit.ts';
import { FailedExits, type FailedExit } from '../inventory/failedExits.ts';
import type { Disposable } from '../lifetime.ts';
import { settings } from '../settings.ts';
import { showLog } from './logs/logsCommand.ts';
import type { CommandContext } from './context.ts';
import { showWarning } from './notifications.ts';

const { l10n } = vscode;

/** Tells of containers that die unexpectedly, where the person wants to hear of it. */
export class FailureNotices implements Disposable {
  readonly #engines: Engines;
  readonly #contextOf: (unit: EngineUnit) => CommandContext;
  readonly #watched = new Map<EngineUnit, FailedExits>();
  readonly #subscription: Disposable;

  constructor(engines: Engines, contextOf: (unit: EngineUnit) => CommandContext) {
    this.#engines = engines;
    this.#contextOf = contextOf;
    this.#subscription = engines.onDidChange(() => {
      this.#update();
    });
    this.#update();
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const exits of this.#watched.values()) exits.dispose();
  }

  #update(): void {
    const { all } = this.#engines;
    for (const [unit, exits] of this.#watched) {
      if (all.includes(unit)) continue;
      exits.dispose();
      this.#watched.delete(unit);
    }
    for (const unit of all) if (!this.#watched.has(unit)) this.#watch(unit);
  }

  #watch(unit: EngineUnit): void {
    const { inventory, activity } = unit;
    const exits = new FailedExits({
      inventory,
      activity,
      now: Date.now,
      wasOutOfMemory: async (id) =>
        (await inspectContainer(await unit.engine.connect(), id)).wasOutOfMemory,
    });
    exits.onDidFail((exit) => {
      if (exit.isOutOfMemory) inventory.noteOutOfMemory(exit.id);
      if (settings.notifyOnFailure()) this.#tell(exit, unit);
    });
    this.#watched.set(unit, exits);
  }

  #tell({ id, name, exitCode, isOutOfMemory }: FailedExit, unit: EngineUnit): void {
    const context = this.#contextOf(unit);
    const title = context.titleOf(name);
    const words = isOutOfMemory
      ? l10n.t('{0} ran out of memory and was killed.', title)
      : l10n.t('{0} ended unexpectedly with status {1}.', title, exitCode);
    showWarning(words, {
      title: l10n.t('Show Logs'),
      run: () => showLog({ id, name }, context),
    });
  }
}
