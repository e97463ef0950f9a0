// What a suite makes in the engine, and its removal after each test.
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { allContainers, allImages, inspect, isThere, raw, statusOf } from './engine.ts';
import { until } from '../../../bed/http.ts';

/** Names of its own for one suite, and everything that bears them. */
export class Lab {
  readonly prefix: string;
  readonly #ids = new Set<string>();

  /** @param theme names begin with it */
  constructor(theme: string) {
    this.prefix = `${theme}-host-${randomUUID().slice(0, 8)}`;
  }

  /** A name that nobody else has; what bears it goes after the test. */
  name(what = 'it'): string {
    return `${this.prefix}-${what}`;
  }

  /** Remembers a container, or an image, that bears none of our names. */
  keep(id: string): string {
    this.#ids.add(id);
    return id;
  }

  /** Makes a container past the extension; resolves to its id. */
  async container(cmd: readonly string[], what = 'it', more: object = {}): Promise<string> {
    const body = { Image: bed().image, Cmd: cmd, StopSignal: 'SIGKILL', ...more };
    const path = `/containers/create?name=${this.name(what)}`;
    const { Id } = (await raw('POST', path, body)) as { readonly Id: string };
    return Id;
  }

  /** The same, started. */
  async running(what = 'it', cmd: readonly string[] = ['sleep', '1000']): Promise<string> {
    const id = await this.container(cmd, what);
    await raw('POST', `/containers/${id}/start`);
    return id;
  }

  /** The same, run to its end. */
  async ended(cmd: readonly string[], what = 'it'): Promise<string> {
    const id = await this.running(what, cmd);
    await raw('POST', `/containers/${id}/wait`);
    await until(async () => (await stateOf(id)) === 'exited', 'the container has ended');
    return id;
  }

  /** Gives the bed's image a name of ours. */
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

/** The engine's word for what a container does now; `exited` for `stopped`, as Podman says until it has cleaned up. */
export async function stateOf(id: string): Promise<string> {
  const { State } = (await inspect(id)) as { readonly State: { readonly Status: string } };
  return State.Status === 'stopped' ? 'exited' : State.Status;
}

/** A lab for the suite around the call: the extension is active, and each test ends with a clean engine. */
export function useLab(theme: string): Lab {
  const lab = new Lab(theme);
  before(async () => {
    await vscode.extensions.getExtension('gantry.gantry')!.activate();
  });
  afterEach(() => lab.clean());
  return lab;
}
