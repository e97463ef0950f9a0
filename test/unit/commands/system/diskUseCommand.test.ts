import assert from 'node:assert/strict';
import {
  diskUseCommand,
  systemDiskUseCommand,
} from '../../../../src/commands/system/diskUseCommand.ts';
import type { KindUse } from '../../../../src/engine/system/cleanupKinds.ts';
import { image } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { pick } from '../../support/scriptedUi.ts';
import { openSystemLab, type SystemLab } from './systemLab.ts';

describe('commands/diskUseCommand', () => {
  let lab: CommandLab;
  let layers: number;
  let used: readonly string[];
  const one = image('a');
  const two = image('b');
  beforeEach(async () => {
    layers = 3_000_000;
    used = [one.id];
    const images = [one, two].map(({ id: Id, tags: RepoTags }) => ({ Id, RepoTags, Size: 2e6 }));
    const measured = images.map((each) => ({ ...each, SharedSize: 1e6 }));
    lab = await openCommandLab(({ path }, response) => {
      if (path === '/system/df') json(response, 200, { LayersSize: layers, Images: measured });
      else if (path === '/images/json') json(response, 200, images);
      else
        json(
          response,
          200,
          used.map((ImageID) => ({ Id: 'c'.repeat(64), ImageID })),
        );
    });
  });
  afterEach(() => lab.close());

  const run = () => lab.run(diskUseCommand(lab.ui));
  const said = () => lab.ui.of('info').map(({ text }) => text);

  it('reports the size of the images, and how much of it no container uses', async () => {
    const use = (await run()) as { readonly images: number; readonly unused: object };
    const { images, unused } = use;
    assert.deepEqual(use, { images, size: layers, isExact: true, unused });
    assert.equal(images, 2);
    const [text = ''] = said();
    assert.match(text, /^Disk usage of 2 images: [\d.]+ MB\. Unused images: 1\. \S/);
    assert.deepEqual(lab.ui.of('info')[0]?.buttons, ['Clean Up...']);
    const opened: unknown[] = [];
    Object.assign(lab.context, { openCleanUp: (only: unknown) => opened.push(only) });
    await lab.ui.of('info')[0]?.press?.('Clean Up...');
    assert.deepEqual(opened, ['images']);
  });

  it('does not mention unused images if there are none', async () => {
    used = [one.id, two.id];
    await run();
    assert.match(said()[0] ?? '', /^Disk usage of 2 images: [\d.]+ MB\.$/);
  });

  it('reports the maximum size if the engine does not know what images share', async () => {
    layers = 0;
    const use = await lab.call(diskUseCommand(lab.ui), {});
    const { size, isExact } = use as { readonly size: number; readonly isExact: boolean };
    assert.deepEqual([size, isExact], [4e6, false]);
    assert.deepEqual(lab.ui.shown, []);
    await run();
    assert.match(said()[0] ?? '', /^Disk usage of 2 images: at most [\d.]+ MB\./);
  });
});

describe('commands/systemDiskUseCommand', () => {
  let lab: SystemLab;
  beforeEach(async () => {
    lab = await openSystemLab();
  });
  afterEach(() => lab.close());

  it('reports the number, the size and the unused part of each kind, with one measurement', async () => {
    assert.deepEqual(await lab.call(systemDiskUseCommand(lab.ui), {}), [
      { kind: 'images', count: 4, size: 15_000, reclaimable: 2700 },
      { kind: 'containers', count: 3, size: 120, reclaimable: 20 },
      { kind: 'volumes', count: 5, size: 250, reclaimable: 100 },
      { kind: 'buildCache', count: 4, size: 24, reclaimable: 15 },
    ]);
    assert.deepEqual(lab.ui.shown, []);
    assert.equal(lab.engine.seen.filter(({ path }) => path === '/system/df').length, 1);
  });

  it('fails if the engine does not report sizes', async () => {
    lab.before = ({ path }) => (path === '/system/df' ? [500, 'already running'] : undefined);
    await assert.rejects(
      lab.call(systemDiskUseCommand(lab.ui), {}),
      /^Error: Could not get the disk usage: already running/,
    );
  });

  it('says that there may be more if the engine does not know the size of something', async () => {
    // A response without any size.
    lab.before = ({ path }) => (path === '/system/df' ? [200, ''] : undefined);
    const uses = (await lab.call(systemDiskUseCommand(lab.ui), {})) as readonly KindUse[];
    assert.deepEqual(
      uses.map(({ kind, isAtLeast }) => [kind, isAtLeast]),
      [
        ['images', undefined],
        ['containers', true],
        ['volumes', true],
        ['buildCache', undefined],
      ],
    );
    lab.ui.act(pick('Volumes'));
    await lab.run(systemDiskUseCommand(lab.ui));
    const shown = lab.ui.of('pick')[0]?.items?.find(({ label }) => label === 'Volumes');
    assert.equal(shown?.description, '5 · at least 0 B · 0 B reclaimable');
  });

  it('shows a list whose last entry leads to the clean-up page', async () => {
    let opened = 0;
    Object.assign(lab.context, { openCleanUp: () => Promise.resolve(opened++) });
    lab.ui.act(pick('Clean Up...'));
    await lab.run(systemDiskUseCommand(lab.ui));
    const [shown] = lab.ui.of('pick');
    assert.deepEqual(
      shown?.items?.map(({ label, description }) => [label, description]),
      [
        ['Images', '4 · 15 kB · 2.7 kB reclaimable'],
        ['Containers', '3 · 120 B · 20 B reclaimable'],
        ['Volumes', '5 · 250 B · 100 B reclaimable'],
        ['Build cache', '4 · 24 B · 15 B reclaimable'],
        ['Clean Up...', undefined],
      ],
    );
    assert.equal(opened, 1);
    lab.ui.act(pick('Volumes'));
    await lab.run(systemDiskUseCommand(lab.ui));
    assert.deepEqual([opened, lab.removals], [1, []]);
  });
});
