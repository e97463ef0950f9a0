import assert from 'node:assert/strict';
import { engineUi } from '../../../../src/commands/engines/engineUi.ts';
import { removeImageCommand } from '../../../../src/commands/images/removeImageCommand.ts';
import { container, image } from '../../inventory/support/nouns.ts';
import { imageRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { give, type Answer } from '../../support/scriptedUi.ts';

const ONE = 'me/app:1';
const TWO = 'me/app:2';

describe('commands/removeImageCommand', () => {
  let lab: CommandLab;
  const both = image('a', { tags: [ONE, TWO] });
  const user = container('c', { name: 'web', imageId: both.id });
  const other = image('b', { tags: ['other:1'] });
  let isGone: boolean;
  let isUsed: boolean;
  beforeEach(async () => {
    isGone = false;
    isUsed = false;
    lab = await openCommandLab(({ method, path }, response) => {
      if (isGone) json(response, 404, { message: 'no such image' });
      else if (path === '/containers/json')
        json(response, 200, isUsed ? [{ Id: user.id, ImageID: both.id }] : []);
      else if (method === 'DELETE') json(response, 200, [{ Untagged: path }]);
      else {
        const one = decodeURIComponent(path).includes('other') ? other : both;
        json(response, 200, { Id: one.id, RepoTags: one.tags });
      }
    });
  });
  afterEach(() => lab.close());

  const remove = (one: typeof both, ...answers: readonly Answer[]) => {
    lab.ui.act(...answers);
    return lab.run(removeImageCommand(lab.ui), imageRow(one));
  };
  const deletes = () =>
    lab.engine.seen.flatMap(({ method, path, query }) =>
      method === 'DELETE' ? [`${decodeURIComponent(path)}?${String(query)}`] : [],
    );

  it('removes one tag, and reports which tags the image keeps', async () => {
    lab.list([], [both]);
    assert.deepEqual(await remove(both, give('Remove Tag')), { outcome: 'untagged' });
    const [question] = lab.ui.of('choose');
    assert.equal(question?.text, `Remove ${ONE}?`);
    assert.equal(question.detail, `"Remove Tag" removes only the tag. The image keeps ${TWO}.`);
    assert.deepEqual(question.buttons, ['Remove Tag', 'Remove Image']);
    assert.deepEqual(deletes(), ['/images/me/app:1?']);
    assert.deepEqual(lab.ui.of('error'), []);
  });

  it('reports which containers use the image, and what force does, before a tag is removed', async () => {
    const stopped = { ...user, state: 'exited' } as const;
    lab.list([stopped], [both]);
    await remove(both, give('Remove Tag'));
    const [question] = lab.ui.of('choose');
    assert.match(question?.detail ?? '', /^Used by container web\.$/m);
    assert.match(question?.detail ?? '', /^"Force Remove" removes the image\./m);
    assert.deepEqual(question?.buttons, ['Remove Tag', 'Show Containers', 'Force Remove']);
    assert.deepEqual(deletes(), ['/images/me/app:1?']);
  });

  it('reveals the container that uses the image, and removes nothing then', async () => {
    const only = { ...both, tags: [ONE] };
    lab.list([user], [only]);
    assert.equal(await remove(only, give('Show Containers')), undefined);
    const [question] = lab.ui.of('choose');
    assert.equal(question?.text, `${ONE} is in use`);
    assert.deepEqual(question.buttons, ['Show Containers']);
    assert.match(question.detail ?? '', /^Used by container web\./);
    assert.deepEqual(lab.revealed, [user.id]);
    assert.equal(lab.ui.shown.at(-1)?.text, 'gantry.containers.focus');
    assert.deepEqual(deletes(), []);
  });

  it('removes no tag of an image that the question named as kept', async () => {
    lab.list([user], [both, other]);
    isUsed = true;
    const rows = [ONE, TWO].map((tag) => imageRow(both, tag));
    lab.ui.act(give('Remove'));
    await lab.run(removeImageCommand(lab.ui), ...rows, imageRow(other));
    const [question] = lab.ui.of('choose');
    assert.match(
      question?.detail ?? '',
      /^Used by containers, not removed: me\/app:1, me\/app:2\.$/m,
    );
    assert.deepEqual(deletes(), [`/images/${other.id}?`]);
  });

  it('names the engine if there are several', async () => {
    Object.assign(lab.context, { ui: engineUi(lab.ui, () => 'podman') });
    lab.list([], [other]);
    await remove(other, give(undefined));
    assert.match(lab.ui.of('choose')[0]?.detail ?? '', /^Engine: podman\.$/m);
  });

  it('removes all tags of an image for an argument, unless the image is gone', async () => {
    lab.register([removeImageCommand(lab.ui)]);
    const removeAll = (id: string): unknown =>
      lab.handlerOf('gantry.images.remove')({ id, allNames: true });
    lab.list([], [both]);
    assert.deepEqual(await removeAll(both.id), { outcome: 'removed' });
    assert.equal(deletes().length, 2);
    isGone = true;
    assert.deepEqual(await removeAll(both.id), { outcome: 'alreadyGone' });
    assert.equal(deletes().length, 2);
  });

  it('sends nothing for a text that is no name and no ID, or an ID prefix of two', async () => {
    const call = (id: string) => lab.call(removeImageCommand(lab.ui), { id, force: true });
    for (const id of ['a b', '../etc', 'UPPER', 'a?force=1', '\ud800'])
      await assert.rejects(call(id), /is not an image name or ID/);
    const twins = ['1', '2'].map((end) => `sha256:ab${end.repeat(62)}`);
    lab.engine.answer(({ path }, response) => {
      const list = twins.map((Id, at) => ({ Id, RepoTags: [`twin:${at}`] }));
      if (path === '/images/json') json(response, 200, list);
      else json(response, 404, { message: 'no such image' });
    });
    for (const id of ['ab', 'sha256:ab'])
      await assert.rejects(call(id), /is ambiguous.*twin:0.*twin:1/);
    assert.deepEqual(deletes(), []);
  });

  it('sends nothing if the user cancels', async () => {
    lab.list([], [both]);
    assert.equal(await remove(both), undefined);
    assert.deepEqual(lab.engine.seen, []);
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['choose'],
    );
  });
});
