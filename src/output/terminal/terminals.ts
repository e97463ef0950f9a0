import * as l10n from '@vscode/l10n';
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { ContainerDetails } from '../../engine/containers/containerDetails.ts';
import { EngineError, InputError, isRefusal } from '../../engine/errors.ts';
import { missingPart } from '../../engine/exec/missingPart.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { withSignal } from '../../engine/http/withTimeLimit.ts';
import { isSameView, type LogDependencies } from '../../logs/follow/containerLogOptions.ts';
import type { SourceLookup, SourceLocation } from '../../logs/sources/sourceLookup.ts';
import { DisposableStore, type Disposable, withTokenSignal } from '../../base/lifetime.ts';
import { closeAll } from './closeAll.ts';
import { EndedTerminal } from './endedTerminal.ts';
import { AttachTerminal, checkAttachable } from './attachTerminal.ts';
import { LogTerminal, type FollowedLogOptions } from './logTerminal.ts';
import type { Pty, TerminalOwner } from './pty.ts';
import { missingPartMessage } from './missingPartMessage.ts';
import type { Reopen } from './screen.ts';
import { ShellTerminal, shellVariables, type ShellOptions } from './shellTerminal.ts';
import { findSourceReferences } from '../../logs/text/findSourceReferences.ts';
import { visibleText } from '../../logs/text/visibleText.ts';
import { oneLine } from '../../base/plainText.ts';
import { mayOpen, refuseTerminal } from './terminalTrust.ts';

/** All terminals of Gantry and their containers. */
export class Terminals implements Disposable {
  readonly #containers = new Map<vscode.Terminal, LinkedContainer>();
  readonly #shells = new Map<vscode.Terminal, ShellTerminal>();
  readonly #owned = new DisposableStore();

  constructor() {
    this.#owned.add(linkTerminals((terminal) => this.#containers.get(terminal)));
    this.#owned.listen(vscode.window.onDidCloseTerminal, (terminal) => {
      this.#containers.delete(terminal);
      // The shell may still be ending in its container.
      void this.#shells.get(terminal)?.ended.then(() => this.#shells.delete(terminal));
    });
  }

  /**
   * Opens and shows a terminal. Shells end with the window, and no terminal is restored after a reload. If the user
   * does not trust the workspace when VS Code asks, the terminal closes before anything runs in it.
   */
  show(name: string, icon: string, pty: Pty, container: LinkedContainer): vscode.Terminal {
    const iconPath = new vscode.ThemeIcon(icon);
    const trusted = asPty(pty);
    const open: typeof trusted.open = (size) => {
      if (mayOpen()) trusted.open(size);
      else refuseTerminal(terminal);
    };
    const options = { name, pty: { ...trusted, open }, iconPath, isTransient: true };
    const terminal = vscode.window.createTerminal(options);
    this.#containers.set(terminal, container);
    if (pty instanceof ShellTerminal) this.#shells.set(terminal, pty);
    terminal.show();
    return terminal;
  }

  /**
   * Shows what is left of a terminal of an earlier window, without taking the focus. VS Code restores no terminal of an
   * extension: if the panel was open, it has opened a shell of its own in that place, which this one covers.
   *
   * @param sentence what has ended.
   * @param reopen called when the user presses Enter.
   * @returns what closes it; undefined if VS Code would ask to trust the workspace for it.
   */
  showEnded(name: string, sentence: string, reopen: () => unknown): Disposable | undefined {
    if (!mayOpen()) return undefined;
    const isCovering = vscode.window.terminals.length > 0;
    const iconPath = new vscode.ThemeIcon('terminal');
    const pty = asPty(new EndedTerminal(sentence, reopen));
    const options = { name, pty, iconPath, isTransient: true };
    const terminal = vscode.window.createTerminal(options);
    // A panel that is closed stays closed.
    if (isCovering) terminal.show(true);
    return terminal;
  }

  /** Returns the open terminals with this source lookup, which each engine has its own of. */
  of(sources: SourceLookup): readonly vscode.Terminal[] {
    return [...this.#containers].flatMap(([terminal, one]) =>
      one.sources === sources ? terminal : [],
    );
  }

  /** Closes all shells. Resolves when they have ended in their containers, or after a time limit. */
  async end(): Promise<void> {
    const shells = [...this.#shells.values()];
    this.#shells.clear();
    await closeAll(shells, ({ ended }) => ended);
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

interface OpenedTerminal {
  readonly terminal: string;
}

/** A shell that is opened for a purpose. */
export interface PreparedShell extends Pick<
  ShellOptions,
  'typed' | 'whenOver' | 'user' | 'workingDir' | 'greeting'
> {
  /** Set if the container does not set them. */
  readonly variables?: ReadonlyMap<string, string>;
  /** Entries `NAME=value`, set in any case. */
  readonly env?: readonly string[];
  /** Opens a shell again, for the container as it was, on the same engine. */
  readonly reopen?: (container: ContainerDetails, connection: Connection) => ReturnType<Reopen>;
}

type EngineTerminalOptions = Pick<
  LogDependencies,
  'connect' | 'onDidChangeContainers' | 'watch'
> & {
  /** Returns the name of a container, with its engine if there are several. */
  readonly titleOf: (name: string) => string;
  /** Finds the source files that output refers to. */
  readonly sources: SourceLookup & Disposable;
};

export class EngineTerminals implements Disposable {
  readonly #all: Terminals;
  readonly #options: EngineTerminalOptions;
  readonly #logs = new Map<
    string,
    { readonly terminal: vscode.Terminal; readonly view: FollowedLogOptions }
  >();
  readonly #subscription: Disposable;
  readonly #removal = new AbortController();

  constructor(all: Terminals, parts: EngineTerminalOptions) {
    this.#all = all;
    this.#options = parts;
    this.#subscription = vscode.window.onDidCloseTerminal((closed) => {
      for (const [id, { terminal }] of this.#logs) if (terminal === closed) this.#logs.delete(id);
    });
  }

  /** The names of the open shells and attached terminals, which lose their connection with the engine. */
  get sessions(): readonly string[] {
    const logs = new Set([...this.#logs.values()].map(({ terminal }) => terminal));
    const own = this.#all.of(this.#options.sources);
    return own.filter((terminal) => !logs.has(terminal)).map(({ name }) => name);
  }

  /**
   * Opens a shell in a running container.
   *
   * @param shell a program in the container; by default bash, or else sh.
   * @throws InputError if the container is not running; EngineError.
   */
  async openShell(
    owner: TerminalOwner,
    shell: string | undefined,
    signal?: AbortSignal,
    { variables = new Map(), env = [], reopen, ...prepared }: PreparedShell = {},
  ): Promise<OpenedTerminal> {
    const connection = await this.#options.connect(signal);
    const details = await inspectContainer(connection, owner.id, signal);
    if (!details.isRunning) {
      throw new InputError(l10n.t('{0} is not running. Start it to open a shell.', owner.name));
    }
    const missing = [...variables]
      .filter(([variable]) => !details.variables.has(variable))
      .map((pair) => pair.join('='));
    const pty = await createShell(
      {
        owner,
        shell,
        env: lastOfEach([...shellVariables(details.variables), ...missing, ...env]),
        ...prepared,
        reopen: reopen && (() => reopen(details, connection)),
        startedAt: details.startedAt,
        mark: `gantry-${randomBytes(8).toString('hex')}`,
      },
      { connection },
      signal,
    );
    const name = this.#options.titleOf(owner.name);
    const terminal = this.#all.show(name, 'terminal', pty, this.#linked(owner));
    return { terminal: terminal.name };
  }

  /** Attaches to a container. @throws InputError if it is not running or accepts no input; EngineError. */
  async attach(owner: TerminalOwner, signal?: AbortSignal): Promise<OpenedTerminal> {
    const connection = await this.#options.connect(signal);
    const details = await inspectContainer(connection, owner.id, signal);
    checkAttachable(details, owner);
    const pty = new AttachTerminal(owner, details, { connection });
    const name = l10n.t('{0} (attached)', this.#options.titleOf(owner.name));
    return { terminal: this.#all.show(name, 'plug', pty, this.#linked(owner)).name };
  }

  /**
   * Shows the log of a container. Reveals an open log terminal with the same options.
   *
   * @throws EngineError, also if the engine is removed while the log is being opened.
   */
  async openLog(owner: TerminalOwner, view: FollowedLogOptions): Promise<OpenedTerminal> {
    const open = this.#showOpenLog(owner, view);
    if (open) return open;
    const pty = new LogTerminal(owner, view, { ...this.#options });
    try {
      await withSignal(pty.start(), this.#removal.signal);
    } catch (error) {
      pty.close();
      throw error;
    }
    // Another call may have opened it in the meantime.
    const other = this.#showOpenLog(owner, view);
    if (other) {
      pty.close();
      return other;
    }
    this.#logs.get(owner.id)?.terminal.dispose();
    const name = l10n.t('{0} (log)', this.#options.titleOf(owner.name));
    const terminal = this.#all.show(name, 'output', pty, this.#linked(owner));
    this.#logs.set(owner.id, { terminal, view });
    return { terminal: terminal.name };
  }

  /** Closes the log terminals. Shells stay open as long as their connection. */
  dispose(): void {
    this.#removal.abort(new EngineError('engineRemoved'));
    this.#subscription.dispose();
    for (const { terminal } of this.#logs.values()) terminal.dispose();
    this.#logs.clear();
    this.#options.sources.dispose();
  }

  /** Shows the log terminal of a container if it is open with the same options. */
  #showOpenLog({ id }: TerminalOwner, view: FollowedLogOptions): OpenedTerminal | undefined {
    const open = this.#logs.get(id);
    if (!open || !isSameView(open.view, view)) return undefined;
    open.terminal.show();
    return { terminal: open.terminal.name };
  }

  #linked({ id }: TerminalOwner): LinkedContainer {
    return { id, sources: this.#options.sources };
  }
}

/** @throws InputError if there is no such user, as far as the engine says it before the start; EngineError. */
async function createShell(
  ...[options, parts, signal]: Parameters<typeof ShellTerminal.create>
): Promise<ShellTerminal> {
  try {
    return await ShellTerminal.create(options, parts, signal);
  } catch (error) {
    const { user, workingDir, owner } = options;
    const spec = { command: [], user, workingDir };
    const words = isRefusal(error) ? (error.engineMessage ?? '') : '';
    const isUser = missingPart(words) === 'user';
    const missing = isUser ? missingPartMessage(words, spec, owner.name) : undefined;
    throw missing === undefined ? error : new InputError(missing, { cause: error });
  }
}

/** Returns entries `NAME=value` without those that a later one replaces: engines treat two of a name differently. */
function lastOfEach(entries: readonly string[]): readonly string[] {
  return [...new Map(entries.map((entry) => [entry.split('=', 1)[0], entry])).values()];
}

/** Adapts a `Pty` to the API of VS Code. @param onDidClose called after the terminal was closed. */
export function asPty(pty: Pty, onDidClose?: () => void): vscode.Pseudoterminal {
  return {
    onDidWrite: pty.screen.onDidWrite,
    onDidClose: pty.screen.onDidClose,
    open: pty.open.bind(pty),
    close: () => {
      pty.close();
      onDidClose?.();
    },
    handleInput: pty.handleInput.bind(pty),
    setDimensions: pty.setDimensions.bind(pty),
  };
}

/**
 * Turns references to source locations in the output of Gantry's terminals into links, if the file exists.
 *
 * @param containerOf returns undefined for other terminals, which get no links.
 */
function linkTerminals(
  containerOf: (terminal: vscode.Terminal) => LinkedContainer | undefined,
): Disposable {
  const provider: vscode.TerminalLinkProvider<LocationLink> = {
    provideTerminalLinks: async ({ line, terminal }, token) => {
      const container = containerOf(terminal);
      if (!container) return [];
      const links = (signal: AbortSignal) => linksIn(visibleText(line), container, signal);
      // Canceled, or the engine is not connected: no links.
      return withTokenSignal(token, links).catch(() => []);
    },
    handleTerminalLink: ({ location }) => openLocation(location),
  };
  return vscode.window.registerTerminalLinkProvider(provider);
}

interface LocationLink extends vscode.TerminalLink {
  readonly location: SourceLocation;
}

/** Maximum number of links per line. */
const MOST_LINKS = 8;

interface LinkedContainer {
  readonly id: string;
  readonly sources: SourceLookup;
}

async function linksIn(
  line: string,
  { id, sources }: LinkedContainer,
  signal: AbortSignal,
): Promise<LocationLink[]> {
  const found = findSourceReferences(line).slice(0, MOST_LINKS);
  const links = found.map(async (reference): Promise<LocationLink[]> => {
    const { start, end } = reference;
    const location = await sources.find(id, reference, signal);
    if (!location) return [];
    const link = new vscode.TerminalLink(start, end - start, oneLine(location.title));
    return [Object.assign(link, { location })];
  });
  return (await Promise.all(links)).flat();
}

async function openLocation({ path, line, column }: SourceLocation): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, (column ?? 1) - 1));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at) });
}
