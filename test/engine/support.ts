import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { createContainer } from '../../src/engine/containers/containers.ts';
import { removeContainer, startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer, type ExitStatus } from '../../src/engine/containers/waitForContainer.ts';
import { parseEndpoint } from '../../src/engine/discovery/endpoint.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { removeImage } from '../../src/engine/images/images.ts';
import { bed, type BedFacts } from '../bed/env.ts';

/** What a container of a test is made of, besides the bed's image. */
export interface Wishes {
  readonly name?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

let made = 0;

/** A test's own corner of the real engine: what it makes there has names of its own and goes at the end. */
export class Site {
  readonly facts: BedFacts = bed();
  readonly connection: Connection = openConnection(parseEndpoint(this.facts.socket, 'setting'));
  readonly isPodman = this.facts.kind === 'podman';
  readonly #containers: string[] = [];
  readonly #images: string[] = [];
  readonly #volumes: string[] = [];

  /** A name nobody else uses. */
  name(): string {
    return `ops-${process.pid}-${++made}`;
  }

  /** Creates a container that dies at once when it is stopped. */
  async create(command: readonly string[], wishes: Wishes = {}): Promise<string> {
    const { id } = await createContainer(this.connection, {
      name: wishes.name ?? this.name(),
      body: { Image: this.facts.image, Cmd: command, StopSignal: 'SIGKILL', ...wishes.body },
    });
    this.#containers.push(id);
    return id;
  }

  /** Creates and starts one. */
  async run(command: readonly string[], wishes: Wishes = {}): Promise<string> {
    const id = await this.create(command, wishes);
    await startContainer(this.connection, id);
    return id;
  }

  /** One that runs until it is stopped. */
  sleeper(wishes: Wishes = {}): Promise<string> {
    return this.run(['sleep', '1000'], wishes);
  }

  /** Runs one to its end. */
  async runToEnd(
    command: readonly string[],
    wishes: Wishes = {},
  ): Promise<{ id: string; end: ExitStatus }> {
    const id = await this.create(command, wishes);
    const { exit } = await waitForContainer(this.connection, id, 'next-exit');
    await startContainer(this.connection, id);
    return { id, end: await exit };
  }

  /** The name of a volume that goes at the end: it outlives its containers. */
  volume(): string {
    const name = this.name();
    this.#volumes.push(name);
    return name;
  }

  /** Has a container removed at the end. */
  keep(id: string): void {
    this.#containers.push(id);
  }

  /** Has an image removed at the end. */
  owns(reference: string): string {
    this.#images.push(reference);
    return reference;
  }

  /** A repository on this engine: Podman gives short names a registry of its own. */
  repository(): string {
    return `localhost/${this.name()}`;
  }

  async leave(): Promise<void> {
    for (const id of this.#containers)
      await removeContainer(this.connection, id, { force: true, volumes: true });
    for (const name of this.#volumes)
      await this.connection.send({ method: 'DELETE', path: `/volumes/${name}` });
    for (const image of this.#images.reverse())
      await removeImage(this.connection, image, { force: true });
    this.connection.dispose();
  }
}

/** What `work` fails with, in the engine's words. Engines differ in the status, so the reason is not looked at. */
export async function refusal(work: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await work.then(
    (value) => assert.fail(`resolved to ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert(error instanceof EngineError, String(error));
  assert.notEqual(error.engineMessage ?? '', '');
  return error;
}
