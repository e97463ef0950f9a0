import assert from 'node:assert/strict';
import {
  agreementOf,
  removeOneQuestion,
  removeSeveralQuestion,
  chosenKeys,
  type RemovedImage,
} from '../../../../src/commands/images/removeImageQuestion.ts';
import { isDisplayedWhole } from '../../../../src/base/plainText.ts';
import type { Image } from '../../../../src/engine/model.ts';

function image(tags: readonly string[], digit = 'a'): Image {
  const id = `sha256:${digit.repeat(64)}`;
  return { id, tags, digests: [], createdAt: '', size: 1 };
}

function removed(changes: Partial<RemovedImage> = {}): RemovedImage {
  const tags = ['app:1'];
  const id = 'app:1';
  return {
    engine: 'docker',
    id,
    name: id,
    image: image(tags),
    users: [],
    children: [],
    force: undefined,
    ...changes,
  };
}

function users(count: number): RemovedImage['users'] {
  return Array.from({ length: count }, (_, at) => ({ id: `${at}`, name: `web-${at}` }));
}

describe('commands/removeImageQuestion', () => {
  const one = (changes: Partial<RemovedImage>): readonly [string, string, ...string[]] => {
    const { question, detail, choices } = removeOneQuestion(removed(changes));
    return [question, detail, ...choices.map(({ button }) => button)];
  };

  it('reports that an image is deleted', () => {
    assert.deepEqual(one({}), ['Remove app:1?', 'Removes the image app:1.', 'Remove']);
  });

  it('has no Remove for an image in use, and names three of its containers', () => {
    assert.deepEqual(one({ users: users(62) }), [
      'app:1 is in use',
      'Used by 62 containers (web-0, web-1, web-2 and 59 more).\n' +
        'The engine cannot remove an image that a container uses.',
      'Show Containers',
    ]);
    assert.match(one({ users: users(1) })[1], /^Used by container web-0\.\n/);
  });

  it('reports first what force does, if it does anything', () => {
    assert.deepEqual(one({ users: users(2), force: 'removesContainers' }), [
      'Remove app:1?',
      '"Force Remove" removes the image and its containers, even if they are running.\n' +
        'Used by 2 containers (web-0, web-1).',
      'Show Containers',
      'Force Remove',
    ]);
  });

  it('offers to remove the tag or the whole image', () => {
    const two = { image: image(['app:1', 'app:2']) };
    assert.deepEqual(one(two), [
      'Remove app:1?',
      '"Remove Tag" removes only the tag. The image keeps app:2.',
      'Remove Tag',
      'Remove Image',
    ]);
    const [, detail, ...buttons] = one({ ...two, users: users(1) });
    assert.match(detail, /^Removes only the tag. The image keeps app:2\./);
    assert.deepEqual(buttons, ['Remove Tag', 'Show Containers']);
  });

  it('reports for several images first what is deleted, in lists of limited length', () => {
    const all = Array.from({ length: 220 }, (_, at) =>
      removed({
        ...{ id: `app:${at}`, name: `app:${at}` },
        image: { ...image([`app:${at}`]), id: `sha256:${String(at).padStart(64, '0')}` },
      }),
    );
    const { question, detail } = removeSeveralQuestion(all);
    assert.equal(question, 'Remove 220 images?');
    assert.match(detail, /^Images to remove: app:0, .* and \d+ more\.$/);
  });

  it('reports for several images which tags are removed, and what the engine keeps', () => {
    const { detail, choices } = removeSeveralQuestion([
      removed(),
      removed({ id: 'b:1', name: 'b:1', image: image(['b:1', 'b:2'], 'b') }),
      removed({ id: 'c:1', name: 'c:1', image: image(['c:1'], 'c'), users: users(1) }),
    ]);
    assert.deepEqual(detail.split('\n'), [
      'Images to remove: app:1.',
      'Removes only these tags: b:1.',
      'Used by containers, not removed: c:1.',
    ]);
    assert.deepEqual(choices, [{ button: 'Remove', does: 'remove' }]);
    const used = [removed({ users: users(1) }), removed({ users: users(2) })];
    assert.deepEqual(
      removeSeveralQuestion(used).choices.map(({ does }) => does),
      ['showContainers'],
    );
  });

  it('counts an image once, whichever of its tags are selected, and names each tag', () => {
    const both = image(['app:1', 'app:2'], 'b');
    const rows = both.tags.map((id) => removed({ id, name: id, image: both }));
    const { question, detail } = removeSeveralQuestion(rows);
    assert.deepEqual(
      [question, detail],
      ['Remove 1 image with 2 tags?', 'Images to remove: app:1, app:2.'],
    );
    const more = [...rows, removed({ id: 'c:1', name: 'c:1', image: image(['c:1'], 'c') })];
    assert.equal(removeSeveralQuestion(more).question, 'Remove 2 images with 3 tags?');
    const kept = { ...both, tags: [...both.tags, 'app:3'] };
    const tags = kept.tags.slice(1).map((id) => removed({ id, name: id, image: kept }));
    assert.equal(removeSeveralQuestion(tags).question, 'Remove 2 tags?');
    const mixed = [...tags, removed({ id: 'd:1', name: 'd:1', image: image(['d:1'], 'd') })];
    assert.equal(removeSeveralQuestion(mixed).question, 'Remove 3 images and tags?');
    const used = removed({ id: 'u:1', name: 'u:1', users: users(1) });
    assert.equal(removeSeveralQuestion([removed(), used]).question, 'Remove app:1?');
  });

  it('names every tag and container that a button removes', () => {
    const tags = Array.from({ length: 9 }, (_, at) => `app:${at}`);
    const [, whole] = one({ id: 'app:0', name: 'app:0', image: image(tags) });
    assert.match(whole, /keeps app:1, app:2, .*, app:8\.$/);
    const force = { users: users(9), force: 'removesContainers' } as const;
    assert.match(one(force)[1], /^Used by 9 containers \(web-0, .*, web-8\)\.$/m);
    const long = `registry.example.com/${'group/'.repeat(20)}app:1`;
    assert.equal(one({ id: long, name: long, image: image([long]) })[0], `Remove ${long}?`);
  });

  it('has lines and a length of its own control, whatever the names are', () => {
    const name = `x\nNothing is removed.\n${'long '.repeat(2000)}`;
    const tags = Array.from({ length: 300 }, (_, at) => `${name}${at}`);
    const hostile = removed({
      id: tags[0] ?? '',
      name,
      image: image(tags),
      users: tags.map((id) => ({ id, name })),
      children: tags,
      force: 'removesContainers',
    });
    for (const asked of [removeOneQuestion(hostile), removeSeveralQuestion([hostile])]) {
      assert.ok(isDisplayedWhole(asked.question) && isDisplayedWhole(asked.detail));
      assert.doesNotMatch(asked.detail, /^Nothing is removed/m);
    }
  });

  it('remembers what was shown to the user: tags, containers, and whether the image stays', () => {
    const both = removed({ image: image(['app:1', 'app:2']), users: users(1) });
    const agreed = agreementOf(both, chosenKeys([both]));
    assert.deepEqual([agreed.keepsImage, agreed.users, agreed.tags.length], [true, ['0'], 2]);
    assert.equal(agreementOf(both, chosenKeys([both, { ...both, id: 'app:2' }])).keepsImage, false);
  });

  it('does not confuse a tag of another engine with one of the image', () => {
    const here = removed({ image: image(['app:1', 'app:2']) });
    const there = removed({ engine: 'podman', id: 'app:2', image: image(['app:2'], 'b') });
    const all = [here, there];
    assert.match(removeSeveralQuestion(all).detail, /^Removes only these tags: app:1\.$/m);
    assert.equal(agreementOf(here, chosenKeys(all)).keepsImage, true);
    const sameId = removed({ engine: 'podman', id: here.image.id, image: here.image });
    assert.equal(agreementOf(here, chosenKeys([here, sameId])).keepsImage, true);
  });
});
