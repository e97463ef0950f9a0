import assert from 'node:assert/strict';
import { capabilitiesOf } from '../../src/engine/capabilities/capabilities.ts';
import { inspectInRegistry, searchImages } from '../../src/engine/registries/registryImage.ts';
import { InputError } from '../../src/engine/errors.ts';
import {
  inspectImage,
  removeImage,
  tagImage,
  hasContainerdStore,
} from '../../src/engine/images/images.ts';
import type { PullStep } from '../../src/engine/model.ts';
import { pullImage, pullTarget } from '../../src/engine/images/pullImage.ts';
import { pushImage, type PushRequest, type PushResult } from '../../src/engine/images/pushImage.ts';
import { isRegistryRefusal } from '../../src/registries/credentialSource.ts';
import { compareDigest } from '../../src/registries/transfers/newerImages.ts';
import { LayerProgress } from '../../src/registries/transfers/layerProgress.ts';
import { bed } from '../bed/env.ts';
import { refusal, Site } from './support.ts';

const DIGEST = /^sha256:[0-9a-f]{64}$/;

describe('push on a real engine', function () {
  this.timeout(60_000);

  let site: Site;
  let steps: PullStep[];

  before(() => {
    site = new Site();
  });

  beforeEach(() => {
    steps = [];
  });

  after(() => site.leave());

  const push = (request: PushRequest): Promise<PushResult> =>
    pushImage(site.connection, request, (step) => steps.push(step));

  /** Tags the bed's image with a name of its own in this registry. */
  const named = async (registry: string, tag = '1'): Promise<string> => {
    const repository = `${registry}/${site.name()}`;
    await tagImage(site.connection, bed().image, { repository, tag });
    return site.owns(`${repository}:${tag}`);
  };

  const asAlice = (password = bed().password): PushRequest['auth'] => {
    const { username, lockedRegistry } = bed();
    return { username, password, serveraddress: lockedRegistry };
  };

  it('sends an image to a registry that requires credentials, and reports its layers', async () => {
    const reference = await named(bed().lockedRegistry);
    const { digest } = await push({ reference, auth: asAlice()! });
    assert.match(digest ?? '', DIGEST);
    const tally = new LayerProgress();
    for (const step of steps) tally.add(step);
    // Podman does not report layers.
    if (!site.isPodman) assert.ok(tally.layers.length > 0);
    assert.ok(tally.layers.every(({ phase }) => phase === 'done' || phase === 'alreadyThere'));
    const { id } = await inspectImage(site.connection, reference);
    await removeImage(site.connection, reference);
    const request = { reference, auth: asAlice()! };
    const pulled = await pullImage(site.connection, request, () => undefined);
    assert.equal(pulled.imageId, id);
    assert.equal(pulled.digest ?? digest, digest);
  });

  it('sends only the given tag', async () => {
    const reference = await named(bed().registry, 'one');
    const repository = reference.replace(/:one$/, '');
    await tagImage(site.connection, bed().image, { repository, tag: 'two' });
    site.owns(`${repository}:two`);
    await push({ reference });
    await removeImage(site.connection, `${repository}:two`);
    await refusal(pullImage(site.connection, { reference: `${repository}:two` }, () => undefined));
  });

  it("fails with the registry's message without a password, and with a wrong one", async () => {
    const reference = await named(bed().lockedRegistry);
    for (const auth of [undefined, asAlice('not-the-one')]) {
      const error = await refusal(push({ reference, ...(auth && { auth }) }));
      assert.match(error.message, /auth|denied|unauthorized/i);
      assert.doesNotMatch(error.message, /not-the-one/);
      // Only this error leads to the offer to sign in.
      assert.ok(isRegistryRefusal(error), error.message);
    }
  });

  it("fails with the engine's message if the image is gone", async () => {
    const error = await refusal(push({ reference: `${bed().registry}/nobodys:1` }));
    assert.match(error.message, /not exist|not known|no such|failed to find/i);
  });

  it('rejects names without a registry before any request', async () => {
    for (const reference of ['busybox', 'localhost/app:1', `a.b/c@sha256:${'0'.repeat(64)}`]) {
      await assert.rejects(push({ reference }), InputError);
    }
  });

  it('finds the digest in the registry, and that it is newer, if the engine supports it', async function () {
    const { asksRegistries } = capabilitiesOf(await site.connection.info());
    if (!asksRegistries) return this.skip();
    const reference = await named(bed().registry);
    await push({ reference });
    const { digest, platforms } = await inspectInRegistry(site.connection, reference);
    const repositoryRef = pullTarget(reference);
    const pushed = await inspectImage(site.connection, reference);
    assert.equal(compareDigest(pushed, repositoryRef, digest), 'current');
    // The manifests of the containerd image store contain no platform.
    const isUnsaid = await hasContainerdStore(site.connection);
    assert.deepEqual(platforms, isUnsaid ? [] : ['linux/amd64']);
    // Push another image under the same name.
    const [repository = ''] = reference.split(/:1$/);
    await pullImage(
      site.connection,
      { reference: site.owns(`${bed().registry}/gantry/app:1`) },
      () => undefined,
    );
    const other = { repository, tag: 'other' };
    await tagImage(site.connection, `${bed().registry}/gantry/app:1`, other);
    await tagImage(site.connection, reference, { repository, tag: 'kept' });
    await tagImage(site.connection, site.owns(`${repository}:other`), { repository, tag: '1' });
    await push({ reference });
    const newer = await inspectInRegistry(site.connection, reference);
    const kept = await inspectImage(site.connection, site.owns(`${repository}:kept`));
    assert.equal(compareDigest(kept, repositoryRef, newer.digest), 'newer');
    assert.equal(compareDigest(kept, repositoryRef, digest), 'current');
    await refusal(inspectInRegistry(site.connection, `${repository}:nobodys`));
  });

  it('searches a registry if the engine supports it', async () => {
    const search = searchImages(site.connection, `${bed().registry}/gantry`);
    if (!site.isPodman) {
      await refusal(search);
      return;
    }
    assert.ok((await search).some(({ name }) => name === `${bed().registry}/gantry/tiny`));
  });
});
