import type { ServerResponse } from 'node:http';
import type { Container } from '../../../src/engine/model.ts';
import { json, type Answer } from './fakeEngine.ts';

/** The containers of an engine whose operations take effect when the test lets them. */
export class ProjectEngine {
  readonly #containers = new Map<string, FakeState>();
  readonly #held = new Map<string, () => void>();
  readonly #waits = new Map<string, ServerResponse>();
  /** The operations that were requested, such as `start web`. */
  readonly asked: string[] = [];
  /** The operations that are answered only by {@link release}. */
  readonly holds = new Set<string>();
  /** The operations that are refused. */
  readonly refuses = new Set<string>();
  /** The operations during which the connection is cut. */
  readonly cuts = new Set<string>();
  /** The operations that are done, but whose answer is lost once. */
  readonly losses = new Set<string>();
  /** Whether every request is cut. */
  isAway = false;

  constructor(containers: readonly Container[]) {
    for (const one of containers) this.add(one);
  }

  readonly answer: Answer = (request, response) => {
    const path = request.path.replace('/libpod/', '/');
    const [, kind, id = '', operation = ''] = path.split('/');
    if (this.isAway) response.destroy();
    else if (request.path === '/containers/json') json(response, 200, this.#list());
    else if (kind !== 'containers')
      json(response, 200, kind === 'volumes' ? { Volumes: null } : []);
    else this.#operate(request.method, id, operation, response);
  };

  /** Adds a container, as another client. */
  add(container: Container): void {
    this.#containers.set(container.id, { container, health: '', exitCode: 0 });
  }

  /** Sets the health that an inspect reports; empty for no health check. */
  setHealth(name: string, health: string): void {
    this.#named(name).health = health;
  }

  isWaited(name: string): boolean {
    return this.#waits.has(this.#named(name).container.id);
  }

  /** Cuts the wait for a container. */
  cutWait(name: string): void {
    this.#waits.get(this.#named(name).container.id)?.destroy();
  }

  /** Ends a container, and the wait for it. */
  exit(name: string, exitCode: number): void {
    const state = this.#named(name);
    state.container = { ...state.container, state: 'exited' };
    state.exitCode = exitCode;
    const wait = this.#waits.get(state.container.id);
    if (wait) json(wait, 200, { StatusCode: exitCode });
  }

  /** Removes a container, as another client. */
  remove(name: string): void {
    this.#containers.delete(this.#named(name).container.id);
  }

  /** Answers an operation that is held. */
  release(operation: string): void {
    this.holds.delete(operation);
    this.#held.get(operation)?.();
    this.#held.delete(operation);
  }

  #named(name: string): FakeState {
    const found = [...this.#containers.values()].find(({ container }) => container.name === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  }

  #list(): readonly object[] {
    return [...this.#containers.values()].map(({ container }) => ({
      Id: container.id,
      Names: [`/${container.name}`],
      Image: container.image,
      State: container.state,
      Labels: container.labels,
      Command: container.command,
      ImageID: container.imageId,
      Mounts: container.mounts.map(({ type, volume, path }) => {
        return { Type: type, Name: volume, Destination: path };
      }),
      NetworkSettings: {
        Networks: Object.fromEntries(
          container.networks.map(({ name, networkId }) => [name, { NetworkID: networkId }]),
        ),
      },
    }));
  }

  #operate(method: string, id: string, operation: string, response: ServerResponse): void {
    const all = [...this.#containers.values()];
    const state = this.#containers.get(id) ?? all.find(({ container }) => container.name === id);
    if (!state) {
      json(response, 404, { message: 'no such container' });
      return;
    }
    if (operation === 'json') json(response, 200, inspected(state));
    else if (operation === 'wait') this.#wait(state, response);
    else this.#run(method === 'DELETE' ? 'remove' : operation, state, response);
  }

  #wait({ container, exitCode }: FakeState, response: ServerResponse): void {
    if (container.state === 'exited') json(response, 200, { StatusCode: exitCode });
    else this.#waits.set(container.id, response);
  }

  #run(operation: string, state: FakeState, response: ServerResponse): void {
    const words = `${operation} ${state.container.name}`;
    this.asked.push(words);
    const finish = (): void => {
      if (this.cuts.has(words)) {
        response.destroy();
        return;
      }
      if (this.refuses.has(words)) {
        json(response, 500, { message: `${words} is not possible` });
        return;
      }
      // A container in a crash loop stays in it.
      const isLoop = operation === 'start' && state.container.state === 'restarting';
      const next = isLoop ? undefined : STATES.get(operation);
      if (next) state.container = { ...state.container, state: next };
      if (operation === 'remove') this.#containers.delete(state.container.id);
      if (this.losses.delete(words)) response.destroy();
      else response.writeHead(204).end();
    };
    if (this.holds.has(words)) this.#held.set(words, finish);
    else finish();
  }
}

interface FakeState {
  container: Container;
  health: string;
  exitCode: number;
}

function inspected({ container, health, exitCode }: FakeState): object {
  // An engine reports also a container in a crash loop as running.
  const isRunning = container.state === 'running' || container.state === 'restarting';
  const hasCheck = health !== '';
  return {
    Id: container.id,
    Name: `/${container.name}`,
    State: {
      Status: container.state,
      Running: isRunning,
      ExitCode: exitCode,
      ...(hasCheck && { Health: { Status: health } }),
    },
    Config: { Image: container.image, ...(hasCheck && { Healthcheck: CHECK }) },
  };
}

const STATES: ReadonlyMap<string, Container['state']> = new Map([
  ['start', 'running'],
  ['restart', 'running'],
  ['unpause', 'running'],
  ['pause', 'paused'],
  ['stop', 'exited'],
  ['kill', 'exited'],
]);

/** Answers a ping as Podman. */
export const podmanPing: Answer = (_, response) => {
  response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6' });
  response.end('OK');
};

/** Ends after 40 s: 10 s, and three failures in intervals of 5 s with a limit of 2.5 s, and one more. */
const CHECK = {
  Test: ['CMD', 'true'],
  Interval: 5e9,
  Timeout: 2.5e9,
  Retries: 3,
  StartPeriod: 10e9,
};
