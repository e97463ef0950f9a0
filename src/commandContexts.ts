import type { CommandContext } from './commands/context.ts';
import { ContainerExits } from './commands/containers/containerExits.ts';
import type { EngineUnit } from './engines/engineUnit.ts';
import type { Engines } from './engines/engines.ts';
import type { Disposable } from './lifetime.ts';
import type { LogViewers } from './logviewer/logViewers.ts';
import type { ViewerEngine } from './logviewer/session/openLogSet.ts';
import { WorkspaceSources } from './logviewer/workspaceSources.ts';
import { LogChannels } from './output/logChannels.ts';
import { settings } from './settings.ts';
import { EngineTerminals, type Terminals } from './terminal/terminals.ts';
import type { Views } from './views/views.ts';

/** The contexts of commands, one for each engine. A context is disposed when its engine is removed. */
export class CommandContexts implements Disposable {
  readonly #engines: Engines;
  readonly #views: Views;
  readonly #shared: Shared;
  readonly #contexts = new Map<EngineUnit, CommandContext>();
  readonly #subscription: Disposable;

  constructor(engines: Engines, views: Views, shared: Shared) {
    this.#engines = engines;
    this.#views = views;
    this.#shared = shared;
    this.#subscription = engines.onDidChange(() => {
      for (const unit of this.#contexts.keys()) if (!engines.all.includes(unit)) this.#drop(unit);
    });
  }

  of(unit: EngineUnit): CommandContext {
    const known = this.#contexts.get(unit);
    if (known) return known;
    const context = this.#make(unit);
    this.#contexts.set(unit, context);
    return context;
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const unit of [...this.#contexts.keys()]) this.#drop(unit);
  }

  #make(unit: EngineUnit): CommandContext {
    const { engine, inventory, activity } = unit;
    const { viewers, logUri, terminals: all, ...shared } = this.#shared;
    const viewed = viewerEngineOf(unit, this.#engines);
    const { titleOf, connect, watch } = viewed;
    const { onDidChange: onDidChangeContainers } = inventory;
    const parts = { connect, onDidChangeContainers, titleOf, watch };
    const places = new WorkspaceSources(connect);
    const outputLines = settings.logOutputLines;
    const logs = new LogChannels({ ...parts, sources: places, logUri, outputLines });
    const terminals = new EngineTerminals(all, { ...parts, places });
    return {
      ...shared,
      ...{ unit, engine, inventory, activity, logs, terminals, titleOf },
      openViewer: (selection, names) =>
        viewers.open(viewed, { ...selection, engine: unit.id }, names),
      exits: new ContainerExits(),
      reveal: (id, reference) => {
        this.#views.reveal(unit.id, id, reference);
      },
    };
  }

  #drop(unit: EngineUnit): void {
    const context = this.#contexts.get(unit);
    context?.exits.dispose();
    context?.logs.dispose();
    context?.terminals.dispose();
    this.#shared.transfers.drop(unit.id);
    this.#contexts.delete(unit);
  }
}

type Shared = Pick<
  CommandContext,
  | 'ui'
  | 'files'
  | 'filesView'
  | 'pulls'
  | 'transfers'
  | 'newer'
  | 'registries'
  | 'consent'
  | 'creates'
  | 'recent'
  | 'showDetails'
> & {
  readonly viewers: LogViewers;
  readonly terminals: Terminals;
  readonly logUri: ConstructorParameters<typeof LogChannels>[0]['logUri'];
};

/** Returns what log viewers need of an engine. */
export function viewerEngineOf(unit: EngineUnit, engines: Engines): ViewerEngine {
  const { id, engine, inventory } = unit;
  return {
    ...{ id, inventory },
    connect: (signal) => engine.connect(signal),
    watch: () => {
      unit.start();
    },
    titleOf: (name) => (engines.areSeveral ? `${name} (${unit.name})` : name),
  };
}
