import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Connection } from '../engine/http/connection.ts';
import { containerInputOf } from '../engine/containers/containerInput.ts';
import { inspectContainer } from '../engine/containers/containers.ts';
import { InputError } from '../engine/errors.ts';
import type { LogDependencies } from '../logs/follow/containerLog.ts';
import { DisposableStore, type Disposable } from '../lifetime.ts';
import { settledWithin } from '../time.ts';
import { AttachTerminal, checkAttachable } from './attachTerminal.ts';
import { LogTerminal, type FollowedLogOptions } from './logTerminal.ts';
import type { Pty, TerminalOwner } from './pty.ts';
import { ShellTerminal } from './shellTerminal.ts';
import { shellVariables } from './shellVariables.ts';
import { linkTerminals, type LinkedContainer, type LocationFinder } from './linkTerminals.ts';

/** How long the shells of a window that closes may take to end, in milliseconds. */
const LAST_CALL_MS = 2500;

/** Every terminal that is Gantry's, and whose it is. */
export class Terminals implements Disposable {
  readonly #containers = new Map<vscode.Terminal, LinkedContainer>();
  readonly #shells = new Map<vscode.Terminal, ShellTerminal>();
  readonly #owned = new DisposableStore();

  constructor() {
    this.#owned.add(linkTerminals((terminal) => this.#containers.get(terminal)));
    const closed = vscode.window.onDidCloseTerminal((terminal) => {
      this.#containers.delete(terminal);
      // It may still be ending in its container.
      void this.#shells.get(terminal)?.ended.then(() => this.#shells.delete(terminal));
    });
    this.#owned.add(closed);
  }

  /** Opens a terminal in front. */
  show(name: string, icon: string, pty: Pty, container: LinkedContainer): vscode.Terminal {
    const iconPath = new vscode.ThemeIcon(icon);
    const terminal = vscode.window.createTerminal({
      name,
      pty: asPty(pty),
      iconPath,
      isTransient: true,
    });
    this.#containers.set(terminal, container);
    terminal.show();
    return terminal;
  }

  /** The same for a shell, which ends with the window. */
  showShell(name: string, shell: ShellTerminal, container: LinkedContainer): vscode.Terminal {
    const terminal = this.show(name, 'terminal', shell, container);
    this.#shells.set(terminal, shell);
    return terminal;
  }

  /** Closes every shell; settles when they have ended in their containers, or after a short while. */
  async end(): Promise<void> {
    const shells = [...this.#shells.values()];
    this.#shells.clear();
    if (shells.length === 0) return;
    for (const shell of shells) shell.close();
    await settledWithin(LAST_CALL_MS, Promise.all(shells.map((shell) => shell.ended)));
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

/** The name of a terminal. */
export interface OpenedTerminal {
  readonly terminal: string;
}

/** What the terminals of one engine stand on. */
export type EngineTerminalOptions = Pick<
  LogDependencies,
  'connect' | 'onDidChangeContainers' | 'watch'
> & {
  /** A container's name with what tells it from those of other engines. */
  readonly titleOf: (name: string) => string;
  /** Finds the files that output speaks of. */
  readonly places: LocationFinder & Disposable;
};

/** The terminals of one engine's containers. */
export class EngineTerminals implements Disposable {
  readonly #all: Terminals;
  readonly #options: EngineTerminalOptions;
  readonly #logs = new Map<
    string,
    { readonly terminal: vscode.Terminal; readonly view: FollowedLogOptions }
  >();
  readonly #subscription: Disposable;

  constructor(all: Terminals, parts: EngineTerminalOptions) {
    this.#all = all;
    this.#options = parts;
    this.#subscription = vscode.window.onDidCloseTerminal((closed) => {
      for (const [id, { terminal }] of this.#logs) if (terminal === closed) this.#logs.delete(id);
    });
  }

  /**
   * Opens a shell in a container that runs.
   *
   * @param shell a program in it; default bash, else sh.
   * @throws InputError, EngineError where there can be none.
   */
  async openShell(
    owner: TerminalOwner,
    shell: string | undefined,
    signal?: AbortSignal,
  ): Promise<OpenedTerminal> {
    const connection = await this.#options.connect(signal);
    const details = await inspectContainer(connection, owner.id, signal);
    if (!details.isRunning) {
      throw new InputError(
        vscode.l10n.t('{0} does not run. Start it to open a shell.', owner.name),
      );
    }
    const pty = await ShellTerminal.create(
      {
        owner,
        ...(shell === undefined ? {} : { shell }),
        env: shellVariables(containerInputOf(details).variables),
        startedAt: details.startedAt,
        mark: `gantry-${randomBytes(8).toString('hex')}`,
      },
      { connection, l10n: vscode.l10n },
      signal,
    );
    return { terminal: this.#all.showShell(this.#title(owner), pty, this.#linked(owner)).name };
  }

  /** Attaches to a container. @throws InputError where nothing there takes input; EngineError. */
  async attach(owner: TerminalOwner, signal?: AbortSignal): Promise<OpenedTerminal> {
    const connection: Connection = await this.#options.connect(signal);
    const details = await inspectContainer(connection, owner.id, signal);
    checkAttachable(details, owner, vscode.l10n);
    const pty = new AttachTerminal(owner, details, { connection, l10n: vscode.l10n });
    const name = vscode.l10n.t('{0} (attached)', this.#title(owner));
    return { terminal: this.#all.show(name, 'plug', pty, this.#linked(owner)).name };
  }

  /** Shows a container's log; the same as it is shown already comes to the front. @throws EngineError. */
  async openLog(owner: TerminalOwner, view: FollowedLogOptions): Promise<OpenedTerminal> {
    const before = this.#logs.get(owner.id);
    if (before && isSame(before.view, view)) {
      before.terminal.show();
      return { terminal: before.terminal.name };
    }
    const pty = new LogTerminal(owner, view, { ...this.#options, l10n: vscode.l10n });
    try {
      await pty.start();
    } catch (error) {
      pty.close();
      throw error;
    }
    before?.terminal.dispose();
    const name = vscode.l10n.t('{0} (log)', this.#title(owner));
    const terminal = this.#all.show(name, 'output', pty, this.#linked(owner));
    this.#logs.set(owner.id, { terminal, view });
    return { terminal: terminal.name };
  }

  /** The engine is given up: its logs end, while a shell goes on for as long as its connection. */
  dispose(): void {
    this.#subscription.dispose();
    for (const { terminal } of this.#logs.values()) terminal.dispose();
    this.#logs.clear();
    this.#options.places.dispose();
  }

  #linked({ id }: TerminalOwner): LinkedContainer {
    return { id, locations: this.#options.places };
  }

  #title({ name }: TerminalOwner): string {
    return this.#options.titleOf(name);
  }
}

function isSame(a: FollowedLogOptions, b: FollowedLogOptions): boolean {
  return a.tail === b.tail && a.since === b.since && a.timestamps === b.timestamps;
}

/** The editor's own names for the same. @param onDidClose called once it has been told to close. */
export function asPty(pty: Pty, onDidClose?: () => void): vscode.Pseudoterminal {
  return {
    onDidWrite: pty.onDidWrite,
    onDidClose: pty.onDidClose,
    open: (size) => {
      pty.open(size);
    },
    close: () => {
      pty.close();
      onDidClose?.();
    },
    handleInput: (text) => {
      pty.handleInput(text);
    },
    setDimensions: (size) => {
      pty.setDimensions(size);
    },
  };
}
