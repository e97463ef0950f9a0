import type { Connection } from '../../../src/engine/http/connection.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import type { EngineRequest, Reply, StreamReply } from '../../../src/engine/http/engineRequest.ts';
import { abortReason } from '../../../src/lifetime.ts';
import type { FakeClock } from '../support/fakeClock.ts';
import { idOf } from '../inventory/support/nouns.ts';

type Wire = Readonly<Record<string, unknown>>;

interface ModelContainer {
  readonly name: string;
  readonly state: string;
  readonly exitCode: number;
  readonly image: string;
  /** From when on a list knows this state, and what it says until then. */
  readonly listedAt: number;
  readonly before: string;
}

interface Told {
  readonly at: number;
  readonly text: string;
}

/** An answer under way; its content is as of its asking or of its sending. */
interface Pending {
  readonly request: EngineRequest;
  readonly early: unknown;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** What a container becomes by an event of this name. */
const BECOMES: Readonly<Record<string, string>> = {
  start: 'running',
  die: 'exited',
  // Of a container between two runs.
  stop: 'exited',
  pause: 'paused',
  unpause: 'running',
};

/** What happens to a container of a state without an event; undefined where it cannot happen. */
const SILENTLY = {
  /** Somebody kills it between two runs, or its next run fails. */
  restartEnds: (state: string) => (state === 'restarting' ? { state: 'exited' } : undefined),
  removalBegins: (state: string) =>
    ['created', 'exited', 'dead'].includes(state) ? { state: 'removing' } : undefined,
  removalFails: (state: string) => (state === 'removing' ? { state: 'dead' } : undefined),
  startFails: (state: string) =>
    ['created', 'exited'].includes(state) ? { state: 'exited', exitCode: 127 } : undefined,
} as const;

export type SilentChange = keyof typeof SILENTLY;

const IMAGE_LETTERS = ['e', 'f'] as const;

/** An engine with a truth of its own, that answers and tells when a test lets it. Its clock is the test's. */
export class ModelEngine {
  readonly #clock: FakeClock;
  readonly #containers = new Map<string, ModelContainer>();
  /** The image each tag leads to. */
  readonly #tags = new Map<string, string>();
  readonly #told: Told[] = [];
  readonly #pending = new Set<Pending>();
  readonly #streams = new Set<EventStream>();
  /** What somebody else did without an event: it is known with the next list. */
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
      dispose: () => undefined,
    });
  }

  /** Whether all of it was told, or can be known: see {@link changeUnheard}. */
  isHeard(id: string): boolean {
    return !this.#unheard.has(id);
  }

  /** What a list says once everything has been saved. */
  truth(): readonly string[] {
    const containers = [...this.#containers].map(([id, one]) =>
      [id, one.name, wordsOf(one), this.#nameOf(one.image)].join(' '),
    );
    return [...containers, ...IMAGE_LETTERS.map((letter) => this.#imageWords(letter))].toSorted();
  }

  /** Makes it, or does to it what the event's name says; nothing where that makes no sense. */
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

  /** It dies and is to run again: told as any death. */
  crash(letter: string, lagMs: number): void {
    const id = idOf(letter);
    const now = this.#containers.get(id);
    if (now?.state !== 'running') return;
    const listedAt = this.#clock.now() + lagMs;
    this.#put(id, { ...now, state: 'restarting', exitCode: 1, before: now.state, listedAt });
    this.#unheard.delete(id);
    this.#tell('container', 'die', id);
  }

  /** What engines do without a word, where the window knows that it may happen. Whether it did. */
  changeSilently(letter: string, change: SilentChange): boolean {
    const now = this.#containers.get(idOf(letter));
    const next = now && SILENTLY[change](now.state);
    if (!next) return false;
    this.#put(idOf(letter), { ...now, ...next, before: '', listedAt: 0 });
    this.#unheard.delete(idOf(letter));
    return true;
  }

  /** The same, of which nobody can know before the next list. */
  changeUnheard(letter: string, change: SilentChange): void {
    if (this.changeSilently(letter, change)) this.#unheard.add(idOf(letter));
  }

  /** Gives a tag to an image, or takes it away. */
  tag(tag: string, letter: string | undefined): void {
    if (letter === undefined) this.#tags.delete(tag);
    else this.#tags.set(tag, letter);
    this.#tell('image', letter === undefined ? 'untag' : 'tag', `sha256:${idOf(letter ?? 'e')}`);
  }

  /** Sends the oldest answer under way. */
  answer(isFresh: boolean): void {
    const [oldest] = this.#pending;
    if (!oldest) return;
    this.#pending.delete(oldest);
    oldest.resolve(
      replyOf(isFresh ? this.#valueOf(oldest.request) : oldest.early, this.#seconds()),
    );
  }

  /** Everything under way breaks off, or ends as if all were told. */
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

  /** As a container's list has it: by the tag as long as one leads there. */
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

/** What a row shows of its state. */
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

/** What was said and not read yet, to its end. */
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
