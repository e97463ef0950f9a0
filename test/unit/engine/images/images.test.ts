import assert from 'node:assert/strict';
import * as images from '../../../../src/engine/images/images.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

const HEX = '0123456789abcdef'.repeat(4);
const ID = `sha256:${HEX}`;

describe('engine/images', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** Requests that one call sends, as they go over the wire. */
  const asked = async (
    run: (connection: Awaited<ReturnType<Lab['fake']>>['connection']) => Promise<unknown>,
  ): Promise<string[]> => {
    const { engine, connection } = await lab.fake((request, response) => {
      json(response, 200, request.method === 'GET' && request.query.size === 0 ? { Id: ID } : []);
    });
    await run(connection);
    return engine.seen.map(({ method, path, query }) =>
      `${method} ${path} ${decodeURIComponent(query.toString())}`.trim(),
    );
  };

  it('lists images, with or without intermediate ones', async () => {
    assert.deepEqual(await asked((c) => images.listImages(c, { all: true })), [
      'GET /images/json all=1',
    ]);
    const { engine, connection } = await lab.fake((_, r) => json(r, 200, []));
    await images.listImages(connection, {});
    assert.equal(engine.seen[0]?.query.size, 0);
  });

  it('lists once more if the engine fails because an image was removed, then gives up', async () => {
    let stumbles = 1;
    const { engine, connection } = await lab.fake((_, r) => {
      if (stumbles-- > 0) json(r, 500, { message: 'image not known' });
      else json(r, 200, []);
    });
    assert.deepEqual(await images.listImages(connection, {}), []);
    assert.equal(engine.seen.length, 2);
    stumbles = 9;
    await failure(images.listImages(connection, {}), 'failed');
    assert.equal(engine.seen.length, 4);
  });

  it('inspects by name, encodes all but slashes, and completes a bare ID', async () => {
    for (const [name, path] of [
      ['busybox', '/images/busybox/json'],
      ['127.0.0.1:5000/a/b:1', '/images/127.0.0.1%3A5000/a/b%3A1/json'],
      [`a@${ID}`, `/images/a%40sha256%3A${HEX}/json`],
      [HEX, `/images/sha256%3A${HEX}/json`],
      ['a?b#c', '/images/a%3Fb%23c/json'],
    ] as const) {
      assert.deepEqual(await asked((c) => images.inspectImage(c, name)), [`GET ${path}`]);
    }
  });

  it('tags an image, with "latest" if no tag is given', async () => {
    assert.deepEqual(
      await asked((c) => images.tagImage(c, 'a:1', { repository: 'b/c', tag: '2' })),
      ['POST /images/a%3A1/tag repo=b/c&tag=2'],
    );
    assert.deepEqual(await asked((c) => images.tagImage(c, 'a', { repository: 'b' })), [
      'POST /images/a/tag repo=b&tag=latest',
    ]);
  });

  it('removes an image, with force on request', async () => {
    assert.deepEqual(await asked((c) => images.removeImage(c, 'a')), ['DELETE /images/a']);
    assert.deepEqual(await asked((c) => images.removeImage(c, 'a', { force: true })), [
      'DELETE /images/a force=1',
    ]);
  });

  it('reads image records of Docker and Podman, with missing and invalid values', () => {
    const whole = {
      Id: HEX,
      ParentId: HEX,
      RepoTags: ['localhost/a:1', 'localhost/a:2'],
      RepoDigests: [`localhost/a@${ID}`],
      Created: 1700000000,
      Size: 5,
      Containers: 2,
    };
    assert.deepEqual(images.readImage(whole), {
      id: ID,
      parentId: ID,
      tags: ['localhost/a:1', 'localhost/a:2'],
      digests: [`localhost/a@${ID}`],
      createdAt: '2023-11-14T22:13:20.000Z',
      size: 5,
      containers: 2,
    });
    const bare = { id: ID, tags: [], digests: [], createdAt: '', size: 0 };
    const nulls = { RepoTags: null, RepoDigests: null, ParentId: '', Containers: -1, Labels: null };
    assert.deepEqual(images.readImage({ Id: ID, ...nulls }), bare);
    assert.deepEqual(images.readImage({ Id: ID }), bare);
    for (const Created of [0, -62_135_596_800, 1e300]) {
      assert.deepEqual(images.readImage({ Id: ID, Created }), bare);
    }
    const none = { RepoTags: ['<none>:<none>'], RepoDigests: ['<none>@<none>'] };
    assert.deepEqual(images.readImage({ Id: ID, ...none }), bare);
    const pulled = { RepoTags: ['a:1', `a@${ID}`], RepoDigests: [`a@${ID}`] };
    const tagged = { ...bare, tags: ['a:1'], digests: [`a@${ID}`] };
    assert.deepEqual(images.readImage({ Id: ID, ...pulled }), tagged);
    for (const nothing of [null, 7, {}, { Id: 7 }]) {
      assert.equal(images.readImage(nothing), undefined);
    }
  });

  it('fails with badAnswer if the response has an invalid shape', async () => {
    const { connection } = await lab.fake((_, r) => json(r, 200, null));
    await failure(images.listImages(connection, {}), 'badAnswer');
    await failure(images.inspectImage(connection, 'a'), 'badAnswer');
  });

  it('reads details, with a platform of the parts that are set', async () => {
    const { engine, connection } = await lab.fake();
    for (const [parts, platform] of [
      [{ Os: 'linux', Architecture: 'arm', Variant: 'v7' }, 'linux/arm/v7'],
      [{ Os: 'linux', Architecture: 'amd64', Variant: '' }, 'linux/amd64'],
      [{ Variant: null }, ''],
    ] as const) {
      const raw = { Id: HEX, Parent: '', RepoTags: null, ...parts };
      engine.answer((_, r) => json(r, 200, raw));
      const details = await images.inspectImage(connection, 'a');
      const { id, parentId, tags, digests } = details;
      assert.deepEqual([id, parentId, tags, digests], [ID, '', [], []]);
      assert.equal(details.platform, platform);
      assert.deepEqual(details.raw, raw);
    }
  });

  it('finds an image, finds none, or fails with the error of the engine', async () => {
    const { engine, connection } = await lab.fake();
    assert.equal(await images.findImage(connection, 'a'), undefined);
    engine.answer((_, r) => json(r, 200, { Id: ID }));
    assert.ok(await images.findImage(connection, 'a'));
    engine.answer((_, r) => json(r, 500, {}));
    await failure(images.findImage(connection, 'a'), 'failed');
  });

  const many = [{ Deleted: HEX }, { Untagged: 'a:1' }, null];
  const removals: [what: string, outcome: string, status: number, body: unknown][] = [
    ['only a tag was removed', 'untagged', 200, [{ Untagged: 'a:1' }]],
    ['the image was deleted, in any order of the records', 'removed', 200, many],
    ['the image does not exist', 'alreadyGone', 404, { message: 'No such image' }],
  ];
  for (const [what, outcome, status, body] of removals) {
    it(`returns ${outcome} if ${what}`, async () => {
      const { connection } = await lab.fake((_, r) => json(r, status, body));
      assert.equal((await images.removeImage(connection, 'a:1')).outcome, outcome);
    });
  }

  it('reports why an image in use is not removed', async () => {
    const { connection } = await lab.fake((_, r) => {
      json(r, 409, { message: 'image is being used by running container abc' });
    });
    const error = await failure(images.removeImage(connection, 'a'), 'conflict');
    assert.match(error.message, /being used/);
  });
});
