import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../../src/engine/http/endpoint.ts';
import { EngineError, type FailureReason } from '../../../src/engine/errors.ts';
import type { RequestRecord } from '../../../src/engine/http/requestRecord.ts';
import { startFakeEngine, type Answer, type FakeEngine } from './fakeEngine.ts';
import { startRawEngine, type RawEngine, type Speak } from './rawEngine.ts';

/** The engines and connections of one test, closed together. */
export interface Lab {
  /** Starts a fake engine and connects to it. */
  fake(answer?: Answer): Promise<{ engine: FakeEngine; connection: Connection }>;
  /** Starts an engine that sends raw bytes, and connects to it. */
  raw(speak: Speak, pings?: Speak): Promise<{ engine: RawEngine; connection: Connection }>;
  connect(url: string): Connection;
  /** All requests of all connections. */
  readonly records: readonly RequestRecord[];
  close(): Promise<void>;
}

/** Opens a lab. Close it in `afterEach`. */
export function openLab(): Lab {
  const records: RequestRecord[] = [];
  const open: (() => void | Promise<void>)[] = [];
  const connect = (url: string): Connection => {
    const connection = openConnection(parseEndpoint(url, 'setting'), {
      onRequest: (record) => records.push(record),
    });
    open.push(() => connection.dispose());
    return connection;
  };
  return {
    records,
    connect,
    fake: async (answer) => {
      const engine = await startFakeEngine(answer);
      open.push(() => engine.stop());
      return { engine, connection: connect(engine.url) };
    },
    raw: async (speak, pings) => {
      const engine = await startRawEngine(speak, pings);
      open.push(() => engine.stop());
      return { engine, connection: connect(engine.url) };
    },
    close: async () => {
      for (const end of open.reverse()) await end();
    },
  };
}

/** Returns the EngineError that `work` rejects with. Fails the test on any other result or reason. */
export async function failure(work: Promise<unknown>, reason: FailureReason): Promise<EngineError> {
  const error: unknown = await work.then(
    (value) => assert.fail(`resolved to ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert(error instanceof EngineError, String(error));
  assert.equal(error.reason, reason, error.message);
  return error;
}

/** Runs ten turns of the event loop, so that pending work completes. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Number of turns of the event loop in which work without timers completes. */
const QUICK_TURNS = 50;

/** Waits until `check` returns true. Fails after four seconds. */
export async function when(check: () => boolean): Promise<void> {
  const end = performance.now() + 4000;
  for (let turn = 0; !check(); turn++) {
    if (performance.now() > end) assert.fail(`never: ${check.toString()}`);
    // A turn each millisecond leaves the processor to what the test waits for.
    const next = turn < QUICK_TURNS ? setImmediate : setTimeout;
    await new Promise((resolve) => next(resolve));
  }
}
