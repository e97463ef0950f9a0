import assert from 'node:assert/strict';
import { bed } from '../../bed/env.ts';
import { ask } from '../../bed/http.ts';
import type { Row } from '../../bed/vscode/rows.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

const OPTIONS = { isJourney: true, width: 420 };

describeWindow(`pulls and pushes in the window, on ${KIND}`, OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`pulls-${KIND}/${name}`);

  before(async () => {
    ({ workbench } = window);
    await until(async () => (await workbench.rows('Images')).length > 0, 'the images are listed');
  });

  afterEach(async () => {
    await workbench.quick.cancel();
    await workbench.notices.clear();
  });

  const pull = async (reference: string): Promise<void> => {
    await workbench.quick.run('Gantry Images: Pull...');
    await workbench.quick.asks('Pull Image');
    await workbench.quick.typeText(reference);
    await workbench.quick.accept(reference);
  };

  /** Resolves to the row of a pull or a push, as soon as it fits. */
  const transfer = (verb: string, fits: (row: Row) => boolean = () => true): Promise<Row> =>
    until(
      async () =>
        (await workbench.rows('Images')).find((row) => row.label.startsWith(verb) && fits(row)),
      `a row that begins with ${verb}`,
    );

  const noTransfer = (verb: string): Promise<unknown> =>
    until(
      async () => (await workbench.rows('Images')).every((row) => !row.label.startsWith(verb)),
      `no row that begins with ${verb}`,
    );

  it('shows a pull with each of its layers, and cancels it from its row', async () => {
    const reference = `${bed().slowRegistry}/gantry/layers:1`;
    await lab.forget(reference);
    await pull(reference);
    const words = KIND === 'podman' ? /^\d+ of \d+ layers/ : /^\d+% · [\d.]+ .?B of /;
    const row = await transfer('Pulling', ({ description }) => words.test(description));
    await workbench.toggle(workbench.row(row.label, 'Images'));
    const layer = KIND === 'podman' ? /^(waiting|downloaded)/ : /^downloading \d+% · 1\.5 MB$/;
    await until(async () => {
      const rows = await workbench.rows('Images');
      return rows.some(({ level, description }) => level === 2 && layer.test(description));
    }, 'a layer shows its progress');
    await shot('layers');
    await workbench.inlineAction(workbench.row(row.label, 'Images'), 'Cancel');
    await noTransfer('Pulling');
    await until(
      async () => (await workbench.notices.messages()).length === 0,
      'all messages are cleared',
    );
    const { status } = await ask(lab.socket, 'GET', `/images/${reference}/json`);
    assert.equal(status, 404);
  });
});
