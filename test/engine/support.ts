import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { createContainer } from '../../src/engine/containers/containers.ts';
import { removeContainer, startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer, type ExitStatus } from '../../src/engine/containers/waitForContainer.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { removeImage } from '../../src/engine/images/images.ts';
import { removeNetwork } from '../../src/engine/networks/networkOperations.ts';
import { bed, type BedFacts } from '../bed/env.ts';

/** Defines a test or a suite. */
type Define<Body> = (title: string, body: Body) => unknown;

const isPodman = process.env['GANTRY_BED_KIND'] === 'podman';
const nothing = (): undefined => undefined;

/**
 * Like `it`, but defines nothing with Podman: for what Podman does not have, and for what depends only on our code,
 * which need not be proven twice.
 */
export const itOnDocker: Define<Mocha.Func | Mocha.AsyncFunc> = isPodman ? nothing : it;
/** Like `describe`, as {@link itOnDocker}. */
export const describeOnDocker: Define<(this: Mocha.Suite) => void> = isPodman ? nothing : describe;

/** Options of a test container. `body` is added to the request body for creating it. */
export interface Wishes {
  readonly name?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

let made = 0;

/** The resources of one test on the real engine, with unique names; `leave` removes them. */
export class Site {
  readonly facts: BedFacts = bed();
  readonly connection: Connection = openConnection(parseEndpoint(this.facts.socket, 'setting'));
  readonly isPodman = this.facts.kind === 'podman';
  readonly #network: string;
  readonly #containers: string[] = [];
  readonly #images: string[] = [];
  readonly #volumes: string[] = [];
  readonly #networks: string[] = [];

  /** @param network the network mode of containers whose body has none. */
  constructor(network = 'host') {
    this.#network = network;
  }

  /** Returns a unique name. */
  name(): string {
    return `ops-${process.pid}-${++made}`;
  }

  /** Creates a cheap container. */
  async create(command: readonly string[], wishes: Wishes = {}): Promise<string> {
    const { id } = await createContainer(this.connection, {
      name: wishes.name ?? this.name(),
      body: { Image: this.facts.image, Cmd: command, ...cheap(wishes.body, this.#network) },
    });
    this.#containers.push(id);
    return id;
  }

  /** Creates and starts a container. */
  async run(command: readonly string[], wishes: Wishes = {}): Promise<string> {
    const id = await this.create(command, wishes);
    await startContainer(this.connection, id);
    return id;
  }

  /** Starts a container that runs until it is stopped. */
  sleeper(wishes: Wishes = {}): Promise<string> {
    return this.run(['sleep', '1000'], wishes);
  }

  /** Runs a container to its end. */
  async runToEnd(
    command: readonly string[],
    wishes: Wishes = {},
  ): Promise<{ id: string; end: ExitStatus }> {
    const id = await this.create(command, wishes);
    const { exit } = await waitForContainer(this.connection, id, 'next-exit');
    await startContainer(this.connection, id);
    return { id, end: await exit };
  }

  /** Returns the name of a volume to remove at the end; a named volume outlives its containers. */
  volume(): string {
    const name = this.name();
    this.#volumes.push(name);
    return name;
  }

  /** Registers a network to remove at the end, by its ID. */
  ownsNetwork(id: string): string {
    this.#networks.push(id);
    return id;
  }

  /** Registers a container to remove at the end. */
  keep(id: string): void {
    this.#containers.push(id);
  }

  /** Registers an image to remove at the end. */
  owns(reference: string): string {
    this.#images.push(reference);
    return reference;
  }

  /** Returns a repository name of this engine: Podman would resolve a short name to a registry. */
  repository(): string {
    return `localhost/${this.name()}`;
  }

  async leave(): Promise<void> {
    for (const id of this.#containers.reverse())
      await removeContainer(this.connection, id, { force: true, volumes: true });
    for (const id of this.#networks) await removeNetwork(this.connection, id);
    for (const name of this.#volumes)
      await this.connection.send({ method: 'DELETE', path: `/volumes/${name}` });
    for (const image of this.#images.reverse())
      await removeImage(this.connection, image, { force: true });
    this.connection.dispose();
  }
}

/**
 * Completes the body of a request for a container that exits immediately when stopped, because its stop signal is
 * SIGKILL. Unless the body selects a network, it has none of its own, which would be a quarter of what it costs.
 */
export function cheap(body: Wishes['body'] = {}, network = 'host'): NonNullable<Wishes['body']> {
  const host = body['HostConfig'] as Wishes['body'];
  return { StopSignal: 'SIGKILL', ...body, HostConfig: { NetworkMode: network, ...host } };
}

/**
 * Resolves to the error with which `work` fails, and asserts that it has the engine's message. Engines differ
 * in the status, so the reason is not checked.
 */
export async function refusal(work: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await work.then(
    (value) => assert.fail(`resolved to ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert(error instanceof EngineError, String(error));
  assert.notEqual(error.engineMessage ?? '', '');
  return error;
}
