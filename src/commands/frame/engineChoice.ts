import * as l10n from '@vscode/l10n';
import type { EngineUnit } from '../../engines/engineUnit.ts';
import type { Engines } from '../../engines/engines.ts';
import { InputError } from '../../engine/errors.ts';
import { isFullId } from '../../engine/wire/wire.ts';
import { originOf } from '../../views/engines/engineState.ts';
import { joinParts } from '../../views/format.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { CommandContext } from './commandContext.ts';
import { formatItemText } from '../ui/formatNames.ts';
import type { PreferredEngine } from '../../engines/preferredEngine.ts';
import type { CommandId, Ui } from '../ui/ui.ts';

/**
 * Finds the engine of a command: the one of its row, the one that its argument names, the only one, or the
 * one that the user picks.
 */
export class EngineChoice {
  readonly #dependencies: EngineChoiceDependencies;
  readonly #ui: Ui;

  constructor(parts: EngineChoiceDependencies) {
    this.#dependencies = parts;
    this.#ui = parts.ui;
  }

  /** The engines that are not disconnected; all if every engine is disconnected. */
  get #usable(): readonly EngineUnit[] {
    const { all } = this.#dependencies.engines;
    const on = all.filter((unit) => !unit.isOff);
    return on.length > 0 ? on : all;
  }

  /** Returns the context of the engine with this ID. */
  ofEngine(id: string): CommandContext | undefined {
    const unit = this.#dependencies.engines.get(id);
    return unit && this.#dependencies.contextOf(unit);
  }

  /**
   * Returns the engine of an argument. Does not ask the user.
   *
   * @param name the field `engine` of the argument.
   * @param target the ID or name of the container or image in the argument. A full ID identifies its engine.
   * @throws InputError if there is no engine of this name, or if there are several engines and none is
   * selected.
   */
  forArgument(name: unknown, target = ''): CommandContext {
    const { engines, contextOf } = this.#dependencies;
    if (name !== undefined) return contextOf(this.named(name));
    const owner = isFullId(target)
      ? engines.all.find(({ inventory }) => inventory.containers.has(target))
      : undefined;
    const only = owner ?? this.#obvious();
    if (only) return contextOf(only);
    const names = engines.all.map((unit) => unit.name).join(', ');
    throw new InputError(l10n.t('More than one engine is available: {0}. Set "engine".', names));
  }

  /** Returns the engine of this name. @throws InputError. */
  named(name: unknown): EngineUnit {
    const { engines } = this.#dependencies;
    if (typeof name !== 'string') throw new InputError(l10n.t('"engine" must be a string.'));
    const unit = engines.named(name);
    if (unit) return unit;
    const names = engines.all.map((one) => one.name).join(', ');
    throw new InputError(l10n.t('Engine "{0}" not found. Available engines: {1}.', name, names));
  }

  /**
   * Returns the engine of the rows, or asks the user. Resolves to undefined if the user cancels.
   *
   * @param id the command, for the title.
   */
  async forUser(nodes: readonly TreeNode[], id: CommandId): Promise<CommandContext | undefined> {
    const [node] = nodes;
    if (node) return this.ofEngine(node.engine);
    const unit = this.#obviousToUser ?? (await this.#pickFrom(this.#usable, id));
    return unit && this.#dependencies.contextOf(unit);
  }

  /** Returns the engine of the rows, or all that are not disconnected, beginning with the workspace default. */
  contextsFor(nodes: readonly TreeNode[]): readonly CommandContext[] {
    const [node] = nodes;
    if (node) return [this.ofEngine(node.engine)].filter((one) => one !== undefined);
    const { preferred, contextOf } = this.#dependencies;
    return this.#usable
      .toSorted((a, b) => Number(b.id === preferred.id) - Number(a.id === preferred.id))
      .map(contextOf);
  }

  /**
   * Lets the user pick an engine that passes the filter. Resolves to undefined if the user cancels or there
   * is none.
   */
  async pick(fits: (unit: EngineUnit) => boolean, id: CommandId): Promise<EngineUnit | undefined> {
    const units = this.#dependencies.engines.all.filter(fits);
    if (units.length > 0) return this.#pickFrom(units, id);
    this.#ui.info(l10n.t('No engine is available for this command.'));
    return undefined;
  }

  async #pickFrom(units: readonly EngineUnit[], id: CommandId): Promise<EngineUnit | undefined> {
    const picked = await this.#ui.pick({
      title: this.#ui.commandTitle(id),
      placeholder: this.#isDefaultOff
        ? l10n.t('The workspace default is disconnected. Select an engine')
        : l10n.t('Select an engine'),
      items: units.map((unit) => ({
        label: unit.name,
        description: joinParts(formatItemText(originOf(unit)), unit.engine.endpoint?.url),
        unit,
      })),
    });
    return picked?.unit;
  }

  /** A workspace default that is disconnected is not replaced without a word. */
  get #obviousToUser(): EngineUnit | undefined {
    return this.#isDefaultOff ? undefined : this.#obvious();
  }

  /** Whether the workspace default is disconnected, and others are not. */
  get #isDefaultOff(): boolean {
    const { preferred, engines } = this.#dependencies;
    return (
      engines.all.some((unit) => unit.id === preferred.id && unit.isOff) &&
      engines.all.some((unit) => !unit.isOff)
    );
  }

  /** Returns the only engine, or the workspace default. */
  #obvious(): EngineUnit | undefined {
    const usable = this.#usable;
    const [only] = usable;
    if (usable.length === 1) return only;
    const { preferred } = this.#dependencies;
    return usable.find((unit) => unit.id === preferred.id);
  }
}

interface EngineChoiceDependencies {
  readonly ui: Ui;
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly contextOf: (unit: EngineUnit) => CommandContext;
}
