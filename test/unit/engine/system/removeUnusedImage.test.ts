import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { ImageChangedError } from '../../../../src/engine/images/imageChangedError.ts';
import {
  listUsedImages,
  removeConfirmed,
  removeUnusedImage,
  type ConfirmedRemoval,
  type KeptImage,
  type RemovableImage,
} from '../../../../src/engine/system/removeUnusedImage.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const OLD = `sha256:${'a'.repeat(64)}`;
const NEW = `sha256:${'b'.repeat(64)}`;
const USER = 'c'.repeat(64);

interface FakeImage {
  readonly Id: string;
  readonly RepoTags: readonly string[];
  readonly RepoDigests?: readonly string[];
}

describe('engine/removeUnusedImage', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** A fake engine with these images that removes images as Docker does. */
  async function engineWith(
    list: readonly FakeImage[],
    containers: readonly object[] = [],
    onRemoval: (image: FakeImage) => FakeImage = (image) => image,
  ): Promise<{ connection: Connection; removals: string[]; left: () => readonly string[] }> {
    let images = list;
    const removals: string[] = [];
    const { connection } = await lab.fake((request, response) => {
      if (request.path === '/containers/json') {
        json(response, 200, containers);
        return;
      }
      const name = decodeURIComponent(request.path.replace(/^\/images\/|\/json$/g, ''));
      const names = ({ RepoTags, RepoDigests = [] }: FakeImage): readonly string[] => [
        ...RepoTags,
        ...RepoDigests,
      ];
      const hit = images.find((one) => one.Id === name || names(one).includes(name));
      if (!hit) json(response, 404, { message: 'No such image' });
      else if (request.method === 'GET') json(response, 200, hit);
      else if (hit.Id === name && names(hit).length > 1)
        json(response, 409, { message: 'image is referenced in multiple repositories' });
      else {
        removals.push(`${name}${request.query.has('force') ? ' by force' : ''}`);
        const RepoTags = hit.RepoTags.filter((one) => one !== name);
        const RepoDigests = hit.RepoDigests?.filter((one) => one !== name) ?? [];
        const rest = { ...hit, RepoTags, RepoDigests };
        const isLast = hit.Id === name || names(rest).length === 0;
        images = images.flatMap((one) => (one !== hit ? [one] : isLast ? [] : [onRemoval(rest)]));
        json(response, 200, isLast ? [{ Deleted: hit.Id }] : [{ Untagged: name }]);
      }
    });
    return { connection, removals, left: () => images.map(({ Id }) => Id) };
  }

  describe('of an unused image', () => {
    async function remove(
      connection: Connection,
      image: RemovableImage,
    ): Promise<KeptImage | undefined> {
      return removeUnusedImage(connection, image, await listUsedImages(connection));
    }

    it('removes the image that was chosen, not the one that its tag moved to', async () => {
      const { connection, left } = await engineWith([
        { Id: OLD, RepoTags: [] },
        { Id: NEW, RepoTags: ['app:dev'] },
      ]);
      const kept = await remove(connection, { id: OLD, tags: ['app:dev'] });
      assert.deepEqual([kept, left()], [undefined, [NEW]]);
    });

    it('keeps an image that got a tag the user has not seen', async () => {
      const { connection, removals } = await engineWith([{ Id: OLD, RepoTags: ['app:release'] }]);
      const kept = await remove(connection, { id: OLD, tags: [] });
      assert.deepEqual([kept, removals], [{ why: 'tagged', tags: ['app:release'] }, []]);
    });

    it('removes all tags but one by name, and the image with its last tag by ID', async () => {
      const tags = ['app:1', 'app:2', 'b/app:1'];
      const { connection, removals, left } = await engineWith([{ Id: OLD, RepoTags: tags }]);
      assert.equal(await remove(connection, { id: OLD, tags }), undefined);
      assert.deepEqual([removals, left()], [['app:2', 'b/app:1', OLD], []]);
    });

    it('removes digests of other repositories, which would keep the image', async () => {
      const image = { Id: OLD, RepoTags: ['b:5000/app:1'], RepoDigests: [`a/app@${NEW}`] };
      const { connection, left } = await engineWith([image]);
      const kept = await remove(connection, { id: OLD, tags: ['b:5000/app:1'] });
      assert.deepEqual([kept, left()], [undefined, []]);
    });

    it('keeps an image that got a name while its others were removed, and that name', async () => {
      const tags = ['app:1', 'app:2'];
      const retag = (image: FakeImage) => ({ ...image, RepoTags: ['app:release'] });
      const { connection, removals } = await engineWith([{ Id: OLD, RepoTags: tags }], [], retag);
      const kept = await remove(connection, { id: OLD, tags });
      assert.deepEqual([kept, removals], [{ why: 'tagged', tags: ['app:release'] }, ['app:2']]);
    });

    it('keeps an image that was pulled by a digest the user has not seen', async () => {
      const pulled = `a/app@${NEW}`;
      const image = { Id: OLD, RepoTags: ['b/app:1'], RepoDigests: [pulled] };
      const { connection, removals } = await engineWith([image]);
      const kept = await remove(connection, { id: OLD, tags: ['b/app:1'], digests: [] });
      assert.deepEqual([kept, removals], [{ why: 'tagged', tags: [pulled] }, []]);
    });

    it('keeps an image that a container uses, with all its tags', async () => {
      const image = { Id: OLD, RepoTags: ['app:1', 'app:2'] };
      const users = [{ Id: USER, ImageID: OLD }];
      const { connection, removals } = await engineWith([image], users);
      const kept = await remove(connection, { id: OLD, tags: image.RepoTags });
      assert.deepEqual([kept, removals], [{ why: 'used' }, []]);
    });

    it('keeps all tags of an image that a container began to use while others were removed', async () => {
      const image = { Id: OLD, RepoTags: ['app:1', 'app:2'] };
      const { connection, removals } = await engineWith([image], [{ Id: USER, ImageID: OLD }]);
      const seen = { id: OLD, tags: image.RepoTags };
      const kept = await removeUnusedImage(connection, seen, new Set());
      assert.deepEqual([kept, removals], [{ why: 'used' }, []]);
    });

    it('counts an image that no longer exists as removed', async () => {
      const { connection } = await engineWith([]);
      assert.equal(await remove(connection, { id: OLD, tags: ['app:1'] }), undefined);
    });
  });

  describe('of a confirmed image', () => {
    const agreed: ConfirmedRemoval = { id: OLD, tags: ['a:1'], keepsImage: false, users: [] };

    async function change(work: Promise<unknown>): Promise<string> {
      const error: unknown = await work.then(
        () => assert.fail('the image was removed'),
        (thrown: unknown) => thrown,
      );
      assert(error instanceof ImageChangedError, String(error));
      return error.change;
    }

    it('removes the image by ID if it has one tag, and only the tag if it has more', async () => {
      const one = await engineWith([{ Id: OLD, RepoTags: ['app:1'] }]);
      const { outcome } = await removeConfirmed(one.connection, 'app:1', agreed, {});
      assert.deepEqual([outcome, one.removals], ['removed', [OLD]]);
      const two = await engineWith([{ Id: OLD, RepoTags: ['app:1', 'app:2'] }]);
      const keeps = { ...agreed, keepsImage: true };
      const untagged = await removeConfirmed(two.connection, 'app:1', keeps, {});
      assert.deepEqual([untagged.outcome, two.removals], ['untagged', ['app:1']]);
    });

    it('keeps the image if its tag moved to another image', async () => {
      const { connection, removals } = await engineWith([{ Id: NEW, RepoTags: ['app:1'] }]);
      assert.equal(await change(removeConfirmed(connection, 'app:1', agreed, {})), 'tagMoved');
      assert.deepEqual(removals, []);
    });

    it('keeps the image if only the tag was to be removed, but it is the last one now', async () => {
      const { connection, removals } = await engineWith([{ Id: OLD, RepoTags: ['app:1'] }]);
      const keeps = { ...agreed, keepsImage: true };
      assert.equal(await change(removeConfirmed(connection, 'app:1', keeps, {})), 'lastTag');
      assert.deepEqual(removals, []);
    });

    it('keeps the image if it got a tag that the user has not seen', async () => {
      const tagged = { Id: OLD, RepoTags: ['a:1', 'a:release'] };
      const { connection, removals } = await engineWith([tagged]);
      const work = removeConfirmed(connection, OLD, agreed, { force: true });
      assert.equal(await change(work), 'newTags');
      assert.deepEqual(removals, []);
    });

    it('does not force-remove an image from containers that were not shown to the user', async () => {
      const users = [{ Id: USER, ImageID: OLD }];
      const { connection, removals } = await engineWith([{ Id: OLD, RepoTags: ['a:1'] }], users);
      const force = { force: true };
      assert.equal(await change(removeConfirmed(connection, OLD, agreed, force)), 'newUsers');
      assert.deepEqual(removals, []);
      await removeConfirmed(connection, OLD, { ...agreed, users: [USER] }, force);
      assert.deepEqual(removals, [`${OLD} by force`]);
    });

    it('returns alreadyGone if no image has this name', async () => {
      const { connection } = await engineWith([]);
      const { outcome } = await removeConfirmed(connection, 'app:1', agreed, {});
      assert.equal(outcome, 'alreadyGone');
    });
  });
});
