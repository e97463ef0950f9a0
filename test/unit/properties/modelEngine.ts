import type { Connection } from '../../../src/engine/http/connection.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import type { EngineRequest, Reply, StreamReply } from '../../../src/engine/http/engineRequest.ts';
import { abortReason } from '../../../src/base/lifetime.ts';
import type { FakeClock } from '../support/fakeClock.ts';
import { idOf } from '../inventory/support/nouns.ts';

type Wire = Readonly<Record<string, unknown>>;

interface ModelContainer {
  readonly name: string;
  readonly state: string;
  readonly exitCode: number;
  readonly image: string;
  /** The time from which lists report this state, and the state they report until then. */
  readonly listedAt: number;
  readonly before: string;
}

interface Told {
  readonly at: number;
  readonly text: string;
}

/** A pending response. Its content is that of the time of the request or of the response. */
interface Pending {
  readonly request: EngineRequest;
  readonly early: unknown;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** The state of a container after an event. */
const BECOMES: Readonly<Record<string, string>> = {
  start: 'running',
  die: 'exited',
  // For a container between two runs.
  stop: 'exited',
  pause: 'paused',
  unpause: 'running',
};

/** State changes without an event. Return undefined if the change is not possible in that state. */
const SILENTLY = {
  /** The container is killed between two runs, or its next run fails. */
  restartEnds: (state: string) => (state === 'restarting' ? { state: 'exited' } : undefined),
  removalBegins: (state: string) =>
    ['created', 'exited', 'dead'].includes(state) ? { state: 'removing' } : undefined,
  removalFails: (state: string) => (state === 'removing' ? { state: 'dead' } : undefined),
  startFails: (state: string) =>
    ['created', 'exited'].includes(state) ? { state: 'exited', exitCode: 127 } : undefined,
} as const;

export type SilentChange = keyof typeof SILENTLY;

const IMAGE_LETTERS = ['e', 'f'] as const;

/** A model of an engine with a state of its own. The test controls its responses, events, and clock. */
export class ModelEngine {
  readonly #clock: FakeClock;
  readonly #containers = new Map<string, ModelContainer>();
  /** The image that each tag refers to. */
  readonly #tags = new Map<string, string>();
  readonly #told: Told[] = [];
  readonly #pending = new Set<Pending>();
  readonly #streams = new Set<EventStream>();
  /** Containers that other clients changed without an event. The change is only visible in the next list. */
  readonly #unheard = new Set<string>();
  isUp = true;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  connect(): Promise<Connection> {
    if (!this.isUp) return Promise.reject(new EngineError('refused'));
    const info = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
    return Promise.resolve({
      endpoint: {
        url: 'unix:///model',
        transport: { kind: 'socket', path: '/model' },
        source: 'setting',
      },
      info: () => Promise.resolve(info),
      renew: () => (this.isUp ? Promise.resolve(info) : Promise.reject(new EngineError('refused'))),
      retry: () => undefined,
      cut: () => undefined,
      lastPingMs: 0,
      send: (request) => this.#send(request),
      stream: (request) => this.#stream(request),
      upgrade: () => Promise.reject(new EngineError('failed')),
      openHttp2: () => Promise.reject(new EngineError('failed')),
      dispose: () => undefined,
    });
  }

  /** Returns whether all changes of a container can be known; see {@link changeUnheard}. */
  isHeard(id: string): boolean {
    return !this.#unheard.has(id);
  }

  /** Returns what a list reports once every state has been saved. */
  truth(): readonly string[] {
    const containers = [...this.#containers].map(([id, one]) =>
      [id, one.name, wordsOf(one), this.#nameOf(one.image)].join(' '),
    );
    return [...containers, ...IMAGE_LETTERS.map((letter) => this.#imageWords(letter))].toSorted();
  }

  /** Creates a container, or applies the named event to it. Does nothing if that is not possible. */
  act(letter: string, action: string, lagMs: number): void {
    const id = idOf(letter);
    const now = this.#containers.get(id);
    if (action === 'create' && !now) {
      const image = IMAGE_LETTERS[letter.charCodeAt(0) % 2]!;
      const made = { name: letter, state: 'created', exitCode: 0, image };
      this.#put(id, { ...made, listedAt: 0, before: '' });
    } else if (!now || action === 'create') return;
    else if (action === 'destroy') this.#containers.delete(id);
    else if (action === 'rename') this.#put(id, { ...now, name: `${now.name}x` });
    else if (!isPossible(now.state, action)) return;
    else {
      const isEnd = action === 'die' || action === 'stop';
      const listedAt = isEnd ? this.#clock.now() + lagMs : 0;
      this.#put(id, { ...now, state: BECOMES[action]!, before: now.state, listedAt });
    }
    this.#unheard.delete(id);
    this.#tell('container', action, id);
  }

  /** The container dies and will restart. The event is the same as for any death. */
  crash(letter: string, lagMs: number): void {
    const id = idOf(letter);
    const now = this.#containers.get(id);
    if (now?.state !== 'running') return;
    const listedAt = this.#clock.now() + lagMs;
    this.#put(id, { ...now, state: 'restarting', exitCode: 1, before: now.state, listedAt });
    this.#unheard.delete(id);
    this.#tell('container', 'die', id);
  }

  /** Applies a change without an event that the window knows can happen. Returns whether it was applied. */
  changeSilently(letter: string, change: SilentChange): boolean {
    const now = this.#containers.get(idOf(letter));
    const next = now && SILENTLY[change](now.state);
    if (!next) return false;
    this.#put(idOf(letter), { ...now, ...next, before: '', listedAt: 0 });
    this.#unheard.delete(idOf(letter));
    return true;
  }

  /** Applies a change that is not observable before the next list. */
  changeUnheard(letter: string, change: SilentChange): void {
    if (this.changeSilently(letter, change)) this.#unheard.add(idOf(letter));
  }

  /** Adds a tag to an image, or removes the tag. */
  tag(tag: string, letter: string | undefined): void {
    if (letter === undefined) this.#tags.delete(tag);
    else this.#tags.set(tag, letter);
    this.#tell('image', letter === undefined ? 'untag' : 'tag', `sha256:${idOf(letter ?? 'e')}`);
  }

  /** Sends the oldest pending response. */
  answer(isFresh: boolean): void {
    const [oldest] = this.#pending;
    if (!oldest) return;
    this.#pending.delete(oldest);
    oldest.resolve(
      replyOf(isFresh ? this.#valueOf(oldest.request) : oldest.early, this.#seconds()),
    );
  }

  /** Breaks all connections, or ends the streams cleanly. */
  break(isClean: boolean): void {
    const error = new EngineError('cut');
    for (const { reject } of this.#pending) reject(error);
    this.#pending.clear();
    for (const stream of this.#streams) stream.end(isClean ? undefined : error);
    this.#streams.clear();
  }

  #put(id: string, container: ModelContainer): void {
    this.#containers.set(id, container);
  }

  #tell(Type: string, Action: string, ID: string): void {
    const text = `${JSON.stringify({ Type, Action, Actor: { ID } })}\n`;
    this.#told.push({ at: this.#clock.now(), text });
    for (const stream of this.#streams) stream.say(text);
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  #send(request: EngineRequest): Promise<Reply> {
    if (!this.isUp) return Promise.reject(new EngineError('refused'));
    if (request.path === '/_ping') return Promise.resolve(replyOf('OK', this.#seconds()));
    return new Promise((resolve, reject) => {
      const pending = { request, early: this.#valueOf(request), resolve, reject };
      this.#pending.add(pending);
      request.signal?.addEventListener('abort', () => {
        this.#pending.delete(pending);
        reject(abortReason(request.signal!));
      });
    });
  }

  #stream({ query, signal }: EngineRequest): Promise<StreamReply> {
    if (!this.isUp) return Promise.reject(new EngineError('refused'));
    const since = Number(query?.['since'] ?? Infinity) * 1000;
    const stream = new EventStream();
    for (const { at, text } of this.#told) if (at >= since) stream.say(text);
    this.#streams.add(stream);
    signal?.addEventListener('abort', () => {
      this.#streams.delete(stream);
      stream.end(abortReason(signal));
    });
    return Promise.resolve({ status: 200, headers: {}, body: stream });
  }

  #valueOf({ path, query }: EngineRequest): unknown {
    if (path === '/images/json') return IMAGE_LETTERS.map((letter) => this.#image(letter));
    const { filters } = query ?? {};
    const ids = typeof filters === 'string' ? (JSON.parse(filters) as { id: string[] }).id : null;
    return [...this.#containers]
      .filter(([id]) => ids === null || ids.includes(id))
      .map(([id, one]) => this.#listed(id, one));
  }

  #listed(id: string, one: ModelContainer): Wire {
    const { name, exitCode, image } = one;
    const state = this.#clock.now() >= one.listedAt ? one.state : one.before;
    return {
      Id: id,
      Names: [`/${name}`],
      Image: this.#nameOf(image),
      ImageID: `sha256:${idOf(image)}`,
      State: state,
      Status: state === 'exited' ? `Exited (${exitCode}) 1 second ago` : '',
      Created: 1,
    };
  }

  #tagsOf(letter: string): readonly string[] {
    return [...this.#tags]
      .filter(([, to]) => to === letter)
      .map(([tag]) => `${tag}:1`)
      .toSorted();
  }

  /** The image name in a container list: a tag as long as one refers to the image. */
  #nameOf(letter: string): string {
    return this.#tagsOf(letter)[0] ?? `sha256:${idOf(letter)}`;
  }

  #image(letter: string): Wire {
    return { Id: `sha256:${idOf(letter)}`, RepoTags: this.#tagsOf(letter), Created: 1, Size: 1 };
  }

  #imageWords(letter: string): string {
    return [`sha256:${idOf(letter)}`, ...this.#tagsOf(letter)].join(' ');
  }
}

/** Returns the state as a row shows it. */
export function wordsOf(one: { readonly state: string; readonly exitCode?: number }): string {
  return one.state === 'exited' ? `exited ${one.exitCode}` : one.state;
}

function isPossible(state: string, action: string): boolean {
  if (action === 'start') return ['created', 'exited', 'restarting'].includes(state);
  if (action === 'stop') return state === 'restarting';
  if (action === 'unpause') return state === 'paused';
  return state === 'running' || (action === 'die' && state === 'paused');
}

function replyOf(value: unknown, seconds: number): Reply {
  const headers = { date: new Date(seconds * 1000).toUTCString() };
  return { status: 200, headers, text: '', json: () => value };
}

/** Yields all unread events until the end of the stream. */
class EventStream implements AsyncIterable<Uint8Array> {
  readonly #texts: string[] = [];
  #end: { readonly error: Error | undefined } | undefined;
  #wake: () => void = () => undefined;

  say(text: string): void {
    this.#texts.push(text);
    this.#wake();
  }

  end(error: Error | undefined): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const text = this.#texts.shift();
      if (text !== undefined) yield Buffer.from(text);
      else if (this.#end?.error) throw this.#end.error;
      else if (this.#end) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
