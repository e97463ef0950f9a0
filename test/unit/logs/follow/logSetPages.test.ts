import assert from 'node:assert/strict';
import { seen } from '../../support/logLab.ts';
import { IDS, LogSetLab, writeInTurn } from './support/logSetLab.ts';

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

  it('are paged backwards also if that is requested before a slow log is open', async () => {
    const container = lab.make(IDS[0]!, 'web');
    container.start();
    const expected = writeInTurn([container], 0, 40);
    const [list, answer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
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
