import { randomUUID } from 'node:crypto';
import { processOrigin } from '../engine/images/temporaryMarks.ts';
import { asList, asRecord, asText } from '../engine/wire/wire.ts';
import { once, type Memento } from '../base/lifetime.ts';
import { UNFINISHED_KEY } from './sweepLeftovers.ts';

/**
 * Remembers what is running in this window. A reload, a close, or a crash ends it without a word; the next window
 * finds here what that was.
 */
export class UnfinishedWork {
  readonly #memory: Memento;
  /** Of this window: the ID of a process is used again. */
  readonly #owner = randomUUID();
  readonly #processId: number;
  readonly #origin: () => string;
  #left: readonly LeftWork[];
  #count = 0;
  #isClosing = false;

  constructor(memory: Memento, processId = process.pid, origin = processOrigin) {
    this.#origin = once(origin);
    this.#memory = memory;
    this.#processId = processId;
    this.#left = this.#all();
  }

  /** Work that earlier windows have not finished, or another window of the same workspace is still doing. */
  get left(): readonly LeftWork[] {
    return this.#left;
  }

  /** Remembers work until the result is disposed. */
  begin(work: WorkNote): Disposable {
    const key = `${this.#owner} ${++this.#count}`;
    const own = { key, processId: this.#processId, origin: this.#origin() };
    this.#save([...this.#all(), { ...work, ...own }].slice(-MOST));
    return {
      [Symbol.dispose]: () => {
        if (!this.#isClosing) this.#forget([key]);
      },
    };
  }

  /** Whether the ID of a process says nothing here: it ran before a restart of the machine, or in another container. */
  isElsewhere({ origin }: LeftWork): boolean {
    return origin !== this.#origin();
  }

  /** The window closes: what ends from now on, it ends. */
  close(): void {
    this.#isClosing = true;
  }

  /** Forgets what was left, and keeps in mind which builds were interrupted. */
  settle(settled: readonly LeftWork[]): void {
    const keys = settled.map(({ key }) => key);
    this.#left = this.#left.filter(({ key }) => !keys.includes(key));
    this.#forget(keys);
    const refs = settled.flatMap(({ ref }) => ref ?? []);
    if (refs.length > 0) this.#update(BUILDS_KEY, [...this.#builds(), ...refs].slice(-MOST));
  }

  /** Whether the end of an earlier window has canceled this build, and not a user. */
  isInterruptedBuild(ref: string): boolean {
    return this.#builds().includes(ref) || this.#left.some((one) => one.ref === ref);
  }

  #builds(): readonly string[] {
    return asList(this.#memory.get(BUILDS_KEY)).map(asText);
  }

  #all(): readonly LeftWork[] {
    return asList(this.#memory.get(UNFINISHED_KEY)).flatMap((kept) => readKept(kept) ?? []);
  }

  #forget(keys: readonly string[]): void {
    const all = this.#all();
    const others = all.filter(({ key }) => !keys.includes(key));
    if (others.length < all.length) this.#save(others);
  }

  #save(all: readonly LeftWork[]): void {
    this.#update(UNFINISHED_KEY, all);
  }

  #update(key: string, value: unknown): void {
    // Rejects while the window closes.
    this.#memory.update(key, value).then(undefined, () => undefined);
  }
}

const BUILDS_KEY = 'gantry.interruptedBuilds';
/** Maximum number of entries. The oldest are dropped. */
const MOST = 100;

const WORK_KINDS = [
  'build',
  'clone',
  'compose',
  'download',
  'export',
  'import',
  'load',
  'pull',
  'push',
  'save',
  'shell',
  'task',
  'upload',
] as const;

export interface WorkNote {
  readonly kind: (typeof WORK_KINDS)[number];
  /** Name of what it works on, as the user knows it. */
  readonly name: string;
  /** The local file or folder that is written, and the token of its temporary files. */
  readonly file?: {
    readonly path: string;
    readonly token: string;
    /** The file that it replaces; see `sightOf`. */
    readonly replaces?: string;
  };
  /** Names a build on its engine. */
  readonly ref?: string;
  /** Command that does it again. */
  readonly again?: WorkAgain;
}

export interface WorkAgain {
  readonly command: string;
  /** Without secrets. */
  readonly argument: unknown;
  /** Whether it asks the user, as if it was chosen from a menu. */
  readonly asks?: boolean;
}

/** Work that a window has not finished. */
export interface LeftWork extends WorkNote {
  readonly key: string;
  /** The process that did it. */
  readonly processId: number;
  /** Where that ID is unique; see `processOrigin`. */
  readonly origin: string;
}

function readKept(kept: unknown): LeftWork | undefined {
  const wire = asRecord(kept);
  const kind = WORK_KINDS.find((one) => one === wire['kind']);
  const key = asText(wire['key']);
  const name = asText(wire['name']);
  const { processId } = wire;
  if (!kind || key === '' || typeof processId !== 'number') return undefined;
  const file = asRecord(wire['file']);
  const again = asRecord(wire['again']);
  const [path, token, replaces] = ['path', 'token', 'replaces'].map((field) => asText(file[field]));
  const ref = asText(wire['ref']);
  const command = asText(again['command']);
  return {
    kind,
    name,
    key,
    processId,
    origin: asText(wire['origin']),
    ...(path && { file: { path, token: token ?? '', ...(replaces && { replaces }) } }),
    ...(ref !== '' && { ref }),
    ...(command !== '' && {
      again: { command, argument: again['argument'], asks: again['asks'] === true },
    }),
  };
}
