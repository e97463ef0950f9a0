import type { Disposable } from '../../lifetime.ts';
import type { Lane } from './tunnel.ts';

/** Sessions that are always left to short calls: two calls and a ping. */
const FOR_CALLS = 3;

type LastingLane = Exclude<Lane, 'call' | 'ping'>;

/** The lanes for which each of these leaves at least one session. */
const LEAVES_ONE_FOR: Readonly<Record<LastingLane, readonly LastingLane[]>> = {
  events: [],
  long: ['events'],
  stream: ['events', 'long'],
};

/**
 * Hands out the few sessions of a way. Nothing is connected before there is one for it, so no request lies in a
 * socket and is carried out after its sender left. Streams may never end: these do not wait but are refused.
 */
export class SshSessions implements Disposable {
  readonly #limits: Required<SessionLimits>;
  readonly #waiting: Wait[] = [];
  readonly #open: Record<LastingLane, number> = { events: 0, long: 0, stream: 0 };
  /** Those that are ending, too. */
  #running = 0;
  #starting = 0;
  #isDisposed = false;

  constructor({ most, atOnce = most }: SessionLimits) {
    this.#limits = { most, atOnce };
  }

  /**
   * Resolves once there is a session.
   *
   * @returns undefined where there will be none: too many streams are open.
   */
  async enter(lane: Lane): Promise<(() => void) | undefined> {
    if (this.#isDisposed) return () => undefined;
    if (lane === 'stream' && !this.#hasRoomFor(lane)) return undefined;
    // Streams count from here on: another one may come while this one waits for a session that is ending.
    if (lane === 'stream') this.#open.stream++;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ lane, onAdmitted: resolve });
      this.#admit();
    });
    return this.#leaver(lane);
  }

  /** One that was let in has begun to talk. */
  began(): void {
    this.#starting--;
    this.#admit();
  }

  /** One is over. */
  ended(): void {
    this.#running--;
    this.#admit();
  }

  /** Lets nobody in any more; those who wait are let go. */
  dispose(): void {
    this.#isDisposed = true;
    for (const { onAdmitted } of this.#waiting.splice(0)) onAdmitted();
  }

  #admit(): void {
    for (const wait of [...this.#waiting]) {
      const { most, atOnce } = this.#limits;
      if (this.#running >= most || this.#starting >= atOnce) return;
      if (wait.lane === 'events' || wait.lane === 'long') {
        if (!this.#hasRoomFor(wait.lane)) continue;
        this.#open[wait.lane]++;
      }
      this.#waiting.splice(this.#waiting.indexOf(wait), 1);
      this.#running++;
      this.#starting++;
      wait.onAdmitted();
    }
  }

  #hasRoomFor(lane: LastingLane): boolean {
    const { events, long, stream } = this.#open;
    const kept = LEAVES_ONE_FOR[lane].filter((other) => this.#open[other] === 0).length;
    return events + long + stream + kept < this.#limits.most - FOR_CALLS;
  }

  #leaver(lane: Lane): () => void {
    let isIn = true;
    return () => {
      if (!isIn || lane === 'call' || lane === 'ping') return;
      isIn = false;
      this.#open[lane]--;
      this.#admit();
    };
  }
}

/** How many sessions a way has. */
export interface SessionLimits {
  readonly most: number;
  /** How many may be on their way in at a time. Default all. */
  readonly atOnce?: number;
}

interface Wait {
  readonly lane: Lane;
  readonly onAdmitted: () => void;
}
