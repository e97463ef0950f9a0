import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitCommand } from '../../../../src/commands/review/commitCommand.ts';
import type { Review } from '../../../../src/review/review.ts';
import type { ReviewController } from '../../../../src/review/reviewController.ts';
import { container, image } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { ENTER, ESCAPE, give, pick, type } from '../../support/scriptedUi.ts';

const SECRET = 'never-to-be-seen';

describe('committing a container', () => {
  const web = container('a', { name: 'web' });
  const made = image('b').id;
  let lab: CommandLab;
  let reviewed: Review | undefined;
  let reviews: ReviewController;
  /** The image that has the tag of each name; undefined if there is none. */
  let taken: object | undefined;
  beforeEach(async () => {
    taken = undefined;
    lab = await openCommandLab(({ path }, response) => {
      if (path === '/commit') json(response, 201, { Id: made });
      else if (path === '/images/json') json(response, 200, []);
      else if (path.startsWith('/images/'))
        json(response, taken ? 200 : 404, taken ?? { message: 'no such image' });
      else if (path.endsWith('/changes')) {
        const changes = [
          { Path: '/srv/new.txt', Kind: 1 },
          { Path: '/bin/vi', Kind: 2 },
        ];
        json(response, 200, changes);
      } else json(response, 200, { Id: web.id, Name: '/web', Image: made, Config: {} });
    });
    reviewed = undefined;
    reviews = {
      owner: 'test',
      drafts: new Map(),
      focus: () => Promise.resolve(),
      show: (loaded: Review) => (reviewed = loaded),
    } as unknown as ReviewController;
    lab.list([web], [image('f', { tags: ['me/taken:1', 'me/taken:2'] })]);
  });
  afterEach(() => lab.close());

  const commit = (): Promise<unknown> => lab.run(commitCommand(reviews), containerRow(web));
  const sent = () => lab.engine.seen.findLast(({ path }) => path === '/commit');

  it('creates an image after a name and Enter, and reveals it', async () => {
    lab.ui.act(give('me/app:2'), ENTER);
    assert.deepEqual(await commit(), { imageId: made });
    assert.equal(sent()?.query.get('repo'), 'me/app');
    assert.equal(sent()?.query.get('tag'), '2');
    assert.deepEqual(lab.revealed, ['me/app:2']);
    const kinds = lab.ui.shown.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['input', 'pick', 'progress']);
  });

  it('says that the author comes from Git and is stored in the image', async () => {
    const home = mkdtempSync(join(tmpdir(), 'gantry-home-'));
    writeFileSync(join(home, '.gitconfig'), '[user]\n name = Jo\n email = jo@example.org\n');
    const { HOME } = process.env;
    process.env['HOME'] = home;
    try {
      lab.ui.act(give('me/app:2'), ESCAPE);
      await commit();
    } finally {
      process.env['HOME'] = HOME;
      rmSync(home, { recursive: true });
    }
    const author = lab.ui
      .of('pick')
      .at(-1)
      ?.items?.find(({ label }) => label === 'Author');
    assert.equal(author?.description, 'Jo <jo@example.org> (from Git, stored in the image)');
  });

  it('offers the review in the form, and keeps the values for after it', async () => {
    const review = 'Review what the image will contain: 1 added, 1 deleted';
    lab.ui.act(give('me/app:2'), pick('Message'), give('a reviewed one'), pick(review));
    assert.equal(await commit(), undefined);
    assert.equal(reviewed?.subject.id, web.id);
    assert.equal(sent(), undefined);
    lab.ui.act(pick('Commit'));
    await commit();
    assert.equal(sent()?.query.get('repo'), 'me/app');
    assert.equal(sent()?.query.get('comment'), 'a reviewed one');
  });

  it('warns while the user types a tag that is taken', async () => {
    lab.ui.act(ESCAPE);
    await commit();
    const [box] = lab.ui.of('input');
    assert.equal(box?.text, 'Commit web: Image');
    assert.match(box.input?.warning?.('me/taken:1') ?? '', /^Moves the tag from f{12}$/);
    assert.equal(box.input?.warning?.('me/free:1'), undefined);
  });

  it('asks before it moves a tag while the images are not listed and the form cannot warn', async () => {
    taken = { Id: image('f').id, RepoTags: ['me/app:1'] };
    const { phase } = lab.inventory;
    assert(phase.kind === 'live');
    lab.inventory.replaceImages([], { ...phase, images: 'awaited' });
    lab.ui.act(give('me/app:1'), ENTER, ESCAPE);
    assert.equal(await commit(), undefined);
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Move the tag me/app:1?');
    assert.equal(question.detail, 'Moves the only tag from ffffffffffff, which becomes dangling.');
    assert.equal(sent(), undefined);
    lab.ui.act(ENTER, give('Move Tag'));
    assert.deepEqual(await commit(), { imageId: made });
    taken = undefined;
    lab.ui.act(give('me/app:2'), ENTER);
    assert.deepEqual(await commit(), { imageId: made });
    assert.equal(lab.ui.of('confirm').length, 2);
  });

  it('offers instructions to complete, and shows what is wrong with one', async () => {
    const instruction = 'EXPOSE 8080/tcp';
    lab.ui.act(give('me/app:2'), pick('Changes'), pick(instruction), ENTER, pick('Done'));
    lab.ui.act(pick('Commit'));
    await commit();
    const { input } = lab.ui.of('input').at(-1) ?? assert.fail();
    assert.equal(input?.value, instruction);
    assert.match(input.problem?.('EXPOSE http') ?? '', /"http" is not a port/);
    assert.deepEqual(sent()?.query.getAll('changes'), [instruction]);
  });

  it('rejects an invalid argument before any request', async () => {
    const bad: [fields: object, sentence: RegExp][] = [
      [{ repository: 'UPPER/Case' }, /must be lowercase/],
      [{ repository: 'f'.repeat(64) }, /image ID/],
      [{ tag: 'a b' }, /not a tag/],
      [{ changes: ['RUN make'] }, /"RUN" is not supported/],
      [{ changes: 'ENV A=1' }, /"changes" must be an array of strings/],
    ];
    for (const [fields, sentence] of bad) {
      const call = lab.call(commitCommand(reviews), { id: 'web', repository: 'a', ...fields });
      await assert.rejects(call, sentence);
    }
    assert.deepEqual(lab.engine.seen, []);
  });

  it('logs no secret of an instruction', async () => {
    lab.ui.act(give('me/app:2'), pick('Changes'), type(`ENV TOKEN=${SECRET}`), pick('Done'));
    lab.ui.act(pick('Commit'));
    await commit();
    assert.deepEqual(sent()?.query.getAll('changes'), [`ENV TOKEN=${SECRET}`]);
    assert.ok(!JSON.stringify(lab.records).includes(SECRET));
    const logged = lab.records.find(({ method }) => method === 'POST');
    assert.match(logged?.path ?? '', /^\/v[\d.]+\/commit\?.*repo=me\/app.*changes=…/);
    assert.equal(logged?.outcome, 201);
  });
});
