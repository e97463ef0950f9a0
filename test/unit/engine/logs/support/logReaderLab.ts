import type { LogLine } from '../../../../../src/engine/model.ts';
import type { LogReader } from '../../../../../src/engine/logs/logReader.ts';
import type { Connection } from '../../../../../src/engine/http/connection.ts';
import type { FakeEngine } from '../../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../../support/lab.ts';

/** An engine with the log of one container. Close it in `afterEach`. */
export class LogReaderLab {
  readonly engine: FakeEngine;
  readonly connection: Connection;
  readonly controller = new AbortController();
  readonly #lab: Lab;

  static async open(): Promise<LogReaderLab> {
    const lab = openLab();
    return new LogReaderLab(lab, await lab.fake());
  }

  private constructor(lab: Lab, { engine, connection }: Awaited<ReturnType<Lab['fake']>>) {
    this.#lab = lab;
    this.engine = engine;
    this.connection = connection;
  }

  close(): Promise<void> {
    this.controller.abort();
    return this.#lab.close();
  }

  /** Answers each request with the next of these. */
  answerWith(...bodies: readonly (string | Buffer)[]): void {
    const rest = [...bodies];
    this.engine.answer((_, response) => {
      response.setHeader('date', OPENED);
      response.end(rest.shift());
    });
  }

  /** Returns the texts of all lines of a reading. */
  async read(reader: LogReader, follow = false, runStartedAt?: string): Promise<string[]> {
    const options = runStartedAt === undefined ? { follow } : { follow, runStartedAt };
    return textsOf(await reader.open(this.connection, options, this.controller.signal));
  }
}

/** When the engine answers. */
export const OPENED = 'Sat, 01 Aug 2026 10:00:05 GMT';

export async function textsOf(batches: AsyncIterable<readonly LogLine[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of batches) all.push(...batch.map(({ text }) => text));
  return all;
}
