import * as vscode from 'vscode';
import type { EngineUnit } from '../../engines/engineUnit.ts';
import type { Engines } from '../../engines/engines.ts';
import { InputError } from '../../engine/errors.ts';
import { isFullId } from '../../engine/registries/resolve.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { CommandContext } from '../context.ts';
import { showInfo } from '../notifications.ts';
import type { PreferredEngine } from './preferredEngine.ts';
import { formatItem } from '../displayText.ts';

const { l10n } = vscode;

/** Which engine a command means: the one of its row, the one its argument names, the only one, or the one picked. */
export class EngineChoice {
  readonly #dependencies: EngineChoiceDependencies;

  constructor(parts: EngineChoiceDependencies) {
    this.#dependencies = parts;
  }

  /** Those that are not disconnected; all where every one is. */
  get #usable(): readonly EngineUnit[] {
    const { all } = this.#dependencies.engines;
    const on = all.filter((unit) => !unit.isOff);
    return on.length > 0 ? on : all;
  }

  /** The context of the engine with this id. */
  ofEngine(id: string): CommandContext | undefined {
    const unit = this.#dependencies.engines.get(id);
    return unit && this.#dependencies.contextOf(unit);
  }

  /**
   * The engine an argument means. Asks nobody.
   *
   * @param name the argument's field `engine`.
   * @param target what the argument calls its container or image by; a full id says where it is.
   * @throws InputError where the name is nobody's, or where there are several engines and nothing says which.
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
    throw new InputError(l10n.t('There are several engines: {0}. Say which as "engine".', names));
  }

  /** The engine of this name. @throws InputError. */
  named(name: unknown): EngineUnit {
    const { engines } = this.#dependencies;
    if (typeof name !== 'string') throw new InputError(l10n.t('"engine" must be a text.'));
    const unit = engines.named(name);
    if (unit) return unit;
    const names = engines.all.map((one) => one.name).join(', ');
    throw new InputError(l10n.t('There is no engine "{0}", only: {1}.', name, names));
  }

  /** The engine a person means; asked for where rows do not say it. Undefined where they leave. */
  async forUser(nodes: readonly TreeNode[]): Promise<CommandContext | undefined> {
    const [node] = nodes;
    if (node) return this.ofEngine(node.engine);
    const unit = this.#obvious() ?? (await this.#pickFrom(this.#usable));
    return unit && this.#dependencies.contextOf(unit);
  }

  /** Lets the person pick one of those that fit. Undefined where they leave, or where none fits. */
  async pick(fits: (unit: EngineUnit) => boolean): Promise<EngineUnit | undefined> {
    const units = this.#dependencies.engines.all.filter(fits);
    if (units.length > 0) return this.#pickFrom(units);
    showInfo(l10n.t('There is no engine this can be done with.'));
    return undefined;
  }

  async #pickFrom(units: readonly EngineUnit[]): Promise<EngineUnit | undefined> {
    const items = units.map((unit) =>
      formatItem({ label: unit.name, description: unit.engine.endpoint?.url ?? '', unit }),
    );
    const placeHolder = l10n.t('Choose an engine');
    return (await vscode.window.showQuickPick(items, { placeHolder }))?.unit;
  }

  /** The only one, or the one the person prefers in this workspace. */
  #obvious(): EngineUnit | undefined {
    const usable = this.#usable;
    const [only] = usable;
    if (usable.length === 1) return only;
    const { preferred } = this.#dependencies;
    return usable.find((unit) => unit.id === preferred.id);
  }
}

/** What an engine is chosen by. */
export interface EngineChoiceDependencies {
  readonly engines: Engines;
  readonly preferred: PreferredEngine;
  readonly contextOf: (unit: EngineUnit) => CommandContext;
}
