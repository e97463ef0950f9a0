import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { english } from '../../src/l10n.ts';
import { Emitter } from '../../src/lifetime.ts';
import type { ContainersChange } from '../../src/logs/follow/changeLatch.ts';
import { ContainerLog } from '../../src/logs/follow/containerLog.ts';
import { liveMemory } from '../unit/support/liveMemory.ts';
import { Site } from './support.ts';

const MIB = 1024 * 1024;
/**
 * The number of lines that the container writes, which is slow. The engine's log file is then extended to
 * `TIMES` times its length.
 */
const WRITTEN = 100_000;
const TIMES = process.env['GANTRY_BED_KIND'] === 'podman' ? 1 : 4;
/** Limit of what stays in memory, in bytes; keeping all these lines would take many times as much. */
const MOST_GROWTH = WRITTEN * TIMES * 20;

describe('many empty lines', function () {
  this.timeout(100_000);

  let site: Site;

  before(() => {
    site = new Site();
  });

  after(() => site.leave());

  it('are all passed on, and none stays in memory', async () => {
    const script = `yes '' | head -n ${WRITTEN}; echo end`;
    const { id } = await site.runToEnd(['sh', '-c', script]);
    const { raw } = await inspectContainer(site.connection, id);
    await multiply((raw as { readonly LogPath: string }).LogPath);
    const before = liveMemory();
    let [empty, most, last] = [0, 0, ''];
    const often = (WRITTEN * TIMES) / 10;
    let next = often;
    const sink = {
      lines: (lines: readonly { readonly text: string }[]) => {
        for (const { text } of lines) {
          if (text === '' || text === 'end') empty++;
          last = text;
        }
        // Measuring takes longer than reading a batch.
        if (empty >= next) {
          most = Math.max(most, liveMemory());
          next += often;
        }
        return Promise.resolve();
      },
      marker: () => Promise.resolve(),
    };
    const view = { follow: false, tail: 'all', timestamps: true } as const;
    const log = new ContainerLog(id, view, sink, {
      connect: () => Promise.resolve(site.connection),
      onDidChangeContainers: new Emitter<ContainersChange>().event,
      watch: () => undefined,
      l10n: english,
    });
    await log.open();
    log.dispose();
    assert.deepEqual([empty, last], [(WRITTEN + 1) * TIMES, 'end']);
    const growth = Math.round((most - before) / MIB);
    assert(most > 0 && growth < MOST_GROWTH / MIB, `${growth} MiB more`);
  });
});

/** Appends copies of its content to the engine's log file. */
async function multiply(file: string): Promise<void> {
  const once = await readFile(file);
  for (let copy = 1; copy < TIMES; copy++) await appendFile(file, once);
}
