import assert from 'node:assert/strict';
import { ContainerLog } from '../../../../src/logs/follow/containerLog.ts';
import type { LogSink } from '../../../../src/logs/follow/logMarker.ts';
import { EXITED, FOLLOW, LogLab, LOST, seen, STARTED_AGAIN } from '../../support/logLab.ts';

describe('the marker of a restart', () => {
  let lab: LogLab;

  beforeEach(async () => {
    lab = await LogLab.start();
  });

  afterEach(() => lab.stop());

  /** Makes the engine unreachable while the container changes, then lets it respond again. */
  async function away(
    meanwhile: () => void,
    endStream: () => void,
    answer = lab.container.answer,
  ): Promise<void> {
    lab.engine.answer((_, response) => {
      response.destroy();
    });
    endStream();
    await lab.channels[0]!.endsWith(LOST);
    meanwhile();
    lab.engine.answer(answer);
    lab.changed();
  }

  const restart = (): void => {
    lab.container.write('last of the old run\n');
    lab.container.exit(1);
    lab.container.start();
    lab.container.write('first of the new run\n');
  };

  it('comes between the runs, even if the connection was lost before', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith('one\n');
    await away(restart, () => lab.container.endLogs());
    await lab.channels[0]!.endsWith('first of the new run\n');
    assert.equal(
      lab.channels[0]!.text,
      `one\n${LOST}last of the old run\n${STARTED_AGAIN}first of the new run\n`,
    );
  });

  it('comes between the runs if nothing was read of the first', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    await seen(() => lab.container.followers === 1);
    await away(restart, () => lab.container.endLogs());
    await lab.channels[0]!.endsWith('first of the new run\n');
    assert.equal(
      lab.channels[0]!.text,
      `${LOST}last of the old run\n${STARTED_AGAIN}first of the new run\n`,
    );
  });

  it('comes between the runs, even if the next run starts just before the engine responds', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith('one\n');
    let restarts = 0;
    lab.engine.answer((request, response) => {
      // Just inspected, the container was still in the previous run.
      if (request.path.includes('/logs') && restarts++ === 0) restart();
      return lab.container.answer(request, response);
    });
    // The engine has not noticed the exit yet.
    lab.container.endLogs();
    lab.changed();
    await lab.channels[0]!.endsWith('first of the new run\n');
    assert.equal(
      lab.channels[0]!.text,
      `one\nlast of the old run\n${STARTED_AGAIN}first of the new run\n`,
    );
  });

  it('comes between the runs, even if the next run starts while the end of the first is read', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith('one\n');
    let isRestarted = false;
    const exit = (): void => {
      lab.container.write('last of the old run\n');
      lab.container.exit(1);
    };
    const endStream = (): void => lab.container.endLogs();
    await away(exit, endStream, (request, response) => {
      if (request.path.endsWith('/logs') && !isRestarted) {
        isRestarted = true;
        lab.container.start();
        lab.container.write('first of the new run\n');
      }
      return lab.container.answer(request, response);
    });
    await lab.channels[0]!.endsWith('first of the new run\n');
    assert.equal(
      lab.channels[0]!.text,
      `one\n${LOST}last of the old run\n${STARTED_AGAIN}first of the new run\n`,
    );
  });

  /** Opens a log with a tail of two lines and records what it writes. */
  const lastTwo = (told: string[]): ContainerLog =>
    new ContainerLog(lab.container.id, { ...FOLLOW, tail: 2 }, noting(told), {
      connect: () => Promise.resolve(lab.connection),
      onDidChangeContainers: lab.changes.event,
      watch: () => undefined,
    });

  function usePodman(): void {
    lab.engine.ping((_, response) => {
      const server = 'Libpod/5.8.6 (linux)';
      response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '5.8.6', server });
      response.end('OK');
    });
    lab.use({ behaviour: 'podman5' });
  }

  it('does not shorten the tail of a container that exits while it is read', async () => {
    usePodman();
    lab.container.start();
    for (const text of ['one\n', 'two\n', 'three\n']) lab.container.write(text);
    let hasEnded = false;
    lab.engine.answer((request, response) => {
      const answered = lab.container.answer(request, response);
      if (request.path.endsWith('/logs') && !hasEnded) {
        hasEnded = true;
        lab.container.settle(3);
        lab.changed();
      }
      return answered;
    });
    const told: string[] = [];
    const log = lastTwo(told);
    log.keepOpen();
    await seen(() => told.includes('exited'));
    log.dispose();
    assert.deepEqual(told, ['two', 'three', 'caughtUp', 'exited']);
  });

  it('does not shorten the tail if the engine is pinged again in the meantime', async () => {
    lab.container.start();
    for (const text of ['one\n', 'two\n', 'three\n']) lab.container.write(text);
    const told: string[] = [];
    const log = lastTwo(told);
    lab.engine.answer((request, response) => {
      if (request.path.endsWith('/logs') && !told.includes('caughtUp')) {
        // Only this one ping fails.
        lab.engine.ping((_, ping) => {
          ping.destroy();
        });
        void lab.connection.renew().catch(() => undefined);
      }
      return lab.container.answer(request, response);
    });
    log.keepOpen();
    await seen(() => told.includes('caughtUp'));
    log.dispose();
    assert.deepEqual(told, ['two', 'three', 'caughtUp']);
  });

  it("comes between the runs, even if the engine's stream continues into the next run", async () => {
    usePodman();
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith('one\n');
    await seen(() => lab.container.followers === 1);
    lab.container.write('last of the old run\n');
    lab.container.settle(1);
    lab.container.start();
    lab.container.write('first of the new run\n');
    lab.changed();
    await lab.channels[0]!.endsWith('first of the new run\n');
    assert.equal(
      lab.channels[0]!.text,
      `one\nlast of the old run\n${STARTED_AGAIN}first of the new run\n`,
    );
    lab.container.settle(3);
    lab.changed();
    await lab.channels[0]!.endsWith(EXITED);
  });
});

/** Returns a sink that records the texts of lines, and the kinds of markers. */
function noting(told: string[]): LogSink {
  return {
    lines: (lines) => {
      told.push(...lines.map(({ text }) => text));
      return Promise.resolve();
    },
    marker: ({ kind }) => {
      told.push(kind);
      return Promise.resolve();
    },
    caughtUp: () => told.push('caughtUp'),
  };
}
