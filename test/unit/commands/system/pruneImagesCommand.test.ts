import assert from 'node:assert/strict';
import { pruneImagesCommand } from '../../../../src/commands/system/pruneImagesCommand.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { check, give, type Answer } from '../../support/scriptedUi.ts';
import { withoutReasons } from './systemLab.ts';

const [DANGLING, TAGGED, USED] = ['a', 'b', 'c'].map((letter) => `sha256:${idOf(letter)}`);
const SHORT = 'aaaaaaaaaaaa';

describe('commands/pruneImagesCommand', () => {
  let lab: CommandLab;
  /** By ID. */
  let images: Map<
    string | undefined,
    { readonly RepoTags: readonly string[]; readonly Size: number }
  >;
  /** The image that the engine does not remove. */
  let refused: string | undefined;
  beforeEach(async () => {
    refused = undefined;
    images = new Map([
      [DANGLING, { RepoTags: [], Size: 3_000_000 }],
      [TAGGED, { RepoTags: ['me/app:1'], Size: 2_000_000 }],
      [USED, { RepoTags: ['me/base:1'], Size: 1_000_000 }],
    ]);
    lab = await openCommandLab(({ method, path }, response) => {
      const all = [...images].map(([Id, one]) => ({ Id, ...one, SharedSize: 0 }));
      const LayersSize = all.reduce((sum, { Size }) => sum + Size, 0);
      const named = /^\/images\/([^/]+)/.exec(decodeURIComponent(path))?.[1];
      if (path === '/images/json') json(response, 200, all);
      else if (path === '/containers/json')
        json(response, 200, [{ Id: idOf('d'), Names: ['/web'], ImageID: USED }]);
      else if (path === '/system/df') json(response, 200, { LayersSize, Images: all });
      else if (method === 'DELETE' && named === refused)
        json(response, 409, { message: 'in use by a build' });
      else if (method === 'DELETE')
        json(response, 200, [{ Deleted: images.delete(named) && named }]);
      else
        json(
          response,
          200,
          all.find(({ Id }) => Id === named),
        );
    });
  });
  afterEach(() => lab.close());

  const prune = async (...answers: readonly Answer[]) => {
    lab.ui.act(...answers);
    return withoutReasons(await lab.run(pruneImagesCommand()));
  };

  it('lists unused images and the reclaimed size, with dangling images checked', async () => {
    await prune();
    const [shown] = lab.ui.of('pickMany');
    assert.equal(shown?.text, 'Prune Images: 1 of 2. Reclaims 3.0 MB.');
    assert.deepEqual(
      shown.items?.map(({ label, heading }) => [label, heading]),
      [
        [SHORT, 'dangling'],
        ['me/app:1', 'unused'],
      ],
    );
    assert.equal(images.size, 3);
  });

  it('names every tag in the list and in the question, because they are removed, too', async () => {
    images.set(TAGGED, { RepoTags: ['me/app:1', 'app:latest'], Size: 2_000_000 });
    await prune(check('me/app:1, app:latest'), give(undefined));
    const [asked] = lab.ui.of('confirm');
    assert.equal(asked?.text, 'Remove 1 image with 2 tags?');
    assert.match(asked.detail ?? '', /^me\/app:1, app:latest$/m);
    await prune(check(SHORT, 'me/app:1, app:latest'), give(undefined));
    assert.equal(lab.ui.of('confirm').at(-1)?.text, 'Remove 2 images?');
  });

  it('names the engine if there are several', async () => {
    Object.assign(lab.context, { titleOf: (name: string) => `${name} (Docker)` });
    await prune(check(SHORT), give(undefined));
    assert.match(lab.ui.of('confirm')[0]?.detail ?? '', /^Engine: Docker\.$/m);
  });

  it('removes exactly the checked images after the user confirms', async () => {
    const removed = [DANGLING];
    assert.deepEqual(await prune(check(SHORT), give('Remove')), {
      ...{ removed, kept: [], freed: 3_000_000 },
    });
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, `Remove ${SHORT}?`);
    assert.match(question.detail ?? '', /^Reclaims 3\.0 MB\./);
    assert.deepEqual([...images.keys()], [TAGGED, USED]);
    assert.equal(lab.ui.of('info').at(-1)?.text, 'Removed 1 of 1 items. Reclaimed 3.0 MB.');
  });

  it('reports which image is kept and why, and ends the activity', async () => {
    refused = TAGGED;
    const expected = { removed: [DANGLING], kept: [TAGGED], freed: 3_000_000 };
    assert.deepEqual(await prune(check(SHORT, 'me/app:1'), give('Remove')), expected);
    assert.equal(
      lab.ui.of('warn').at(-1)?.text,
      'Removed 1 of 2 items. Reclaimed 3.0 MB. me/app:1: in use by a build',
    );
    for (const id of images.keys()) assert.equal(lab.context.activity.verbOf(id ?? ''), undefined);
  });

  it('returns what would be removed for a dry run, and removes it otherwise', async () => {
    lab.register([pruneImagesCommand()]);
    const pruneWith = async (args: object) =>
      withoutReasons(await lab.handlerOf('gantry.images.prune')(args));
    const both = { removed: [DANGLING, TAGGED], kept: [], freed: 5_000_000 };
    const one = { removed: [DANGLING], kept: [], freed: 3_000_000 };
    assert.deepEqual(await pruneWith({ all: true, dryRun: true }), both);
    assert.deepEqual(await pruneWith({ dryRun: true }), one);
    assert.equal(images.size, 3);
    assert.deepEqual(await pruneWith({}), one);
    assert.deepEqual([...images.keys()], [TAGGED, USED]);
  });

  it('removes nothing if the user checks nothing, or does not confirm', async () => {
    assert.equal(await prune(check()), undefined);
    assert.deepEqual(lab.ui.of('confirm'), []);
    assert.equal(await prune(check('me/app:1')), undefined);
    assert.equal(images.size, 3);
    assert.deepEqual(lab.ui.of('info'), []);
  });

  it('shows a message if a container uses every image', async () => {
    images = new Map([[USED, { RepoTags: ['me/base:1'], Size: 1 }]]);
    await prune();
    assert.equal(lab.ui.shown.at(-1)?.text, 'No unused images found.');
  });
});
