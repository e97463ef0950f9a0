import type { Command, CommandHandler } from './frame/command.ts';
import type { CommandDependencies } from './frame/commandDependencies.ts';
import { commandHandler } from './frame/commandHandler.ts';
import type { CommandId } from './ui/ui.ts';

/** All commands of Gantry. Those of a folder are loaded when one of them first runs. */
export class Commands {
  readonly #frame: CommandDependencies;
  readonly #loaded = new Map<Folder, Promise<Handlers>>();

  constructor(parts: Omit<CommandDependencies, 'handlerOf'>) {
    this.#frame = { ...parts, handlerOf: (id) => this.handlerOf(id) };
  }

  /** Loads a command. @throws Error if there is none with this ID. */
  async handlerOf(id: CommandId): Promise<CommandHandler> {
    const folder = folderOf(id);
    const handler = folder && (await this.#handlersIn(folder)).get(id);
    if (!handler) throw new Error(`There is no command ${id}`);
    return handler;
  }

  #handlersIn(folder: Folder): Promise<Handlers> {
    const handlers = this.#loaded.get(folder) ?? this.#load(folder);
    this.#loaded.set(folder, handlers);
    return handlers;
  }

  async #load(folder: Folder): Promise<Handlers> {
    const { commands } = await FOLDERS[folder]();
    const all = await commands(this.#frame);
    return new Map(all.map((command) => [command.id, commandHandler(command, this.#frame)]));
  }
}

/** The handlers of commands, by ID. */
type Handlers = ReadonlyMap<CommandId, CommandHandler>;

/** The folders, and what loads the list of their commands. */
const FOLDERS = {
  arrange: () => import('./arrange/commands.ts'),
  builds: () => import('./builds/commands.ts'),
  containers: () => import('./containers/commands.ts'),
  create: () => import('./create/commands.ts'),
  details: () => import('./details/commands.ts'),
  engines: () => import('./engines/commands.ts'),
  files: () => import('./files/commands.ts'),
  images: () => import('./images/commands.ts'),
  logs: () => import('./logs/commands.ts'),
  networks: () => import('./networks/commands.ts'),
  projects: () => import('./projects/commands.ts'),
  recipes: () => import('./recipes/commands.ts'),
  registries: () => import('./registries/commands.ts'),
  review: () => import('./review/commands.ts'),
  statistics: () => import('./statistics/commands.ts'),
  system: () => import('./system/commands.ts'),
  tasks: () => import('./tasks/commands.ts'),
  upChanges: () => import('./upChanges/commands.ts'),
  volumes: () => import('./volumes/commands.ts'),
  worktrees: () => import('./worktrees/commands.ts'),
} satisfies Readonly<Record<string, () => Promise<CommandList>>>;

type Folder = keyof typeof FOLDERS;

/** Exports of each folder. */
interface CommandList {
  readonly commands: (
    parts: CommandDependencies,
  ) => readonly Command[] | Promise<readonly Command[]>;
}

/** The commands that are in another folder than that of their noun. */
const ELSEWHERE: readonly (readonly [Folder, RegExp])[] = [
  ['arrange', /^(?:\w+\.(?:filterAndSort|clearFilter)|images\.filter|containers\.(?:pin|unpin))$/],
  ['builds', /^images\.(?:build|checkBuild)$/],
  ['containers', /^images\.(?:copy[A-Z]\w*|inspect|list)$/],
  ['create', /^containers\.(?:create|duplicate|runAgain)$/],
  ['details', /^(?:\w+\.showDetails|containers\.(?:details|explainExit|openRow))$/],
  ['engines', /^(?:refresh|retry|showDetails)$/],
  ['logs', /^(?:containers\.(?:logs|openLogViewer)$|logViewer\.)/],
  ['upChanges', /^projects\.(?:whatWouldUpChange|upInWorktree)$/],
  ['recipes', /^containers\.(?:composeService|copyRunCommand)$/],
  ['statistics', /^containers\.(?:stats|showStatistics)$/],
  ['tasks', /^containers\.runCommand$/],
  ['registries', /^(?:pulls\.|images\.(?:checkNewer|pull|pullAgain|push)$)/],
  [
    'review',
    /^(?:changes\.|builds\.compare$|containers\.(?:commit|reviewChanges)$|images\.reviewContents$)/,
  ],
  ['statistics', /^containers\.(?:stats|showStatistics)$/],
  ['worktrees', /^projects\.worktrees$/],
  ['system', /^(?:builds\.pruneCache|images\.diskUse|\w+\.prune)$/],
];

/** Returns the folder of a command: the noun in its ID, or where it is instead. */
function folderOf(id: CommandId): Folder | undefined {
  const name = id.slice('gantry.'.length);
  const [elsewhere] = ELSEWHERE.find(([, names]) => names.test(name)) ?? [];
  return (
    elsewhere ?? (Object.keys(FOLDERS).find((folder) => name.startsWith(`${folder}.`)) as Folder)
  );
}
