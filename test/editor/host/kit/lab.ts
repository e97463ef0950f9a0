// Resources that a suite creates in the engine, removed after each test.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { allContainers, allImages, inspect, isThere, raw, statusOf } from './engine.ts';
import { until } from '../../../bed/until.ts';

/** What makes a container quick to start and to stop. */
const QUICK = { StopSignal: 'SIGKILL', HostConfig: { NetworkMode: 'none' } };

/** Unique names for one suite, and all resources with such a name. */
export class Lab {
  readonly prefix: string;
  readonly #ids = new Set<string>();

  /** @param theme prefix of the names */
  constructor(theme: string) {
    this.prefix = `${theme}-host-${randomUUID().slice(0, 8)}`;
  }

  /** Returns a unique name; the resource with this name is removed after the test. */
  name(what = 'it'): string {
    return `${this.prefix}-${what}`;
  }

  /** Registers a container or an image without such a name for removal. */
  keep(id: string): string {
    this.#ids.add(id);
    return id;
  }

  /** Creates a container without the extension; resolves to its ID. */
  async container(cmd: readonly string[], what = 'it', more: object = {}): Promise<string> {
    const body = { Image: bed().image, Cmd: cmd, ...QUICK, ...more };
    const path = `/containers/create?name=${this.name(what)}`;
    const { Id } = (await raw('POST', path, body)) as { readonly Id: string };
    return Id;
  }

  /** Creates and starts a container. */
  async running(what = 'it', cmd: readonly string[] = ['sleep', '1000']): Promise<string> {
    const id = await this.container(cmd, what);
    await raw('POST', `/containers/${id}/start`);
    return id;
  }

  /** Runs a container to its end. */
  async ended(cmd: readonly string[], what = 'it'): Promise<string> {
    const id = await this.running(what, cmd);
    await raw('POST', `/containers/${id}/wait`);
    await until(async () => (await stateOf(id)) === 'exited', 'the container has ended');
    return id;
  }

  /** Tags the bed's image with a unique name. */
  async image(tag = '1', what = 'image'): Promise<string> {
    const reference = `localhost/${this.name(what)}`;
    await raw('POST', `/images/${bed().image}/tag?repo=${reference}&tag=${tag}`);
    return `${reference}:${tag}`;
  }

  async clean(): Promise<void> {
    const isOurs = (text: string): boolean => text.includes(this.prefix);
    const named = (await allContainers())
      .filter(({ Names }) => Names?.some(isOurs))
      .map(({ Id }) => Id);
    for (const id of new Set([...named, ...this.#ids])) {
      await statusOf('DELETE', `/containers/${id}?force=1&v=1`);
      await until(async () => !(await isThere(id)), 'the container is removed');
    }
    const tags = (await allImages()).flatMap(({ RepoTags }) => RepoTags ?? []);
    for (const name of [...tags.filter(isOurs), ...this.#ids]) {
      await statusOf('DELETE', `/images/${name}?force=1`);
    }
    this.#ids.clear();
  }
}

/**
 * Resolves to the state of a container. Returns `exited` for `stopped`, which Podman reports until it has
 * cleaned up.
 */
export async function stateOf(id: string): Promise<string> {
  const { State } = (await inspect(id)) as { readonly State: { readonly Status: string } };
  return State.Status === 'stopped' ? 'exited' : State.Status;
}

/**
 * Creates a lab for the calling suite: activates the extension, cleans up the engine after each test, and closes what
 * the suite has opened, because VS Code would draw it for the suites that follow.
 */
export function useLab(theme: string): Lab {
  const lab = new Lab(theme);
  before(async () => {
    await vscode.extensions.getExtension('gantry.gantry')!.activate();
  });
  afterEach(() => lab.clean());
  after(async () => {
    for (const part of ['Panel', 'Sidebar', 'AllEditors'])
      await vscode.commands.executeCommand(`workbench.action.close${part}`);
  });
  return lab;
}
