import type { ServerResponse } from 'node:http';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import {
  json,
  startFakeEngine,
  type Answer,
  type FakeEngine,
  type SeenRequest,
} from '../../support/fakeEngine.ts';
import { idOf } from './nouns.ts';

/** 2026-01-01, unlike any clock of the tests. */
export const ENGINE_TIME = 1_767_225_600;

type Wire = Readonly<Record<string, unknown>>;

/** A request that waits until the test releases it. */
export interface Held {
  readonly arrived: Promise<SeenRequest>;
  release(): void;
}

/** A fake engine whose containers, images and event stream the test controls. */
export class FakeWorld {
  readonly engine: FakeEngine;
  readonly containers = new Map<string, Wire>();
  readonly images = new Map<string, Wire>();
  /** The names of the volumes. */
  readonly volumes = new Set<string>();
  /** The open event streams, the oldest first. */
  readonly streams: ServerResponse[] = [];
  /** The API version of the engine. */
  api = '1.41';
  /** Overrides the responses of a path until deleted. */
  readonly answers = new Map<string, Answer>();
  readonly #holds = new Map<string, (request: SeenRequest) => Promise<void>>();
  readonly #changes = new Emitter<void>();

  private constructor(engine: FakeEngine) {
    this.engine = engine;
    engine.answer((request, response) => this.#answer(request, response));
    engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': this.api, server: 'Docker/20.10.24', ...dated() });
      response.end('OK');
    });
  }

  static async start(): Promise<FakeWorld> {
    return new FakeWorld(await startFakeEngine());
  }

  connect(): Connection {
    const { url, socket: path } = this.engine;
    return openConnection({ url, transport: { kind: 'socket', path }, source: 'setting' });
  }

  setContainer(letter: string, fields: Wire = {}): void {
    this.containers.set(idOf(letter), {
      Id: idOf(letter),
      Names: [`/${letter}`],
      Image: 'web:1',
      ImageID: `sha256:${idOf('f')}`,
      State: 'running',
      Status: 'Up 5 minutes',
      Created: ENGINE_TIME,
      ...fields,
    });
  }

  setImage(letter: string, ...tags: readonly string[]): void {
    const id = `sha256:${idOf(letter)}`;
    this.images.set(id, { Id: id, RepoTags: tags, Created: ENGINE_TIME, Size: 1 });
  }

  /** Writes all events in one chunk to the newest stream. Each event is its type, action and ID. */
  emit(...events: readonly (readonly [type: string, action: string, id: string])[]): boolean {
    const text = events.map(([Type, Action, ID]) =>
      JSON.stringify({ Type, Action, Actor: { ID } }),
    );
    return this.streams.at(-1)?.write(`${text.join('\n')}\n`) ?? false;
  }

  /** Makes the next request for `path` wait. */
  hold(path: string): Held {
    const go = Promise.withResolvers<undefined>();
    const arrived = Promise.withResolvers<SeenRequest>();
    this.#holds.set(path, async (request) => {
      this.#holds.delete(path);
      arrived.resolve(request);
      await go.promise;
    });
    return {
      arrived: arrived.promise,
      release: () => go.resolve(undefined),
    };
  }

  /** Returns the requests for `path`, or all requests. */
  seen(path?: string): readonly SeenRequest[] {
    return this.engine.seen.filter((one) => path === undefined || one.path === path);
  }

  /** Returns the container IDs that each container list was filtered by; undefined for a complete list. */
  asked(): readonly (readonly string[] | undefined)[] {
    return this.seen('/containers/json').map((one) => {
      const filters = one.query.get('filters');
      return filters === null ? undefined : (JSON.parse(filters) as { id: string[] }).id;
    });
  }

  /** Resolves when the condition is met; checks it after every request and closed stream. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        const subscription = this.#changes.event(() => {
          subscription.dispose();
          resolve();
        });
      });
    }
  }

  async #answer(request: SeenRequest, response: ServerResponse): Promise<void> {
    this.#changes.fire();
    await this.#holds.get(request.path)?.(request);
    const other = this.answers.get(request.path);
    if (other) return other(request, response);
    if (request.path === '/events') this.#open(response);
    else json(dress(response), 200, this.#valueOf(request));
  }

  #open(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.streams.push(response);
    response.on('close', () => {
      this.streams.splice(this.streams.indexOf(response), 1);
      this.#changes.fire();
    });
    this.#changes.fire();
  }

  #valueOf({ path, query }: SeenRequest): unknown {
    if (path === '/volumes') return { Volumes: [...this.volumes].map((Name) => ({ Name })) };
    if (path === '/images/json') return [...this.images.values()];
    if (path !== '/containers/json') return {};
    const filters = query.get('filters');
    const all = [...this.containers.values()];
    if (filters === null) return all;
    const { id } = JSON.parse(filters) as { id: string[] };
    return all.filter((one) => id.includes(String(one['Id'])));
  }
}

function dated(): Record<string, string> {
  return { date: new Date(ENGINE_TIME * 1000).toUTCString() };
}

function dress(response: ServerResponse): ServerResponse {
  for (const [name, value] of Object.entries(dated())) response.setHeader(name, value);
  return response;
}
