import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import { ContainerLog } from '../../../../src/logs/follow/containerLog.ts';
import { json } from '../../support/fakeEngine.ts';
import { settle } from '../../support/lab.ts';
import {
  ENGINE_REMOVED,
  EXITED,
  FOLLOW,
  LogLab,
  LOST,
  REMOVED,
  seen,
  STARTED_AGAIN,
} from '../../support/logLab.ts';
import { NUMBERED } from '../../support/logStore.ts';

describe('followed logs', () => {
  let lab: LogLab;

  beforeEach(async () => {
    lab = await LogLab.start();
  });

  afterEach(() => lab.stop());

  it('end with the exit code, once', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    lab.container.exit(3);
    await lab.channels[0]!.endsWith(EXITED);
    lab.changed();
    lab.container.start();
    lab.changed();
    await lab.channels[0]!.endsWith(STARTED_AGAIN);
    assert.equal(lab.channels[0]!.text, `one\n${EXITED}${STARTED_AGAIN}`);
  });

  it('end immediately if the container has already exited', async () => {
    lab.container.start();
    lab.container.write('one\n');
    lab.container.exit(3);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith(EXITED);
    assert.equal(lab.channels[0]!.text, `one\n${EXITED}`);
  });

  it('report an exit once, even if the log had to be read again', async () => {
    lab.container.start();
    lab.container.exit(3);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith(EXITED);
    lab.engine.answer((_, response) => json(response, 500, { message: 'no' }));
    lab.changed();
    await lab.channels[0]!.endsWith('[Cannot continue reading the log: no]\n');
    lab.engine.answer(lab.container.answer);
    const before = lab.inspections();
    lab.changed();
    await seen(() => lab.inspections() >= before + 2);
    lab.container.start();
    lab.changed();
    await lab.channels[0]!.endsWith(STARTED_AGAIN);
    assert.equal(
      lab.channels[0]!.text,
      `${EXITED}[Cannot continue reading the log: no]\n${STARTED_AGAIN}`,
    );
  });

  it('do not report a lost connection while no lines can come', async () => {
    lab.container.start();
    lab.container.exit(3);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith(EXITED);
    const before = lab.inspections();
    lab.engine.answer((_, response) => {
      response.destroy();
    });
    lab.changes.fire({ containers: new Set(), phase: true });
    // A request that is cut is retried once before it counts as failed.
    await seen(() => lab.inspections() === before + 2);
    lab.container.start();
    lab.engine.answer(lab.container.answer);
    await new Promise(setImmediate);
    lab.changes.fire({ containers: new Set(), phase: true });
    await lab.channels[0]!.endsWith(STARTED_AGAIN);
    assert.equal(lab.channels[0]!.text, `${EXITED}${STARTED_AGAIN}`);
  });

  it('read an exited container without follow, because Podman 4 would lose lines', async () => {
    lab.container.start();
    lab.container.exit(3);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith(EXITED);
    const logs = lab.engine.seen.filter(({ path }) => path.endsWith('/logs'));
    assert.ok(logs.every(({ query }) => query.get('follow') !== '1'));
  });

  it('end when their engine is removed, and do not retry', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    await lab.channels[0]!.endsWith('one\n');
    lab.removeEngine();
    await lab.channels[0]!.endsWith(ENGINE_REMOVED);
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    assert.deepEqual(lab.pauses, []);
    assert.equal(lab.channels[0]!.text, `one\n${ENGINE_REMOVED}`);
  });

  it('are not retried until the engine changes if only the user can fix the failure', async () => {
    let tries = 0;
    const done = (): Promise<void> => Promise.resolve();
    const log = new ContainerLog(
      lab.container.id,
      FOLLOW,
      { lines: done, marker: done },
      {
        connect: () => {
          tries++;
          return Promise.reject(new EngineError('sshRefused'));
        },
        onDidChangeContainers: lab.changes.event,
        watch: () => undefined,
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      },
    );
    log.keepOpen();
    await settle();
    assert.equal(tries, 1);
    lab.changes.fire({ containers: new Set(), phase: true });
    await seen(() => tries === 2);
    log.dispose();
  });

  it('do not report an exit if the container was never started', async () => {
    await lab.open(FOLLOW);
    // Inspected again after the log has ended, and a third time because of the change.
    await seen(() => lab.inspections() === 2);
    lab.changed();
    await seen(() => lab.inspections() === 3);
    lab.container.start();
    lab.container.write('one\n');
    lab.changed();
    await lab.channels[0]!.endsWith('one\n');
    assert.equal(lab.channels[0]!.text, '[The container was started.]\none\n');
  });

  for (const hasEnded of [false, true]) {
    const before = hasEnded ? 'an earlier run' : 'the creation of the container';
    it(`include a short run after ${before} that ends before the next inspection`, async () => {
      if (hasEnded) {
        lab.container.start();
        lab.container.write('zero\n');
        lab.container.exit(1);
      }
      lab.beforeInspection(2, () => {
        lab.container.start();
        lab.container.write('one\n');
        lab.container.exit(3);
      });
      await lab.open(FOLLOW);
      await lab.channels[0]!.endsWith(EXITED);
      const start = hasEnded ? `zero\n${STARTED_AGAIN}` : '[The container was started.]\n';
      assert.equal(lab.channels[0]!.text, `${start}one\n${EXITED}`);
    });
  }

  it('wait for an exit that the engine has not noticed when the stream ends', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    lab.beforeInspection(2, () => lab.container.settle(3));
    lab.container.endLogs();
    await lab.channels[0]!.endsWith(EXITED);
    assert.equal(lab.channels[0]!.text, `one\n${EXITED}`);
  });

  it('wait for the last lines and the exit code if nothing runs and the end is not recorded', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    lab.beforeInspection(3, () => {
      lab.container.write('two\n');
      lab.container.settle(3);
    });
    lab.container.halt();
    lab.container.endLogs();
    await lab.channels[0]!.endsWith(EXITED);
    assert.equal(lab.channels[0]!.text, `one\ntwo\n${EXITED}`);
  });

  for (const behaviour of NUMBERED) {
    it(`continue across restarts without doubled or lost lines: ${behaviour}`, async () => {
      lab.use({ behaviour });
      lab.container.start();
      await lab.open(FOLLOW);
      let expected = '';
      for (let run = 0; run < 4; run++) {
        for (let line = 0; line < 5; line++) lab.container.write('same\n', line % 2 === 0 ? 1 : 2);
        lab.container.exit(3);
        expected += `${'same\n[stderr] same\n'.repeat(2)}same\n${EXITED}`;
        await lab.channels[0]!.until(() => lab.channels[0]!.text === expected);
        lab.container.start();
        lab.changed();
        expected += STARTED_AGAIN;
        await lab.channels[0]!.until(() => lab.channels[0]!.text === expected);
      }
      assert.equal(lab.channels[0]!.text, expected);
    });
  }

  it('continue if the container was restarted before it was inspected', async () => {
    lab.use({ losesUnterminatedEnd: true });
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    await lab.channels[0]!.endsWith('one\n');
    lab.container.write('no end');
    lab.container.start();
    lab.container.endLogs();
    lab.container.write('three\n');
    await lab.channels[0]!.endsWith('three\n');
    assert.equal(lab.channels[0]!.text, `one\nno end\n${STARTED_AGAIN}three\n`);
  });

  it('report each exit of a container with a restart policy', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    for (let run = 1; run <= 3; run++) {
      lab.container.write(`run ${run}\n`);
      lab.container.settle(3, 'restarting');
      lab.container.endLogs();
      await lab.channels[0]!.endsWith(`run ${run}\n${EXITED}`);
      lab.changed();
      lab.container.start();
      lab.changed();
      await lab.channels[0]!.endsWith(STARTED_AGAIN);
    }
    assert.equal(lab.channels[0]!.text.split(EXITED).length, 4);
  });

  it('include the last line that the engine omits from a followed log', async () => {
    lab.use({ losesUnterminatedEnd: true });
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    lab.container.write('no end');
    lab.container.exit(3);
    await lab.channels[0]!.endsWith(EXITED);
    assert.equal(lab.channels[0]!.text, `one\nno end\n${EXITED}`);
  });

  it('include that line even if it is the only one', async () => {
    lab.use({ losesUnterminatedEnd: true });
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('no end');
    lab.container.exit(3);
    await lab.channels[0]!.endsWith(EXITED);
    assert.equal(lab.channels[0]!.text, `no end\n${EXITED}`);
  });

  it('report that the container was removed, and stay open', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    lab.container.write('no end');
    lab.container.remove();
    await lab.channels[0]!.endsWith(REMOVED);
    assert.equal(lab.channels[0]!.text, `one\nno end\n${REMOVED}`);
    assert.deepEqual(lab.channels[0]!.calls, ['show(true)']);
  });

  it('do not treat a removal in progress as a failure', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    await lab.channels[0]!.endsWith('one\n');
    lab.container.settle(3, 'removing');
    lab.container.endLogs();
    lab.changed();
    await lab.channels[0]!.endsWith(EXITED);
    lab.container.remove();
    lab.changed();
    await lab.channels[0]!.endsWith(REMOVED);
    assert.equal(lab.channels[0]!.text, `one\n${EXITED}${REMOVED}`);
  });

  it('report the removal of an exited container', async () => {
    lab.container.start();
    lab.container.exit(3);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith(EXITED);
    lab.container.remove();
    lab.changed();
    await lab.channels[0]!.endsWith(REMOVED);
    assert.equal(lab.channels[0]!.text, `${EXITED}${REMOVED}`);
  });

  for (const behaviour of NUMBERED) {
    it(`continue after a lost connection and report it once: ${behaviour}`, async () => {
      lab.use({ behaviour });
      lab.container.start();
      await lab.open(FOLLOW);
      lab.container.write('one\n');
      await lab.channels[0]!.endsWith('one\n');
      let refused = 0;
      lab.engine.answer((request, response) => {
        if (++refused < 8) response.destroy();
        else return lab.container.answer(request, response);
      });
      lab.engine.cut();
      lab.container.write('two\n');
      await lab.channels[0]!.endsWith('two\n');
      lab.container.write('three\n');
      await lab.channels[0]!.endsWith('three\n');
      assert.equal(lab.channels[0]!.text, `one\n${LOST}two\nthree\n`);
      assert.deepEqual(lab.pauses, [250, 500, 1000]);
    });
  }

  for (const behaviour of NUMBERED)
    for (const [back, count] of [
      [2000n, 700],
      [2000n, 100],
      [50n, 700],
    ] as const)
      it(`continue after a lost connection if the clock was set back ${back} ms, ${count} lines ago: ${behaviour}`, async () => {
        lab.use({ behaviour });
        const written = (name: string, lines: number): string[] =>
          Array.from({ length: lines }, (_, index) => `${name}${index}\n`);
        lab.container.start();
        await lab.open(FOLLOW);
        const texts = [...written('a', 700), ...written('b', count)];
        for (const text of texts.slice(0, 700)) lab.container.write(text);
        lab.container.wait(-back * 1_000_000n);
        for (const text of texts.slice(700)) lab.container.write(text);
        await lab.channels[0]!.endsWith(`\nb${count - 1}\n`);
        lab.engine.cut();
        for (const text of ['new\n', 'last\n']) lab.container.write(text);
        await lab.channels[0]!.endsWith('last\n');
        assert.equal(lab.channels[0]!.text, [...texts, 'new\n', 'last\n'].join(''));
      });

  for (const behaviour of NUMBERED) {
    it(`report missing lines if the engine discarded them before they were read: ${behaviour}`, async () => {
      lab.use({ behaviour });
      lab.container.start();
      await lab.open(FOLLOW);
      lab.container.write('one\n');
      lab.container.write('two\n');
      await lab.channels[0]!.endsWith('two\n');
      lab.engine.cut();
      lab.container.wait(2_000_000_000n);
      for (const text of ['lost\n', 'three\n', 'four\n']) lab.container.write(text);
      lab.container.rotate(2);
      await lab.channels[0]!.endsWith('four\n');
      assert.equal(
        lab.channels[0]!.text,
        `one\ntwo\n[Lines are missing here: the engine discarded them before they were read.]\nthree\nfour\n`,
      );
    });

    it(`do not report discarded lines that had been read: ${behaviour}`, async () => {
      lab.use({ behaviour });
      lab.container.start();
      await lab.open(FOLLOW);
      for (const text of ['one\n', 'two\n', 'three\n']) lab.container.write(text);
      await lab.channels[0]!.endsWith('three\n');
      lab.engine.cut();
      lab.container.wait(2_000_000_000n);
      lab.container.write('four\n');
      lab.container.rotate(2);
      await lab.channels[0]!.endsWith('four\n');
      // With timestamps in whole seconds, discarded lines can be noticed by their number only.
      if (behaviour !== 'podman4') assert.equal(lab.channels[0]!.text, `one\ntwo\nthree\nfour\n`);
    });
  }

  it('report a second lost connection too, and start over with the short pause', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    for (const text of ['one\n', 'two\n']) {
      lab.container.write(text);
      await lab.channels[0]!.endsWith(text);
      lab.engine.answer((_, response) => {
        response.destroy();
      });
      lab.engine.cut();
      await lab.channels[0]!.endsWith(LOST);
      lab.engine.answer(lab.container.answer);
    }
    lab.container.write('three\n');
    await lab.channels[0]!.endsWith('three\n');
    assert.equal(lab.channels[0]!.text, `one\n${LOST}two\n${LOST}three\n`);
    assert.equal(lab.pauses.filter((pause) => pause === 250).length, 2);
  });

  it('continue silently if a proxy cuts the connection while there are no lines', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    await lab.channels[0]!.endsWith('one\n');
    for (let cuts = 1; cuts <= 6; cuts++) {
      lab.engine.cut();
      await seen(() => lab.container.followers === 0);
      await seen(() => lab.container.followers === 1);
    }
    lab.container.write('two\n');
    await lab.channels[0]!.endsWith('two\n');
    assert.equal(lab.channels[0]!.text, 'one\ntwo\n');
    // Immediately the first time, then with growing pauses, because a proxy may cut again and again.
    assert.deepEqual(lab.pauses, [250, 500, 1000, 2000, 4000]);
  });

  for (const status of [401, 403, 409, 500, 503])
    it(`retry after a single response with status ${status}`, async () => {
      lab.container.start();
      await lab.open(FOLLOW);
      lab.container.write('one\n');
      await lab.channels[0]!.endsWith('one\n');
      let refusals = 0;
      lab.engine.answer((request, response) => {
        if (!request.path.endsWith('/logs') || ++refusals > 1)
          return lab.container.answer(request, response);
        json(response, status, { message: 'not now' });
      });
      lab.engine.cut();
      lab.container.write('two\n');
      await lab.channels[0]!.endsWith('two\n');
      const refused = '[Cannot continue reading the log: not now]\n';
      assert.equal(lab.channels[0]!.text, `one\n${refused}two\n`);
    });

  it('are requested at most once a minute while the engine refuses, and report it once', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.engine.answer((request, response) => {
      if (request.path.endsWith('/json')) return lab.container.answer(request, response);
      json(response, 503, { message: 'not now' });
    });
    lab.container.endLogs();
    await seen(() => lab.pauses.filter((pause) => pause === 60_000).length === 3);
    const longer = lab.pauses.every((pause, index, all) => pause >= (all[index - 1] ?? 0));
    assert.ok(longer, String(lab.pauses));
    assert.equal(lab.channels[0]!.text, '[Cannot continue reading the log: not now]\n');
  });

  it('wait for a change if the log driver does not support reading', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.engine.answer((request, response) => {
      if (request.path.endsWith('/json')) return lab.container.answer(request, response);
      json(response, 501, { message: 'does not support reading' });
    });
    lab.container.endLogs();
    await lab.channels[0]!.endsWith(
      '[Cannot continue reading the log: does not support reading]\n',
    );
    const before = [lab.pauses.length, lab.logRequests()];
    await new Promise(setImmediate);
    assert.deepEqual([lab.pauses.length, lab.logRequests()], before);
    lab.engine.answer(lab.container.answer);
    lab.container.write('back\n');
    lab.changed();
    await lab.channels[0]!.endsWith('back\n');
  });

  it("quote the engine's message if it cannot read the log", async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.engine.answer((request, response) => {
      if (request.path.endsWith('/json')) return lab.container.answer(request, response);
      json(response, 500, { message: 'disk is gone' });
    });
    lab.container.endLogs();
    await lab.channels[0]!.endsWith('[Cannot continue reading the log: disk is gone]\n');
    lab.engine.answer(lab.container.answer);
    lab.container.write('back\n');
    lab.changed();
    await lab.channels[0]!.endsWith('back\n');
    assert.equal(lab.channels[0]!.text, '[Cannot continue reading the log: disk is gone]\nback\n');
  });
});
