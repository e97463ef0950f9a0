import assert from 'node:assert/strict';
import { seen } from '../../support/logLab.ts';
import { IDS, LogSetLab, writeInTurn } from './support/logSetLab.ts';

describe('the merged logs of several containers', () => {
  let lab: LogSetLab;
  beforeEach(async () => {
    lab = await LogSetLab.open();
  });
  afterEach(() => lab.close());

  it('begin with the ends of all logs, merged by time, and then call caughtUp', async () => {
    const expected = writeInTurn(lab.threeInStep(), 0, 40);
    await lab.open({ ids: IDS.slice(0, 3) });
    assert.deepEqual(lab.said, expected);
    assert.equal(lab.caughtUp, 1);
  });

  it('continue with every line, each log in order', async () => {
    const containers = lab.threeInStep();
    await lab.open({ ids: IDS.slice(0, 3) });
    writeInTurn(containers, 0, 500);
    await seen(() => lab.said.length === 1500);
    for (const index of [0, 1, 2])
      assert.deepEqual(
        lab.said.filter((one) => one.startsWith(`${index} `)),
        Array.from({ length: 500 }, (_, line) => `${index} ${line}`),
      );
  });

  it('include later containers of a project from their first line', async () => {
    lab.make(IDS[0]!, 'web').start();
    lab.make(IDS[1]!, 'other', 'elsewhere').start();
    const opened = await lab.open({ ids: [], project: 'shop' });
    assert.deepEqual(
      opened.members.map(({ name, service }) => [name, service]),
      [['web', 'web']],
    );
    const replica = lab.make(IDS[2]!, 'web-2');
    replica.start();
    replica.write('first\n');
    lab.changed(IDS[2]!);
    lab.changed(IDS[1]!);
    await seen(() => lab.said.length === 1);
    assert.deepEqual(lab.said, ['1 first']);
    assert.equal(opened.members.length, 2);
  });

  it('treat a container that comes before the list is complete as existing, not as new', async () => {
    const web = lab.make(IDS[0]!, 'web');
    web.start();
    for (const line of [1, 2, 3]) web.write(`${line}\n`);
    const late = [...lab.listed];
    lab.listed.clear();
    await lab.open({ ids: [], project: 'shop' }, 1, async () => {
      await new Promise(setImmediate);
      lab.listed = new Map(late);
      lab.changed(IDS[0]!);
    });
    assert.deepEqual(lab.said, ['0 3']);
  });

  it('follow no container if they are disposed before the list is complete', async () => {
    lab.make(IDS[0]!, 'web').start();
    await lab.open({ ids: [IDS[0]!] }, 1, async () => {
      await new Promise(setImmediate);
      lab.set?.dispose();
    });
    assert.deepEqual([lab.engine.seen.length, lab.listeners, lab.caughtUp], [0, 0, 0]);
    assert.deepEqual(lab.set?.members, []);
  });

  it('report once that the engine is lost, and again after its return', async () => {
    const containers = lab.twoStarted();
    await lab.open({ ids: IDS.slice(0, 2) });
    const lost = () => lab.said.filter((one) => one.includes('Connection to the engine lost'));
    for (const times of [1, 2]) {
      const before = lab.engine.seen.length;
      lab.engine.answer((_, response) => {
        response.destroy();
      });
      lab.engine.cut();
      await seen(() => lab.engine.seen.length > before + 20);
      lab.engine.answer((request, response) =>
        lab.there.get(request.path.split('/')[2] ?? '')?.answer(request, response),
      );
      lab.changes.fire({ containers: new Set(), phase: true });
      for (const container of containers) container.write(`${times}\n`);
      // A marker of a member comes before its line.
      await seen(() => [0, 1].every((index) => lab.said.includes(`${index} ${times}`)));
      assert.equal(lost().length, times);
      await seen(() => containers.every(({ followers }) => followers === 1));
    }
  });

  it('show how a service is recreated', async () => {
    const old = lab.make(IDS[0]!, 'web');
    old.start();
    old.write('old\n');
    const opened = await lab.open({ ids: [], project: 'shop' });
    old.exit(3);
    await seen(() => lab.said.length === 2);
    old.remove();
    lab.listed.delete(IDS[0]!);
    lab.changed(IDS[0]!);
    await seen(() => lab.said.length === 3);
    const young = lab.make(IDS[1]!, 'web');
    lab.changed(IDS[1]!);
    await seen(() => lab.engine.seen.some(({ path }) => path.includes(IDS[1]!)));
    young.start();
    young.write('new\n');
    lab.changed(IDS[1]!);
    await seen(() => lab.said.includes('1 new'));
    assert.deepEqual(
      lab.said.filter((one) => !one.includes('was started')),
      ['0 old', '0 [The container exited with code 3.]', '0 [The container was removed.]', '1 new'],
    );
    assert.deepEqual(
      opened.members.map(({ isOver }) => isOver),
      [true, false],
    );
  });

  it('are not blocked by a log that cannot be read', async () => {
    lab.make(IDS[0]!, 'web').start();
    lab.there.get(IDS[0]!)!.write('here\n');
    const opened = await lab.open({ ids: [IDS[1]!, IDS[0]!] });
    assert.deepEqual(lab.said.sort(), ['0 [The container was removed.]', '1 here']);
    const { isStart } = await opened.older(10, new AbortController().signal);
    assert.equal(isStart, true);
  });

  describe('of a project whose containers were re-created since its IDs were stored', () => {
    const selection = { ids: [IDS[0]!], project: 'shop' };

    it('are those of its current containers', async () => {
      const web = lab.make(IDS[1]!, 'web');
      web.start();
      web.write('here\n');
      const opened = await lab.open(selection);
      assert.deepEqual(lab.said, ['0 here']);
      assert.deepEqual(
        opened.members.map(({ name }) => name),
        ['web'],
      );
    });

    it('are requested by the stored IDs while the containers are not listed', async () => {
      lab.areAllKnown = false;
      lab.make(IDS[0]!, 'web').start();
      lab.there.get(IDS[0]!)!.write('here\n');
      lab.listed.clear();
      await lab.open(selection);
      assert.deepEqual(lab.said, ['0 here']);
    });
  });

  it('write nothing after they are disposed', async () => {
    const containers = lab.threeInStep();
    const opened = await lab.open({ ids: IDS.slice(0, 3) });
    writeInTurn(containers, 0, 5);
    opened.dispose();
    const before = lab.said.length;
    writeInTurn(containers, 5, 10);
    await new Promise(setImmediate);
    assert.equal(lab.said.length, before);
  });
});
