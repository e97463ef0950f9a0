import { once } from '../base/lifetime.ts';
import type { Commands } from './frame/command.ts';
import type { CommandDependencies } from './frame/commandDependencies.ts';
import { COMMAND_GROUPS, type CommandGroup, type CommandId } from './commandIds.ts';
import { CommandRegistry, type CommandHandler } from './frame/commandRegistry.ts';

/** All commands of Gantry. A group of commands is loaded when one of them first runs. */
export class CommandGroups {
  readonly #registry: CommandRegistry;
  readonly #loads: ReadonlyMap<string, () => Promise<void>>;

  constructor(parts: CommandDependencies) {
    this.#registry = new CommandRegistry(parts.choice, parts.selection, parts, (id) =>
      this.handlerOf(id),
    );
    this.#loads = new Map(
      Object.entries(COMMAND_GROUPS).flatMap(([group, ids]) => {
        const load = once(() => this.#load(LOADERS[group as CommandGroup], parts));
        return ids.map((id) => [id, load] as const);
      }),
    );
  }

  /** Loads a command. */
  async handlerOf(id: CommandId): Promise<CommandHandler> {
    await this.#loads.get(id)?.();
    const handler = this.#registry.handlerOf(id);
    if (!handler) throw new Error(`There is no command ${id}`);
    return handler;
  }

  async #load(loader: Loader, parts: CommandDependencies): Promise<void> {
    for (const commands of await loader(parts, this.#registry)) this.#registry.register(commands);
  }
}

type Loader = (
  parts: CommandDependencies,
  registry: CommandRegistry,
) => Promise<readonly Commands[]>;

const LOADERS: Readonly<Record<CommandGroup, Loader>> = {
  builds: async (parts) => {
    const { buildsGroup } = await import('./builds/buildsGroup.ts');
    return buildsGroup(parts);
  },
  changes: async (parts, registry) => {
    const { changesGroup } = await import('./review/changesGroup.ts');
    return changesGroup(parts, await parts.reviews(), registry);
  },
  containers: async (parts) => {
    const { containersGroup } = await import('./containers/containersGroup.ts');
    return containersGroup(parts);
  },
  create: async () => {
    const { createGroup } = await import('./create/createGroup.ts');
    return createGroup();
  },
  engines: async (parts) => {
    const { enginesGroup } = await import('./engines/enginesGroup.ts');
    return enginesGroup(parts);
  },
  files: async ({ ui }) => {
    const { fileCommands } = await import('./files/fileCommands.ts');
    return [fileCommands(ui)];
  },
  images: async (parts) => {
    const { imagesGroup } = await import('./images/imagesGroup.ts');
    return imagesGroup(parts);
  },
  logs: async ({ ui, tabs }) => {
    const { logsGroup } = await import('./logs/logsGroup.ts');
    return logsGroup(ui, tabs);
  },
  networks: async (parts) => {
    const { networksGroup } = await import('./networks/networksGroup.ts');
    return networksGroup(parts);
  },
  projects: async (parts) => {
    const { projectsGroup } = await import('./projects/projectsGroup.ts');
    return projectsGroup(parts);
  },
  recipes: async ({ ui }) => {
    const { recipesGroup } = await import('./recipes/recipesGroup.ts');
    return recipesGroup(ui);
  },
  registries: async ({ ui }) => {
    const { registriesGroup } = await import('./registries/registriesGroup.ts');
    return registriesGroup(ui);
  },
  system: async ({ ui }) => {
    const { systemGroup } = await import('./system/systemGroup.ts');
    return systemGroup(ui);
  },
  volumes: async (parts) => {
    const { volumesGroup } = await import('./volumes/volumesGroup.ts');
    return volumesGroup(parts);
  },
};
