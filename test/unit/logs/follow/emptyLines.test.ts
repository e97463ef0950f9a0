import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { openConnection } from '../../../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import type { ContainersChange } from '../../../../src/logs/follow/changeLatch.ts';
import { ContainerLog } from '../../../../src/logs/follow/containerLog.ts';
import { frame } from '../../support/chunks.ts';
import { FakeContainer } from '../../support/fakeContainer.ts';
import { startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';
import { liveMemory } from '../../support/collectGarbage.ts';

const MIB = 1024 * 1024;
const LINES = 100_000;
const BATCH = 1000;
/** Limit of what stays in memory, in bytes; keeping all these lines would take more than twice as much. */
const MOST_GROWTH = LINES * 60;

describe('many empty lines', () => {
  let engine: FakeEngine;

  beforeEach(async () => {
    const container = new FakeContainer();
    container.start();
    container.exit(0);
    engine = await startFakeEngine((request, response) => {
      if (request.path.endsWith('/logs')) Readable.from(emptyLines()).pipe(response);
      else return container.answer(request, response);
    });
  });

  afterEach(() => engine.stop());

  it('are all passed on, and none stays in memory', async () => {
    const connection = openConnection(parseEndpoint(engine.url, 'setting'));
    const before = liveMemory();
    let empty = 0;
    let most = 0;
    const sink = {
      lines: (lines: readonly { readonly text: string }[]) => {
        const measured = Math.floor(empty / (25 * BATCH));
        empty += lines.filter(({ text }) => text === '').length;
        // Measuring takes longer than reading a batch.
        if (Math.floor(empty / (25 * BATCH)) > measured) most = Math.max(most, liveMemory());
        return Promise.resolve();
      },
      marker: () => Promise.resolve(),
    };
    const view = { follow: false, tail: 'all', timestamps: true } as const;
    const log = new ContainerLog('c', view, sink, {
      connect: () => Promise.resolve(connection),
      onDidChangeContainers: new Emitter<ContainersChange>().event,
      watch: () => undefined,
    });
    await log.open();
    log.dispose();
    connection.dispose();
    assert.equal(empty, LINES);
    const growth = Math.round((most - before) / MIB);
    assert(most > 0 && growth < MOST_GROWTH / MIB, `${growth} MiB more`);
  }).timeout(60_000);
});

/** The log as a Docker engine sends it: a frame with its own timestamp for each line. */
function* emptyLines(): Generator<Buffer> {
  for (let from = 0; from < LINES; from += BATCH)
    yield Buffer.concat(
      Array.from({ length: BATCH }, (_, line) => {
        const nanoseconds = String(from + line).padStart(9, '0');
        return frame(1, `2026-08-01T10:00:00.${nanoseconds}Z \n`);
      }),
    );
}
