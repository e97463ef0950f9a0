import type { CleanupPages } from '../cleanup/cleanupPages.ts';
import type { DetailsPages } from '../details/detailsPages.ts';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import { engineUi } from '../commands/engines/engineUi.ts';
import { ContainerExits } from '../engines/containerExits.ts';
import type { EngineUnit } from '../engines/engineUnit.ts';
import type { Engines } from '../engines/engines.ts';
import { DisposableStore, once, type Disposable } from '../base/lifetime.ts';
import type { GraphPages } from '../graphs/graphPages.ts';
import type { LogViewers } from '../logviewer/logViewers.ts';
import type { ViewerEngine } from '../logviewer/host/openLogSet.ts';
import type { LogChannels } from '../output/logChannels.ts';
import { settings } from '../base/settings.ts';
import type { EngineTerminals, Terminals } from '../output/terminal/terminals.ts';
import type { Views } from '../views/views.ts';

/** The contexts of commands, one for each engine. A context is disposed when its engine is removed. */
export class CommandContexts implements Disposable {
  readonly #engines: Engines;
  readonly #views: Views;
  readonly #shared: Shared;
  readonly #contexts = new Map<EngineUnit, OwnedContext>();
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
    if (known) return known.context;
    const owned = new DisposableStore();
    const context = this.#make(unit, owned);
    this.#contexts.set(unit, { context, owned });
    return context;
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const unit of [...this.#contexts.keys()]) this.#drop(unit);
  }

  #make(unit: EngineUnit, owned: DisposableStore): CommandContext {
    const { engine, inventory, activity } = unit;
    const { viewers, cleanUps, details, graphs, logUri, terminals, ...shared } = this.#shared;
    const viewed = viewerEngineOf(unit, this.#engines);
    const { titleOf, connect, watch } = viewed;
    const parts = { connect, onDidChangeContainers: inventory.onDidChange, titleOf, watch };
    const context: CommandContext = {
      ...shared,
      ui: engineUi(shared.ui, () => (this.#engines.areSeveral ? unit.name : undefined)),
      unit,
      engine,
      contextOf: (id) => {
        const other = this.#engines.get(id);
        return other && this.of(other);
      },
      inventory,
      activity,
      titleOf,
      logs: once(async () => owned.add(await openLogChannels({ ...parts, logUri }))),
      terminals: once(async () => owned.add(await openTerminals(await terminals(), parts))),
      openViewer: async (selection, names, at) =>
        (await viewers()).open(viewed, { ...selection, engine: unit.id }, names, at),
      openGraphs: async (selection, names) => (await graphs()).open(context, selection, names),
      openBuildViewer: async (build) => (await viewers()).openBuild(viewed, build),
      openCleanUp: async (only) => (await cleanUps()).open(context, only),
      openDetails: async (target, options) => (await details()).open(context, target, options),
      copyDetail: async (key) => (await details()).copy(key),
      exits: owned.add(new ContainerExits()),
      reveal: (id, reference) => this.#views.reveal(unit.id, id, reference),
    };
    return context;
  }

  #drop(unit: EngineUnit): void {
    this.#contexts.get(unit)?.owned.dispose();
    this.#shared.window.transfers.drop(unit.id);
    this.#contexts.delete(unit);
  }
}

/** A context and what it has opened. */
interface OwnedContext {
  readonly context: CommandContext;
  readonly owned: DisposableStore;
}

type LogParts = Omit<ConstructorParameters<typeof EngineTerminals>[1], 'sources'>;

async function openLogChannels(parts: LogParts & Pick<Shared, 'logUri'>): Promise<LogChannels> {
  const [{ LogChannels }, { WorkspaceSources, originsInContainers }] = await Promise.all([
    import('../output/logChannels.ts'),
    import('../logviewer/workspaceSources.ts'),
  ]);
  const sources = new WorkspaceSources(originsInContainers(parts.connect));
  return new LogChannels({ ...parts, sources, outputLines: settings.logOutputLines });
}

async function openTerminals(all: Terminals, parts: LogParts): Promise<EngineTerminals> {
  const [{ EngineTerminals }, { WorkspaceSources, originsInContainers }] = await Promise.all([
    import('../output/terminal/terminals.ts'),
    import('../logviewer/workspaceSources.ts'),
  ]);
  const sources = new WorkspaceSources(originsInContainers(parts.connect));
  return new EngineTerminals(all, { ...parts, sources });
}

type Shared = Pick<CommandContext, 'ui' | 'showDetails' | 'window'> & {
  readonly viewers: () => Promise<LogViewers>;
  readonly cleanUps: () => Promise<Pick<CleanupPages, 'open'>>;
  readonly details: () => Promise<Pick<DetailsPages, 'open' | 'copy'>>;
  readonly graphs: () => Promise<Pick<GraphPages, 'open'>>;
  readonly terminals: () => Promise<Terminals>;
  readonly logUri: ConstructorParameters<typeof LogChannels>[0]['logUri'];
};

/** Returns what log viewers need of an engine. */
export function viewerEngineOf(unit: EngineUnit, engines: Engines): ViewerEngine {
  const { id, engine, inventory } = unit;
  return {
    id,
    inventory,
    connect: (signal) => engine.connect(signal),
    watch: () => unit.start(),
    titleOf: (name) => (engines.areSeveral ? `${name} (${unit.name})` : name),
  };
}
