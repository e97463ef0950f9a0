import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import { EngineError, isLost } from '../engine/errors.ts';
import type { Connection } from '../engine/http/connection.ts';
import type { Sample } from '../engine/statistics/readSample.ts';
import { followSamples, sampleContainer, samplePodman } from '../engine/statistics/statistics.ts';
import { mapConcurrently } from '../base/mapConcurrently.ts';
import type { Disposable } from '../base/lifetime.ts';
import { withTimeout } from '../base/time.ts';

/** Samples containers in the way that costs an engine least. */
export interface Sampler extends Disposable {
  /** Whether the engine sends samples by itself: they are older than the question for them. */
  readonly isFollowing?: boolean;
  /**
   * Samples containers once. Resolves when all that could be sampled are.
   *
   * @param due full IDs of those to sample now.
   * @param watched full IDs of all that are sampled again and again.
   * @param receive gets each sample as soon as it arrives.
   * @throws EngineError if the engine cannot be asked; the reason of the signal.
   */
  sample(
    due: readonly string[],
    watched: ReadonlySet<string>,
    receive: ReceiveSample,
    signal: AbortSignal,
  ): Promise<void>;
}

type ReceiveSample = (id: string, sample: Sample) => void;

/**
 * Returns the sampler for an engine.
 *
 * @param answerMs time for the answer on one container, in milliseconds; tests use a shorter one.
 */
export async function openSampler(
  connection: Connection,
  signal: AbortSignal,
  answerMs = ANSWER_MS,
): Promise<Sampler> {
  const { samplesAtOnce, samplesTogether } = capabilitiesOf(await connection.info(signal));
  if (samplesTogether) return together(connection);
  // A tunnel has few sessions, which logs need.
  const isTunnel = connection.endpoint.transport.kind === 'ssh';
  return samplesAtOnce || isTunnel
    ? oneByOne(connection, isTunnel ? 1 : 2, answerMs)
    : new StreamSampler(connection);
}

function together(connection: Connection): Sampler {
  return {
    sample: async (due, _watched, receive, signal) => {
      // Without names, it samples all that run.
      if (due.length === 0) return;
      for (const [id, sample] of await samplePodman(connection, due, signal)) receive(id, sample);
    },
    dispose: () => undefined,
  };
}

/** @param limit how many at a time: other calls need connections, too. */
function oneByOne(connection: Connection, limit: number, answerMs: number): Sampler {
  return {
    sample: async (due, _watched, receive, signal) => {
      await mapConcurrently(limit, due, async (id) => {
        // One that hangs must not keep the others waiting. That says nothing about the engine.
        const late = (): EngineError => new EngineError('failed');
        const sampling = withTimeout(answerMs, late, signal, (either) =>
          sampleContainer(connection, id, either),
        );
        const sample = await unlessTheirs(sampling);
        if (sample) receive(id, sample);
      });
    },
    dispose: () => undefined,
  };
}

/** Follows each container as long as it is watched, and passes on the last sample that has arrived. */
class StreamSampler implements Sampler {
  readonly isFollowing = true;
  readonly #connection: Connection;
  readonly #streams = new Map<string, Stream>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  sample(
    due: readonly string[],
    watched: ReadonlySet<string>,
    receive: ReceiveSample,
  ): Promise<void> {
    for (const [id, { controller }] of this.#streams) if (!watched.has(id)) controller.abort();
    for (const id of due) {
      const stream = this.#streams.get(id);
      if (!stream) void this.#follow(id);
      if (!stream?.last) continue;
      receive(id, stream.last);
      stream.last = undefined;
    }
    return Promise.resolve();
  }

  dispose(): void {
    for (const { controller } of this.#streams.values()) controller.abort();
  }

  async #follow(id: string): Promise<void> {
    const stream: Stream = { controller: new AbortController(), last: undefined };
    this.#streams.set(id, stream);
    try {
      for await (const sample of followSamples(this.#connection, id, stream.controller.signal))
        stream.last = sample;
    } catch {
      // Followed again when it is sampled the next time, as long as it is watched: not at once, it may be refused.
    } finally {
      this.#streams.delete(id);
    }
  }
}

interface Stream {
  readonly controller: AbortController;
  /** The last sample that was not passed on yet. */
  last: Sample | undefined;
}

/** Three times as long as slow engines take. */
const ANSWER_MS = 10_000;

/** Resolves to undefined if the engine refuses one container: the others can still be sampled. */
async function unlessTheirs<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EngineError && !isLost(error)) return undefined;
    throw error;
  }
}
