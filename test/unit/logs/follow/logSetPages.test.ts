import assert from 'node:assert/strict';
import type { LogSet } from '../../../../src/logs/follow/logSet.ts';
import { json } from '../../support/fakeEngine.ts';
import { seen } from '../../support/logLab.ts';
import { IDS, LogSetLab, writeInTurn, writeUnevenly } from './support/logSetLab.ts';

describe('the merged logs of several containers', () => {
  let lab: LogSetLab;
  beforeEach(async () => {
    lab = await LogSetLab.open();
  });
  afterEach(() => lab.close());

  it('are paged backwards without doubled or missing lines', async () => {
    const expected = writeInTurn(lab.threeInStep(), 0, 400);
    const opened = await lab.open({ ids: IDS.slice(0, 3) }, 5);
    assert.deepEqual(lab.said, expected.slice(-15));
    let lines = lab.said;
    for (let isStart = false; !isStart;) {
      const page = await opened.older(70, new AbortController().signal);
      const { lines: older, horizon } = page;
      if (older.length > 0) assert.equal(horizon, older[0]?.line.timestamp);
      lines = [...older.map(({ member, line }) => `${member} ${line.text}`), ...lines];
      ({ isStart } = page);
    }
    assert.deepEqual(lines, expected);
  });

  it('lose no line when a page request is aborted', async () => {
    const expected = writeInTurn(lab.threeInStep(), 0, 400);
    const opened = await lab.open({ ids: IDS.slice(0, 3) }, 5);
    const controller = new AbortController();
    const page = opened.older(600, controller.signal);
    await seen(() => lab.engine.seen.filter(({ query }) => query.has('until')).length > 0);
    controller.abort();
    await assert.rejects(page);
    const { lines } = await opened.older(60, new AbortController().signal);
    const older = lines.map(({ member, line }) => `${member} ${line.text}`);
    assert.deepEqual([...older, ...lab.said], expected.slice(-75));
  });

  it('begin at the same time and are paged backwards in order, however differently they are filled', async () => {
    const expected = writeUnevenly(lab.twoStarted(), 40);
    const opened = await lab.open({ ids: IDS.slice(0, 2) }, 5);
    assert.deepEqual(lab.said, expected.slice(-5));
    assert.deepEqual([...(await olderLines(opened)), ...lab.said], expected);
  });

  it('lose no line that was read but not shown when a page request is aborted', async () => {
    const expected = writeUnevenly(lab.twoStarted(), 40);
    const opened = await lab.open({ ids: IDS.slice(0, 2) }, 5);
    const controller = new AbortController();
    const page = opened.older(600, controller.signal);
    await seen(() => lab.engine.seen.some(({ query }) => query.has('until')));
    controller.abort();
    await assert.rejects(page);
    assert.deepEqual([...(await olderLines(opened)), ...lab.said], expected);
  });

  it('are paged backwards in order also if that is requested while they are opened', async () => {
    const expected = writeUnevenly(lab.twoStarted(), 40);
    const opening = lab.open({ ids: IDS.slice(0, 2) }, 5);
    const first = lab.set!.older(70, new AbortController().signal);
    const opened = await opening;
    const older = (await first).lines.map(({ member, line }) => `${member} ${line.text}`);
    assert.deepEqual([...(await olderLines(opened)), ...older, ...lab.said], expected);
  });

  it('show the end of a log whose clock was set back before it', async () => {
    const [web, quiet] = lab.twoStarted();
    writeInTurn([web], 0, 10);
    web.wait(-3_600_000_000_000n);
    const lines = writeInTurn([web], 10, 15);
    quiet.write('early\n');
    const opened = await lab.open({ ids: IDS.slice(0, 2) }, 5);
    assert.deepEqual(lab.said, lines);
    assert.ok((await olderLines(opened)).includes('1 early'));
  });

  it('have the exit of a container from before they begin among their older lines', async () => {
    const [job, busy] = lab.twoStarted();
    job.write('done\n');
    job.exit(3);
    busy.wait(1_000_000_000n);
    const lines = writeInTurn([busy], 0, 40).map((one) => one.replace(/^0/, '1'));
    const opened = await lab.open({ ids: IDS.slice(0, 2) }, 5);
    assert.deepEqual(lab.said, lines.slice(-5));
    const page = await opened.older(100, new AbortController().signal);
    assert.deepEqual(
      page.lines.map(({ member, line }) => `${member} ${line.text}`),
      ['0 done', '0 The container exited with code 3.', ...lines.slice(0, -5)],
    );
    assert.deepEqual(
      page.lines.slice(0, 2).map(({ line }) => line.source),
      ['stdout', 'marker'],
    );
    assert.equal(page.isStart, true);
  });

  it('are paged backwards also if that is requested before a slow log is open', async () => {
    const container = lab.make(IDS[0]!, 'web');
    container.start();
    const expected = writeInTurn([container], 0, 40);
    const list = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<undefined>();
    lab.engine.answer(async (request, response) => {
      await answer.promise;
      return container.answer(request, response);
    });
    const opening = lab.open({ ids: [IDS[0]!] }, 5, () => list.promise);
    const { signal } = new AbortController();
    const first = lab.set!.older(10, signal);
    list.resolve(undefined);
    await seen(() => lab.engine.seen.some(({ path }) => path.endsWith('/json')));
    const second = lab.set!.older(10, signal);
    answer.resolve(undefined);
    await opening;
    const older = [...(await second).lines, ...(await first).lines];
    const texts = older.map(({ member, line }) => `${member} ${line.text}`);
    assert.deepEqual([...texts, ...lab.said], expected.slice(-25));
  });

  it('are paged backwards also if the engine was lost when they were opened', async () => {
    const container = lab.make(IDS[0]!, 'web');
    container.start();
    const expected = writeInTurn([container], 0, 40);
    lab.engine.answer((_, response) => {
      response.destroy();
    });
    const opened = await lab.open({ ids: [IDS[0]!] }, 5);
    assert.equal(lab.caughtUp, 1);
    const answer = Promise.withResolvers<undefined>();
    lab.engine.answer(async (request, response) => {
      await answer.promise;
      return container.answer(request, response);
    });
    const before = lab.engine.seen.length;
    await seen(() => lab.engine.seen.length > before);
    const page = opened.older(10, new AbortController().signal);
    answer.resolve(undefined);
    const older = (await page).lines.map(({ member, line }) => `${member} ${line.text}`);
    await seen(() => lab.said.includes('0 39'));
    const [lost, ...lines] = lab.said;
    assert.match(lost ?? '', /Connection to the engine lost/);
    assert.deepEqual([...older, ...lines], expected.slice(-15));
  });

  it('are at the start if the engine keeps no log, however it refuses to read it', async () => {
    lab.make(IDS[0]!, 'web');
    lab.engine.answer(({ path }, response) => {
      const State = { Status: 'running', Running: true };
      const HostConfig = { LogConfig: { Type: 'none' } };
      if (path.endsWith('/json')) json(response, 200, { Id: IDS[0], State, HostConfig });
      else json(response, 500, { message: 'this container is not logging output' });
    });
    const opened = await lab.open({ ids: [IDS[0]!] }, 5);
    const { lines, isStart } = await opened.older(10, new AbortController().signal);
    assert.deepEqual([lines, isStart], [[], true]);
    assert.match(lab.said.join('\n'), /^0 \[Cannot .* this container is not logging output\]$/);
  });

  it('are paged backwards after one container was removed', async () => {
    const containers = lab.threeInStep();
    writeInTurn(containers, 0, 200);
    const opened = await lab.open({ ids: IDS.slice(0, 3) }, 5);
    containers[1]!.remove();
    lab.changed(IDS[1]!);
    await seen(() => opened.members[1]?.isOver === true);
    const { lines, isStart } = await opened.older(1000, new AbortController().signal);
    assert.equal(isStart, true);
    assert.equal(lines.filter(({ member }) => member === 0).length, 195);
    assert.equal(lines.filter(({ member }) => member === 2).length, 195);
  });
});

/** Pages to the start of the logs. */
async function olderLines(opened: LogSet): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let isStart = false; !isStart;) {
    const page = await opened.older(70, new AbortController().signal);
    lines.unshift(...page.lines.map(({ member, line }) => `${member} ${line.text}`));
    ({ isStart } = page);
  }
  return lines;
}
