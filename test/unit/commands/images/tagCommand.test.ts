import assert from 'node:assert/strict';
import { tagCommand } from '../../../../src/commands/images/tagCommand.ts';
import { image } from '../../inventory/support/nouns.ts';
import { imageRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { give, type Answer } from '../../support/scriptedUi.ts';

describe('commands/tagCommand', () => {
  let lab: CommandLab;
  const chosen = image('a', { tags: ['me/app:1'] });
  const last = image('b', { tags: ['me/b:1'] });
  const several = image('c', { tags: ['c:1', 'c:2'] });
  beforeEach(async () => {
    lab = await openCommandLab(({ method }, response) => {
      if (method === 'POST') response.writeHead(201).end();
      else json(response, 404, { message: 'no such image' });
    });
    lab.list([], [chosen, last, several]);
  });
  afterEach(() => lab.close());

  const tag = (...answers: readonly Answer[]) => {
    lab.ui.act(...answers);
    return lab.run(tagCommand(), imageRow(chosen));
  };

  it('warns while the user types a tag that another image has', async () => {
    await tag();
    const [shown] = lab.ui.of('input');
    assert.equal(shown?.text, 'Tag me/app:1');
    const { warning, problem, hint } = shown.input ?? {};
    assert.equal(
      warning?.('me/b:1'),
      'Moves the only tag from bbbbbbbbbbbb, which becomes dangling.',
    );
    assert.equal(warning('c:1'), 'Moves the tag from cccccccccccc.');
    assert.equal(warning('me/app:1'), undefined);
    assert.equal(hint?.('me/app:1'), 'The image already has this tag.');
    assert.equal(warning('me/new:1'), undefined);
    assert.notEqual(problem?.('me/new:1:2'), undefined);
    assert.deepEqual(lab.engine.seen, []);
  });

  it('asks the engine whether another image has got the tag since', async () => {
    for (const [name, checked] of [
      ['me/new:2', 'me/new:2'],
      ['me/new', 'me/new:latest'],
    ] as const) {
      await tag(give(name));
      const paths = lab.engine.seen.map(({ path }) => decodeURIComponent(path));
      assert(paths.includes(`/images/docker.io/${checked}/json`), String(paths));
    }
  });

  it('adds a tag to the image', async () => {
    assert.deepEqual(await tag(give('me/new:2')), { outcome: 'tagged' });
    const made = lab.engine.seen.find(({ method }) => method === 'POST');
    assert.equal(decodeURIComponent(made?.path ?? ''), `/images/${chosen.id}/tag`);
    assert.equal(String(made?.query), 'repo=me%2Fnew&tag=2');
  });
});
