import assert from 'node:assert/strict';
import { diskUseCommand } from '../../../../src/commands/system/diskUseCommand.ts';
import { image } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

describe('commands/diskUseCommand', () => {
  let lab: CommandLab;
  let layers: number;
  let used: readonly string[];
  const [one, two] = [image('a'), image('b')];
  beforeEach(async () => {
    [layers, used] = [3_000_000, [one.id]];
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
    assert.deepEqual(lab.ui.of('info')[0]?.buttons, ['Prune Images...']);
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
