import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../../src/engine/discovery/endpoint.ts';
import { EngineError, type FailureReason } from '../../../src/engine/errors.ts';
import type { RequestRecord } from '../../../src/engine/http/requestRecord.ts';
import { startFakeEngine, type Answer, type FakeEngine } from './fakeEngine.ts';
import { startRawEngine, type RawEngine, type Speak } from './rawEngine.ts';

/** Engines and connections of one test, ended together. */
export interface Lab {
  /** A fake engine with a connection to it. */
  fake(answer?: Answer): Promise<{ engine: FakeEngine; connection: Connection }>;
  /** One that speaks bytes. */
  raw(speak: Speak, pings?: Speak): Promise<{ engine: RawEngine; connection: Connection }>;
  connect(url: string): Connection;
  /** Every request of every connection. */
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
    open.push(() => {
      connection.dispose();
    });
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

/** The EngineError that `work` rejects with; fails the test where it is none, or has another reason. */
export async function failure(work: Promise<unknown>, reason: FailureReason): Promise<EngineError> {
  const error: unknown = await work.then(
    (value) => assert.fail(`resolved to ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert(error instanceof EngineError, String(error));
  assert.equal(error.reason, reason, error.message);
  return error;
}

/** Lets everything happen that can happen now. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Yields to the event loop until `check` holds. What never does fails, rather than turning for ever. */
export async function when(check: () => boolean): Promise<void> {
  const end = performance.now() + 4000;
  while (!check()) {
    if (performance.now() > end) assert.fail(`never: ${check.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
