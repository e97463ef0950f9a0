import assert from 'node:assert/strict';
import { json } from '../../support/fakeEngine.ts';
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

  it('close with the exit status, once', async () => {
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

  it('close at once where the container has ended before', async () => {
    lab.container.start();
    lab.container.write('one\n');
    lab.container.exit(3);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith(EXITED);
    assert.equal(lab.channels[0]!.text, `one\n${EXITED}`);
  });

  it('tell an exit once, although the log had to be read again', async () => {
    lab.container.start();
    lab.container.exit(3);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith(EXITED);
    lab.engine.answer((_, response) => {
      json(response, 500, { message: 'no' });
    });
    lab.changed();
    await lab.channels[0]!.endsWith('[The log cannot be read on: no]\n');
    lab.engine.answer(lab.container.answer);
    const before = lab.inspections();
    lab.changed();
    await seen(() => lab.inspections() >= before + 2);
    lab.container.start();
    lab.changed();
    await lab.channels[0]!.endsWith(STARTED_AGAIN);
    assert.equal(
      lab.channels[0]!.text,
      `${EXITED}[The log cannot be read on: no]\n${STARTED_AGAIN}`,
    );
  });

  it('say nothing of a break while there is nothing to come', async () => {
    lab.container.start();
    lab.container.exit(3);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith(EXITED);
    const before = lab.inspections();
    lab.engine.answer((_, response) => {
      response.destroy();
    });
    lab.changes.fire({ containers: new Set(), phase: true });
    // A request that is cut is sent once more before it counts as failed.
    await seen(() => lab.inspections() === before + 2);
    lab.container.start();
    lab.engine.answer(lab.container.answer);
    await new Promise(setImmediate);
    lab.changes.fire({ containers: new Set(), phase: true });
    await lab.channels[0]!.endsWith(STARTED_AGAIN);
    assert.equal(lab.channels[0]!.text, `${EXITED}${STARTED_AGAIN}`);
  });

  it('do not follow what has ended: Podman 4 loses lines of it then', async () => {
    lab.container.start();
    lab.container.exit(3);
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith(EXITED);
    const logs = lab.engine.seen.filter(({ path }) => path.endsWith('/logs'));
    assert.ok(logs.every(({ query }) => query.get('follow') !== '1'));
  });

  it('end with their engine when it is removed, and try nothing more', async () => {
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

  it('say nothing of an exit where the container was never started', async () => {
    await lab.open(FOLLOW);
    // Once more after its log has ended, and a third time because of the change.
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
    const before = hasEnded ? 'one that has ended' : 'its creation';
    it(`read a run that came and went while it was asked for the end of ${before}`, async () => {
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

  it('wait for an exit that the engine has not noticed when the log ends', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    lab.beforeInspection(2, () => {
      lab.container.settle(3);
    });
    lab.container.endLogs();
    await lab.channels[0]!.endsWith(EXITED);
    assert.equal(lab.channels[0]!.text, `one\n${EXITED}`);
  });

  it('wait where nothing runs and the end is not known, for its last lines and its status', async () => {
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
    it(`go on over restarts without doubling or losing a line: ${behaviour}`, async () => {
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

  it('go on where the container was started again before anybody looked', async () => {
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

  it('tell each exit of a container that restarts by itself', async () => {
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

  it('get the last line that the engine leaves out of a followed log', async () => {
    lab.use({ losesUnterminatedEnd: true });
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    lab.container.write('no end');
    lab.container.exit(3);
    await lab.channels[0]!.endsWith(EXITED);
    assert.equal(lab.channels[0]!.text, `one\nno end\n${EXITED}`);
  });

  it('get it also where it is the only one', async () => {
    lab.use({ losesUnterminatedEnd: true });
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('no end');
    lab.container.exit(3);
    await lab.channels[0]!.endsWith(EXITED);
    assert.equal(lab.channels[0]!.text, `no end\n${EXITED}`);
  });

  it('say that the container was removed, and stay', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.container.write('one\n');
    lab.container.write('no end');
    lab.container.remove();
    await lab.channels[0]!.endsWith(REMOVED);
    assert.equal(lab.channels[0]!.text, `one\nno end\n${REMOVED}`);
    assert.deepEqual(lab.channels[0]!.calls, ['show(true)']);
  });

  it('take no removal that is on its way for a failure', async () => {
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

  it('say that a container that had ended was removed', async () => {
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
    it(`go on after a break, and say so once: ${behaviour}`, async () => {
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
      it(`go on after a break where the clock was set back ${back} ms, ${count} lines ago: ${behaviour}`, async () => {
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
    it(`say that lines are missing where the engine discarded them meanwhile: ${behaviour}`, async () => {
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

    it(`say nothing where what it discarded had been read: ${behaviour}`, async () => {
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
      // What an engine writes with whole seconds is told by their number alone.
      if (behaviour !== 'podman4') assert.equal(lab.channels[0]!.text, `one\ntwo\nthree\nfour\n`);
    });
  }

  it('say a second break, too, and wait shortly again', async () => {
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

  it('say nothing where a proxy cuts them while they are silent, and go on', async () => {
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
    // At once the first time, then with patience: a proxy may cut again and again.
    assert.deepEqual(lab.pauses, [250, 500, 1000, 2000, 4000]);
  });

  for (const status of [401, 403, 409, 500, 503])
    it(`try again where they are refused once with ${status}`, async () => {
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
      const refused = '[The log cannot be read on: not now]\n';
      assert.equal(lab.channels[0]!.text, `one\n${refused}two\n`);
    });

  it('are asked for once a minute at most while they are refused, and say so once', async () => {
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
    assert.equal(lab.channels[0]!.text, '[The log cannot be read on: not now]\n');
  });

  it('wait for a change where the log driver cannot be read', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.engine.answer((request, response) => {
      if (request.path.endsWith('/json')) return lab.container.answer(request, response);
      json(response, 501, { message: 'does not support reading' });
    });
    lab.container.endLogs();
    await lab.channels[0]!.endsWith('[The log cannot be read on: does not support reading]\n');
    const before = [lab.pauses.length, lab.logRequests()];
    await new Promise(setImmediate);
    assert.deepEqual([lab.pauses.length, lab.logRequests()], before);
    lab.engine.answer(lab.container.answer);
    lab.container.write('back\n');
    lab.changed();
    await lab.channels[0]!.endsWith('back\n');
  });

  it("say the engine's own words where it cannot read the log", async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    lab.engine.answer((request, response) => {
      if (request.path.endsWith('/json')) return lab.container.answer(request, response);
      json(response, 500, { message: 'disk is gone' });
    });
    lab.container.endLogs();
    await lab.channels[0]!.endsWith('[The log cannot be read on: disk is gone]\n');
    lab.engine.answer(lab.container.answer);
    lab.container.write('back\n');
    lab.changed();
    await lab.channels[0]!.endsWith('back\n');
    assert.equal(lab.channels[0]!.text, '[The log cannot be read on: disk is gone]\nback\n');
  });
});
