import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import './fakeEditor.ts';
import type { Command, CommandHandler } from '../../../src/commands/frame/command.ts';
import type { CommandContext, WindowServices } from '../../../src/commands/frame/commandContext.ts';
import { ContainerExits } from '../../../src/engines/containerExits.ts';
import { CreateHistory } from '../../../src/recipes/createHistory.ts';
import { EngineChoice } from '../../../src/commands/frame/engineChoice.ts';
import { RecentReferences } from '../../../src/registries/recentReferences.ts';
import { Exclusions } from '../../../src/engines/exclusions.ts';
import { Consent } from '../../../src/commands/credentials/consent.ts';
import { RegistryAccess } from '../../../src/commands/credentials/registryAccess.ts';
import { errorMessage } from '../../../src/commands/ui/errorMessage.ts';
import type { Container, Image } from '../../../src/engine/model.ts';
import type { RequestRecord } from '../../../src/engine/http/requestRecord.ts';
import type { Engines } from '../../../src/engines/engines.ts';
import type { EngineUnit } from '../../../src/engines/engineUnit.ts';
import { PathNode } from '../../../src/files/fileNode.ts';
import { PreferredEngine } from '../../../src/engines/preferredEngine.ts';
import { Activity } from '../../../src/inventory/activity.ts';
import { EventRing } from '../../../src/inventory/runs/eventRing.ts';
import { LastRuns } from '../../../src/inventory/runs/lastRuns.ts';
import { OwnActs } from '../../../src/inventory/runs/ownActs.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';
import { InventoryRequests } from '../../../src/inventory/inventoryRequests.ts';
import type { Memento } from '../../../src/base/lifetime.ts';
import { NewerImages } from '../../../src/registries/transfers/newerImages.ts';
import { WorktreeOverrides } from '../../../src/projects/worktrees/worktreeOverrides.ts';
import { Transfers } from '../../../src/registries/transfers/transfers.ts';
import { BuildRow } from '../../../src/views/builds/buildNode.ts';
import { EngineNode, NoteNode } from '../../../src/views/engines/engineNode.ts';
import { ImageNode } from '../../../src/views/images/imageNode.ts';
import { ContainerNode } from '../../../src/views/containers/containerNode.ts';
import type { RowKind, TreeNode } from '../../../src/views/treeNode.ts';
import { VolumeNode } from '../../../src/views/volumes/volumeNode.ts';
import { NetworkNode } from '../../../src/views/networks/networkNode.ts';
import { FakeClock } from './fakeClock.ts';
import type { Answer, FakeEngine } from './fakeEngine.ts';
import { openLab } from './lab.ts';
import { ScriptedUi } from './scriptedUi.ts';

/** The ID of the engine in rows. */
export const ENGINE = 'docker';

const INFO = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;

/** Commands in a window with one fake engine on a socket and a scripted user. */
export interface CommandLab {
  readonly ui: ScriptedUi;
  readonly engine: FakeEngine;
  /** All requests, as recorded for the log. */
  readonly records: readonly RequestRecord[];
  readonly context: CommandContext;
  readonly inventory: Inventory;
  /** What commands revealed in the views: an ID, or the reference of an image. */
  readonly revealed: readonly string[];
  /** The selected rows of the views. */
  selection: readonly TreeNode[];
  /** Adds the engine of another lab to the window, under this ID in rows. Closed with the window. */
  join(id: string, other: CommandLab): void;
  /** Replaces the contents of the inventory. */
  list(containers: readonly Container[], images?: readonly Image[]): void;
  /** Makes commands known, so that they can be run by their IDs. */
  register(commands: readonly Command[]): void;
  /** Returns the handler of a command that is known. */
  handlerOf(id: string): CommandHandler;
  /** Runs a command object or a registered command, with rows as from a menu, or without as from the palette. */
  run(command: Command | string, ...nodes: readonly TreeNode[]): Promise<unknown>;
  /** Runs a command as its keybinding in a focused view, on the selection. */
  press(command: Command | string): Promise<unknown>;
  /** Runs a command with a plain argument, as from a keybinding or a script. */
  call(command: Command | string, argument: object): Promise<unknown>;
  close(): Promise<void>;
}

/** Overrides of the context that commands get. */
interface ContextParts extends Partial<Omit<CommandContext, 'window'>> {
  readonly window?: Partial<WindowServices>;
}

/**
 * Opens a lab. Close it in `afterEach`.
 *
 * @param answer the responses of the engine.
 * @param parts overrides of the context that commands get.
 */
export async function openCommandLab(
  answer: Answer,
  { window, ...parts }: ContextParts = {},
): Promise<CommandLab> {
  const { commandHandler } = await import('../../../src/commands/frame/commandHandler.ts');
  const lab = openLab();
  const { engine, connection } = await lab.fake(answer);
  const ui = new ScriptedUi();
  const inventory = new Inventory();
  inventory.setPhase({ kind: 'live', info: INFO });
  const revealed: string[] = [];
  const contexts = new Map<string, CommandContext>();
  const joined: CommandLab[] = [];
  const { endpoint } = connection;
  const activity = new Activity();
  const now = Date.now;
  const acts = new OwnActs({ activity, now });
  const events = new EventRing({ inventory, now, acts });
  const runs = new LastRuns({ inventory, events, acts, now });
  const unit = {
    id: ENGINE,
    name: 'Docker',
    isOff: false,
    inventory,
    activity,
    events,
    runs: () => Promise.resolve(runs),
    engine: { endpoint, lastUrl: endpoint.url, connect: () => Promise.resolve(connection) },
    start: () => undefined,
    requests: new InventoryRequests(),
  } as unknown as EngineUnit;
  const context = {
    window: { ...(await realServices(ui)), ...window },
    exits: new ContainerExits(),
    ui,
    unit,
    engine: unit.engine,
    contextOf: (id: string) => contexts.get(id),
    inventory,
    activity: unit.activity,
    titleOf: (name: string) => name,
    reveal: (id: string, reference?: string) => revealed.push(reference ?? id),
    showDetails: () => undefined,
    ...parts,
  } as unknown as CommandContext;
  contexts.set(ENGINE, context);
  const selected = (kind: RowKind) =>
    opened.selection.filter(
      (one) => one instanceof EngineNode || one instanceof NoteNode || viewOf(one) === kind,
    );
  const known = new Map<string, Command>();
  const frame = {
    ...{ ui, showDetails: () => undefined, selection: selected },
    choice: choiceOf(ui, unit, context),
    handlerOf: (id: string) => Promise.resolve(opened.handlerOf(id)),
  };
  const handler = (command: Command | string) =>
    typeof command === 'string' ? opened.handlerOf(command) : commandHandler(command, frame);
  const opened: CommandLab = {
    ui,
    engine,
    records: lab.records,
    context,
    inventory,
    revealed,
    register: (commands) => {
      for (const command of commands) known.set(command.id, command);
    },
    handlerOf: (id) => {
      const command = known.get(id);
      assert(command, `${id} is not registered`);
      return commandHandler(command, frame);
    },
    selection: [],
    join: (id, other) => {
      joined.push(other);
      const unit = Object.assign(other.context.unit, { id });
      contexts.set(id, { ...other.context, ui, unit, titleOf: (name) => `${name} (${id})` });
    },
    list: (containers, images = []) => {
      inventory.replaceAll(containers, images, Date.now(), { kind: 'live', info: INFO });
    },
    run: (command, ...nodes) => Promise.resolve(handler(command)(nodes[0], nodes)),
    press: (command) => Promise.resolve(handler(command)('focusedView')),
    call: (command, argument) => Promise.resolve(handler(command)(argument)),
    close: async () => {
      for (const one of [lab, ...joined]) await one.close();
    },
  };
  return opened;
}

/** Returns what the rows of a row's view represent. */
function viewOf(node: TreeNode): RowKind {
  if (node instanceof BuildRow) return 'build';
  if (node instanceof PathNode) return 'file';
  if (node instanceof VolumeNode) return 'volume';
  if (node instanceof NetworkNode) return 'network';
  return node instanceof ImageNode ? 'image' : 'container';
}

/** Runs the command with this ID as a button of the editor. */
export function runAsEditor(commands: readonly Command[], id: string, first?: unknown): unknown {
  const command = commands.find((one) => one.id === id);
  assert(command?.on === 'editor', id);
  return command.run(first);
}

/** Returns the row of a container. */
export function containerRow(container: Container): ContainerNode {
  return new ContainerNode(ENGINE, container, container.state === 'running');
}

/** Returns the row of an image for its first tag. */
export function imageRow(image: Image, tag = image.tags[0]): ImageNode {
  return new ImageNode(ENGINE, image, tag);
}

/** Returns a `Memento` in memory. */
export function fakeMemento(): Memento {
  const kept = new Map<string, unknown>();
  return {
    get: (key: string, fallback?: unknown) => kept.get(key) ?? fallback,
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
  } as Memento;
}

const NO_FOLDER = join(tmpdir(), 'gantry-worktrees-of-nobody');

async function realServices(ui: ScriptedUi): Promise<Partial<WindowServices>> {
  const { TransferNotifications } = await import('../../../src/output/transferNotifications.ts');
  const transfers = new Transfers(new FakeClock());
  const consent = new Consent(fakeMemento(), ui);
  const log = { info: () => undefined, warn: () => undefined };
  const find = () => Promise.resolve({ source: { kind: 'none' }, problems: [] } as const);
  const unused = { signInService: undefined as never };
  return {
    transfers,
    consent,
    pulls: new TransferNotifications(transfers, (error) => errorMessage(error)),
    newer: new NewerImages(),
    registries: () => Promise.resolve(new RegistryAccess(ui, { ...unused, find, consent, log })),
    creates: new CreateHistory(fakeMemento(), fakeMemento()),
    recent: new RecentReferences(fakeMemento()),
    exclusions: new Exclusions(fakeMemento()),
    memory: fakeMemento(),
    worktrees: () => Promise.resolve(new WorktreeOverrides(NO_FOLDER)),
  };
}

function choiceOf(ui: ScriptedUi, unit: EngineUnit, context: CommandContext): EngineChoice {
  const engines = {
    all: [unit],
    get: (id: string) => (id === unit.id ? unit : undefined),
    named: (name: string) => (name === unit.name ? unit : undefined),
  } as unknown as Engines;
  const preferred = new PreferredEngine(fakeMemento());
  return new EngineChoice({ ui, engines, preferred, contextOf: () => context });
}
