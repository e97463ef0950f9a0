import assert from 'node:assert/strict';
import { seen } from '../../support/logLab.ts';
import { idOf, LogSetLab } from './support/logSetLab.ts';

describe('the merged logs of many containers', () => {
  let lab: LogSetLab;
  beforeEach(async () => {
    lab = await LogSetLab.open();
  });
  afterEach(() => lab.close());

  it('keep nothing but some names of many removed containers', async function () {
    this.timeout(30_000);
    const limits = { gone: 60, numbers: 4096 };
    const opened = await lab.open({ ids: [], project: 'shop' }, 100, undefined, limits);
    const pass = async (from: number, to: number): Promise<void> => {
      for (let number = from; number < to; number += 40) {
        const numbers = Array.from({ length: Math.min(40, to - number) }, (_, at) => number + at);
        await lab.come(numbers);
        await lab.go(numbers);
        lab.said.length = 0;
        (lab.engine.seen as unknown[]).length = 0;
      }
    };
    await pass(0, 80);
    const before = lab.logsInMemory();
    assert.ok(before >= 60);
    await pass(80, 200);
    assert.equal(lab.listeners, 1);
    assert.equal(opened.members.length, 60);
    const after = lab.logsInMemory();
    assert.ok(after <= before, `${after} logs, ${before} before`);
  });

  it('reuse the number of a removed member, and assign no number twice', async () => {
    const limits = { gone: 100, numbers: 200 };
    const opened = await lab.open({ ids: [], project: 'shop' }, 100, undefined, limits);
    await lab.come([0]);
    // They are gone before they are inspected, so none of them stays.
    for (let number = 1; number < 240; number++) {
      lab.make(idOf(number), `run-${number}`);
      lab.there.delete(idOf(number));
      lab.changed(idOf(number));
      if (number % 40 === 0)
        await seen(() => opened.members.filter(({ isOver }) => !isOver).length === 1);
    }
    await lab.come([5000]);
    const indexes = opened.members.map(({ index }) => index);
    assert.equal(new Set(indexes).size, indexes.length);
    assert.ok(Math.max(...indexes) < 200);
    assert.equal(indexes[0], 0);
  });

  it('report that the limit is reached, and follow the waiting containers when there is room', async () => {
    for (let number = 0; number < 52; number++)
      lab.make(idOf(number), `run-${number + 10}`).start();
    const opened = await lab.open({ ids: [], project: 'shop' });
    const full = 'Only 50 containers are followed at a time. Waiting: 2.';
    assert.deepEqual(lab.said, [`49 [${full}]`]);
    assert.equal(opened.members.length, 50);
    for (const number of [50, 51]) lab.there.get(idOf(number))!.write(`line of ${number}\n`);
    await lab.go([3]);
    await seen(() => lab.said.includes('50 line of 50'));
    await lab.go([4, 5]);
    await seen(() => lab.said.includes('51 line of 51'));
    assert.deepEqual(
      opened.members.filter(({ isOver }) => isOver).map(({ name }) => name),
      ['run-13', 'run-14', 'run-15'],
    );
  });

  it('keep waiting for room while the engine is disconnected, except for containers removed in the meantime', async () => {
    const ids = Array.from({ length: 52 }, (_, number) => idOf(number));
    for (const [number, id] of ids.entries()) {
      const container = lab.make(id, `run-${number + 10}`);
      container.start();
      for (const place of ['first', 'last']) container.write(`${place} of ${number}\n`);
    }
    const opened = await lab.open({ ids }, 1);
    const before = new Map(lab.listed);
    lab.listed.clear();
    lab.areAllKnown = false;
    lab.changes.fire({ containers: new Set(ids), phase: true });
    before.delete(idOf(50));
    lab.listed = before;
    lab.changes.fire({ containers: new Set(before.keys()) });
    lab.areAllKnown = true;
    lab.changes.fire({ containers: new Set(), phase: true });
    lab.said.length = 0;
    await lab.go([3, 4]);
    await seen(() => opened.members.length > 50 && lab.said.some((one) => one.startsWith('50 ')));
    assert.deepEqual(
      lab.said.filter((one) => one.startsWith('50 ')),
      ['50 last of 51'],
    );
    assert.equal(opened.members.length, 51);
  });

  it('do not wait for a container that is removed in the meantime', async () => {
    for (let number = 0; number < 51; number++)
      lab.make(idOf(number), `run-${number + 10}`).start();
    const opened = await lab.open({ ids: [], project: 'shop' });
    lab.listed.delete(idOf(50));
    lab.changed(idOf(50));
    await lab.go([3]);
    assert.equal(opened.members.length, 50);
  });
});
