import type { ServerResponse } from 'node:http';
import { compareApi } from '../../../src/engine/capabilities/version.ts';
import { frame } from './chunks.ts';
import { startFakeEngine, type FakeEngine, type SeenRequest } from './fakeEngine.ts';
import {
  eventRecord,
  inspectedContainer,
  inspectedImage,
  listedContainer,
  listedImage,
  nameFor,
  pullRecords,
  refusalRecord,
  type Dialect,
  type PlayedContainer,
  type PlayedImage,
} from './recordedShapes.ts';
import { headersOf, pingHeadersOf, type Recording } from './recordings.ts';

/** The only image in the registry of the engine. */
export const REMOTE_TAG = 'docker.io/library/app:latest';
const STAMP = '2026-08-01T10:00:01.000000001Z';
const CONDITIONS: readonly string[] = ['not-running', 'next-exit', 'removed'];

type Route = (request: SeenRequest, response: ServerResponse, part: string) => void;

interface Listener {
  readonly dialect: Dialect;
  readonly names: readonly string[];
  readonly response: ServerResponse;
}

interface Waiter {
  readonly id: string;
  readonly condition: string;
  readonly response: ServerResponse;
}

/** A fake engine that responds on a socket as recorded from a real one, with its own containers and images. */
export class RecordedEngine {
  readonly engine: FakeEngine;
  readonly containers = new Map<string, PlayedContainer>();
  readonly images: PlayedImage[] = [{ hex: 'a'.repeat(64) }];
  #recording: Recording;
  #listeners: Listener[] = [];
  #waiters: Waiter[] = [];
  #followers: { readonly id: string; readonly response: ServerResponse }[] = [];
  #made = 0;

  private constructor(engine: FakeEngine, recording: Recording) {
    this.engine = engine;
    this.#recording = recording;
    engine.ping((request, response) => this.#ping(request, response));
    engine.answer((request, response) => this.#answer(request, response));
  }

  static async start(recording: Recording): Promise<RecordedEngine> {
    return new RecordedEngine(await startFakeEngine(), recording);
  }

  /** Replaces the engine on the same socket, as after an upgrade. */
  become(recording: Recording): void {
    this.#recording = recording;
  }

  /** Adds an existing container of another client. */
  add(name: string, state: PlayedContainer['state']): PlayedContainer {
    const id = (++this.#made).toString(16).padStart(64, '0');
    const one = { id, name, image: REMOTE_TAG, imageId: 'b'.repeat(64), state, exitCode: 0 };
    this.containers.set(id, one);
    return one;
  }

  /** Ends the process of a container. */
  exit(id: string, exitCode: number, events: readonly string[] = ['die']): void {
    const one = this.#find(id);
    if (!one) return;
    Object.assign(one, { state: 'exited', exitCode });
    this.#release(id, ['not-running', 'next-exit'], exitCode);
    for (const { response } of this.#followers.filter((each) => each.id === id)) response.end();
    for (const action of events) this.emit('container', action, id);
  }

  emit(type: string, action: string, id: string): void {
    for (const { dialect, names, response } of this.#listeners) {
      if (!names.includes(action)) continue;
      response.write(`${JSON.stringify(eventRecord(dialect, type, action, id))}\n`);
    }
  }

  stop(): Promise<void> {
    return this.engine.stop();
  }

  #ping(request: SeenRequest, response: ServerResponse): void {
    if (request.version !== '' && this.#refuses(request, response)) return;
    response.writeHead(200, pingHeadersOf(this.#recording)).end('OK');
  }

  #answer(request: SeenRequest, response: ServerResponse): void {
    if (this.#refuses(request, response)) return;
    for (const [pattern, route] of this.#routes) {
      const found = pattern.exec(`${request.method} ${request.path}`);
      if (!found) continue;
      for (const [name, value] of Object.entries(headersOf(this.#recording))) {
        response.setHeader(name, value);
      }
      route(request, response, decodeURIComponent(found[1] ?? ''));
      return;
    }
    this.#unknown(request, response);
  }

  #unknown(request: SeenRequest, response: ServerResponse): void {
    if (this.#recording.product === 'docker')
      this.#refuse(request, response, 404, 'page not found');
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found\n');
  }

  /** Rejects unsupported versions. Only Docker checks the version. */
  #refuses({ version }: SeenRequest, response: ServerResponse): boolean {
    const { product, newest, oldest } = this.#recording;
    if (product === 'podman') return false;
    const words =
      compareApi(version, newest) > 0
        ? `client version ${version} is too new. Maximum supported API version is ${newest}`
        : compareApi(version, oldest) < 0
          ? `client version ${version} is too old. Minimum supported API version is ${oldest}, please upgrade your client to a newer version`
          : undefined;
    if (words === undefined) return false;
    const headers = headersOf(this.#recording);
    response.writeHead(400, { ...headers, 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: words }));
    return true;
  }

  readonly #routes: readonly (readonly [pattern: RegExp, route: Route])[] = [
    [/^GET \/containers\/json$/, this.#listContainers.bind(this)],
    [/^POST \/containers\/create$/, this.#create.bind(this)],
    [/^GET \/containers\/([^/]+)\/json$/, this.#inspectContainer.bind(this)],
    [/^POST \/containers\/([^/]+)\/start$/, this.#start.bind(this)],
    [/^POST \/containers\/([^/]+)\/stop$/, this.#stop.bind(this)],
    [/^POST \/containers\/([^/]+)\/wait$/, this.#wait.bind(this)],
    [/^GET \/containers\/([^/]+)\/logs$/, this.#logs.bind(this)],
    [/^DELETE \/containers\/([^/]+)$/, this.#remove.bind(this)],
    [/^POST \/commit$/, this.#commit.bind(this)],
    [/^GET \/images\/json$/, this.#listImages.bind(this)],
    [/^POST \/images\/create$/, this.#pull.bind(this)],
    [/^GET \/images\/(.+)\/json$/, this.#inspectImage.bind(this)],
    [/^GET \/events$/, this.#events.bind(this)],
  ];

  #dialect(request: SeenRequest): Dialect {
    return { recording: this.#recording, asked: request.version };
  }

  #say(response: ServerResponse, status: number, value: unknown): void {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(value)}\n`);
  }

  #refuse(request: SeenRequest, response: ServerResponse, status: number, words: string): void {
    this.#say(response, status, refusalRecord(this.#dialect(request), status, words));
  }

  #find(idOrName: string): PlayedContainer | undefined {
    const all = [...this.containers.values()];
    return all.find((one) => one.id === idOrName || one.name === idOrName);
  }

  /** Returns the container. If it does not exist, sends an error and returns undefined. */
  #known(
    request: SeenRequest,
    response: ServerResponse,
    part: string,
  ): PlayedContainer | undefined {
    const one = this.#find(part);
    const words =
      this.#recording.product === 'docker'
        ? `No such container: ${part}`
        : `no container with name or ID "${part}" found: no such container`;
    if (!one) this.#refuse(request, response, 404, words);
    return one;
  }

  #listContainers(request: SeenRequest, response: ServerResponse): void {
    const filters = JSON.parse(request.query.get('filters') ?? '{}') as Record<string, string[]>;
    const isAll = request.query.get('all') === '1' || filters['status'] !== undefined;
    const found = [...this.containers.values()].filter(
      (one) =>
        (isAll || one.state === 'running') &&
        (filters['id']?.includes(one.id) ?? true) &&
        (filters['status']?.includes(one.state) ?? true),
    );
    const dialect = this.#dialect(request);
    this.#say(
      response,
      200,
      found.map((one) => listedContainer(dialect, one)),
    );
  }

  #create(request: SeenRequest, response: ServerResponse): void {
    const { Image } = JSON.parse(request.body) as { Image: string };
    const image = this.#findImage(request, Image);
    if (!image) {
      const words = this.#recording.product === 'docker' ? 'No such image' : 'no such image';
      this.#refuse(request, response, 404, `${words}: ${Image}`);
      return;
    }
    const name = request.query.get('name') ?? 'vigilant_wing';
    if (this.#find(name)) {
      // The same problem has another status on Podman.
      const status = this.#recording.product === 'docker' ? 409 : 500;
      this.#refuse(request, response, status, `The container name "/${name}" is already in use`);
      return;
    }
    const { id } = this.add(name, 'created');
    this.emit('container', 'create', id);
    const isPodman = this.#recording.product === 'podman';
    this.#say(response, 201, { Id: id, Warnings: isPodman ? null : [] });
  }

  #inspectContainer(request: SeenRequest, response: ServerResponse, part: string): void {
    const one = this.#known(request, response, part);
    if (one) this.#say(response, 200, inspectedContainer(this.#dialect(request), one));
  }

  #start(request: SeenRequest, response: ServerResponse, part: string): void {
    const one = this.#known(request, response, part);
    if (!one) return;
    const wasRunning = one.state === 'running';
    one.state = 'running';
    response.writeHead(wasRunning ? 304 : 204).end();
    if (wasRunning) return;
    if (this.#recording.product === 'podman') this.emit('container', 'init', one.id);
    this.emit('container', 'start', one.id);
  }

  #stop(request: SeenRequest, response: ServerResponse, part: string): void {
    const one = this.#known(request, response, part);
    if (!one) return;
    const wasRunning = one.state === 'running';
    if (wasRunning) this.exit(one.id, 137, this.#recording.stopEvents);
    response.writeHead(wasRunning ? 204 : 304).end();
  }

  #wait(request: SeenRequest, response: ServerResponse, part: string): void {
    const one = this.#known(request, response, part);
    if (!one) return;
    const condition = request.query.get('condition') ?? 'not-running';
    if (!CONDITIONS.includes(condition)) {
      this.#refuse(request, response, 400, `invalid condition: "${condition}"`);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    this.#waiters.push({ id: one.id, condition, response });
    if (one.state !== 'running') this.#release(one.id, ['not-running'], one.exitCode);
  }

  #release(id: string, conditions: readonly string[], exitCode: number): void {
    const isDue = (one: Waiter): boolean => one.id === id && conditions.includes(one.condition);
    for (const { response } of this.#waiters.filter(isDue)) {
      // Podman sends an empty error, recent Docker sends none.
      const error = this.#recording.product === 'podman' ? { Error: null } : {};
      response.end(`${JSON.stringify({ StatusCode: exitCode, ...error })}\n`);
    }
    this.#waiters = this.#waiters.filter((one) => !isDue(one));
  }

  #logs(request: SeenRequest, response: ServerResponse, part: string): void {
    const one = this.#known(request, response, part);
    if (!one) return;
    if (this.#recording.product === 'docker') {
      const isNamed = compareApi(request.version, '1.42') >= 0;
      if (isNamed) response.setHeader('content-type', 'application/vnd.docker.multiplexed-stream');
    }
    response.writeHead(200);
    const stamp = request.query.get('timestamps') === '1' ? `${STAMP} ` : '';
    response.write(Buffer.concat([frame(1, `${stamp}out ü\n`), frame(2, `${stamp}err\n`)]));
    const isFollowed = request.query.get('follow') === '1' && one.state === 'running';
    if (isFollowed) this.#followers.push({ id: one.id, response });
    else response.end();
  }

  #remove(request: SeenRequest, response: ServerResponse, part: string): void {
    const one = this.#known(request, response, part);
    if (!one) return;
    const isPodman = this.#recording.product === 'podman';
    if (one.state === 'running' && request.query.get('force') !== '1') {
      this.#refuse(request, response, isPodman ? 500 : 409, 'cannot remove: it is running');
      return;
    }
    if (one.state === 'running') this.exit(one.id, 137, ['kill', 'die']);
    this.containers.delete(one.id);
    // Podman 4 reports 0 for every removed container.
    const isAlwaysZero = isPodman && this.#recording.version.startsWith('4.');
    this.#release(one.id, ['removed'], isAlwaysZero ? 0 : one.exitCode);
    this.emit('container', isPodman ? 'remove' : 'destroy', one.id);
    if (isPodman) this.#say(response, 200, []);
    else response.writeHead(204).end();
  }

  #commit(request: SeenRequest, response: ServerResponse): void {
    const one = this.#known(request, response, request.query.get('container') ?? '');
    if (!one) return;
    const hex = (++this.#made).toString(16).padStart(64, 'c');
    const [repo = '', tag = ''] = ['repo', 'tag'].map((key) => request.query.get(key) ?? '');
    const isPodman = this.#recording.product === 'podman';
    const full = isPodman ? `localhost/${repo}:${tag}` : `docker.io/library/${repo}:${tag}`;
    this.images.push({ hex, tag: full, created: 1_785_578_400 });
    this.emit('container', 'commit', one.id);
    this.#say(response, 201, { Id: isPodman ? hex : `sha256:${hex}` });
  }

  #listImages(request: SeenRequest, response: ServerResponse): void {
    const dialect = this.#dialect(request);
    const list = this.images.map((one) => {
      const users = [...this.containers.values()].filter(({ imageId }) => imageId === one.hex);
      return listedImage(dialect, one, users.length);
    });
    this.#say(response, 200, list);
  }

  #pull(request: SeenRequest, response: ServerResponse): void {
    const dialect = this.#dialect(request);
    const { query } = request;
    const wanted = `${query.get('fromImage') ?? ''}:${query.get('tag') ?? ''}`;
    if (wanted !== 'app:latest') {
      // The classic store fails with an HTTP status before the first record, the containerd store with a record.
      const words = 'manifest unknown: manifest unknown';
      if (this.#recording.store !== 'containerd') this.#refuse(request, response, 404, words);
      else this.#say(response, 200, { errorDetail: { message: words } });
      return;
    }
    const image = { hex: 'b'.repeat(64), tag: REMOTE_TAG, created: 1_785_578_400 };
    if (!this.images.some(({ hex }) => hex === image.hex)) this.images.push(image);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(pullRecords(dialect, REMOTE_TAG, image).join(''));
    this.emit('image', 'pull', nameFor(dialect, REMOTE_TAG));
  }

  #findImage(request: SeenRequest, text: string): PlayedImage | undefined {
    const dialect = this.#dialect(request);
    return this.images.find(
      ({ hex, tag }) =>
        text.replace(/^sha256:/, '') === hex ||
        (tag !== undefined && [tag, nameFor(dialect, tag), 'app:latest'].includes(text)),
    );
  }

  #inspectImage(request: SeenRequest, response: ServerResponse, part: string): void {
    const image = this.#findImage(request, part);
    if (image) this.#say(response, 200, inspectedImage(this.#dialect(request), image));
    else this.#refuse(request, response, 404, `No such image: ${part}`);
  }

  #events(request: SeenRequest, response: ServerResponse): void {
    const dialect = this.#dialect(request);
    const filters = JSON.parse(request.query.get('filters') ?? '{}') as { event?: string[] };
    const isNew = compareApi(request.version, '1.52') >= 0;
    const type = isNew ? this.#recording.eventsType : 'application/json';
    response.writeHead(200, { 'content-type': type }).flushHeaders();
    const listener = { dialect, names: filters.event ?? [], response };
    this.#listeners.push(listener);
    response.on('close', () => {
      this.#listeners = this.#listeners.filter((one) => one !== listener);
    });
  }
}
