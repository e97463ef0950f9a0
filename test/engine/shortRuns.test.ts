import assert from 'node:assert/strict';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { Emitter } from '../../src/base/lifetime.ts';
import type { ContainersChange } from '../../src/logs/follow/changeLatch.ts';
import { ContainerLog } from '../../src/logs/follow/containerLog.ts';
import { askWell } from '../bed/http.ts';
import { until } from '../bed/until.ts';
import { Site } from './support.ts';

/** Among this many runs, a real engine records some as finished before they were started. */
const RUNS = 6;

describe('the log of a container that exits immediately, on a real engine', () => {
  let site: Site;
  before(() => (site = new Site()));
  after(() => site.leave());

  /** Resolves to the lines and markers of the log up to the exit; rejects if the log waits for the exit. */
  async function told(id: string): Promise<string> {
    const parts: string[] = [];
    const { promise: end, resolve, reject } = Promise.withResolvers<undefined>();
    const pause = (): Promise<never> => {
      const waited = new Error('The end was waited for, though the engine knows it.');
      reject(waited);
      return Promise.reject(waited);
    };
    const sink = {
      lines: (lines: readonly { readonly text: string }[]) => {
        parts.push(...lines.map(({ text }) => text));
        return Promise.resolve();
      },
      marker: (marker: { readonly kind: string; readonly exitCode?: number }) => {
        parts.push(`${marker.kind} ${marker.exitCode ?? ''}`);
        if (marker.kind === 'exited') resolve(undefined);
        return Promise.resolve();
      },
    };
    const log = new ContainerLog(id, { follow: true, tail: 'all', timestamps: false }, sink, {
      connect: () => Promise.resolve(site.connection),
      onDidChangeContainers: new Emitter<ContainersChange>().event,
      watch: () => undefined,
      pause,
    });
    try {
      await log.open();
      await end;
      return parts.join(', ');
    } finally {
      log.dispose();
    }
  }

  /**
   * Whether the engine has any output of the container. Docker closes the pipe of the output at the exit, even if its
   * own thread has not returned from opening it: on a busy machine, all output of a run of some milliseconds is lost for
   * good, and its daemon writes "reading from a closed fifo". A delay of 60 ms in that thread is enough.
   */
  async function isKept(id: string): Promise<boolean> {
    const path = `/containers/${id}/logs?stdout=1&stderr=1`;
    return (await askWell(site.facts.socket, 'GET', path)) !== '';
  }

  it('contains its last line without a line end, and the exit code, without waiting', async () => {
    const command = ['sh', '-c', 'printf "no end"; exit 3'];
    const runs = await Promise.all(Array.from({ length: RUNS }, () => site.runToEnd(command)));
    let lost = 0;
    for (const { id } of runs) {
      await until(async () => {
        const { isRunning, finishedAt } = await inspectContainer(site.connection, id);
        return !isRunning && finishedAt !== '';
      }, 'the engine reports the exit');
      const log = await told(id);
      if (await isKept(id)) assert.equal(log, 'no end, exited 3');
      else lost += 1;
    }
    assert.ok(lost < RUNS, 'the engine has kept no output at all');
  });
});
