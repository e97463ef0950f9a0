import assert from 'node:assert/strict';
import { capabilitiesOf } from '../../src/engine/capabilities.ts';
import { inspectInRegistry, searchImages } from '../../src/engine/registries/registryImage.ts';
import { InputError } from '../../src/engine/errors.ts';
import { inspectImage, removeImage, tagImage } from '../../src/engine/images/images.ts';
import type { PullStep } from '../../src/engine/model.ts';
import { pullImage } from '../../src/engine/images/pullImage.ts';
import { pushImage, type PushRequest, type PushResult } from '../../src/engine/images/pushImage.ts';
import { hasContainerdStore } from '../../src/engine/system/system.ts';
import { english } from '../../src/l10n.ts';
import { isRegistryRefusal } from '../../src/registries/explainRefusal.ts';
import { hasDigest } from '../../src/transfers/newerImages.ts';
import { LayerProgress } from '../../src/transfers/layerProgress.ts';
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
    pushImage(site.connection, request, english, (step) => steps.push(step));

  /** The bed's image under a name of its own in this registry. */
  const named = async (registry: string, tag = '1'): Promise<string> => {
    const repository = `${registry}/${site.name()}`;
    await tagImage(site.connection, bed().image, { repository, tag });
    return site.owns(`${repository}:${tag}`);
  };

  const asAlice = (password = bed().password): PushRequest['auth'] => {
    const { username, lockedRegistry } = bed();
    return { username, password, serveraddress: lockedRegistry };
  };

  it('sends an image to a locked registry, tells of its layers, and it can be pulled back', async () => {
    const reference = await named(bed().lockedRegistry);
    const { digest } = await push({ reference, auth: asAlice()! });
    assert.match(digest ?? '', DIGEST);
    const tally = new LayerProgress();
    for (const step of steps) tally.add(step);
    // Podman tells nothing of them.
    if (!site.isPodman) assert.ok(tally.layers.length > 0);
    assert.ok(tally.layers.every(({ phase }) => phase === 'done' || phase === 'alreadyThere'));
    const { id } = await inspectImage(site.connection, reference);
    await removeImage(site.connection, reference);
    const request = { reference, auth: asAlice()! };
    const pulled = await pullImage(site.connection, request, english, () => undefined);
    assert.equal(pulled.imageId, id);
    assert.equal(pulled.digest ?? digest, digest);
  });

  it('sends one tag and no other', async () => {
    const reference = await named(bed().registry, 'one');
    const repository = reference.replace(/:one$/, '');
    await tagImage(site.connection, bed().image, { repository, tag: 'two' });
    site.owns(`${repository}:two`);
    await push({ reference });
    await removeImage(site.connection, `${repository}:two`);
    await refusal(
      pullImage(site.connection, { reference: `${repository}:two` }, english, () => undefined),
    );
  });

  it('fails in the registry’s words without a password, and with a wrong one', async () => {
    const reference = await named(bed().lockedRegistry);
    for (const auth of [undefined, asAlice('not-the-one')]) {
      const error = await refusal(push({ reference, ...(auth && { auth }) }));
      assert.match(error.message, /auth|denied|unauthorized/i);
      assert.doesNotMatch(error.message, /not-the-one/);
      // Only then a sign-in is offered.
      assert.ok(isRegistryRefusal(error), error.message);
    }
  });

  it('fails in the engine’s words for a name that has gone meanwhile', async () => {
    const error = await refusal(push({ reference: `${bed().registry}/nobodys:1` }));
    assert.match(error.message, /not exist|not known|no such|failed to find/i);
  });

  it('refuses names of nobody’s registry before any request', async () => {
    for (const reference of ['busybox', 'localhost/app:1', `a.b/c@sha256:${'0'.repeat(64)}`]) {
      await assert.rejects(push({ reference }), InputError);
    }
  });

  it('knows what a registry has, and that it is newer, where the engine can be asked', async function () {
    const { asksRegistries } = capabilitiesOf(await site.connection.info());
    if (!asksRegistries) return this.skip();
    const reference = await named(bed().registry);
    await push({ reference });
    const { digest, platforms } = await inspectInRegistry(site.connection, reference);
    assert.ok(hasDigest(await inspectImage(site.connection, reference), reference, digest));
    // The manifests that containerd's store writes say no platform.
    const isUnsaid = await hasContainerdStore(site.connection);
    assert.deepEqual(platforms, isUnsaid ? [] : ['linux/amd64']);
    // Somebody else pushes another image under the same name.
    const [repository = ''] = reference.split(/:1$/);
    await pullImage(
      site.connection,
      { reference: site.owns(`${bed().registry}/gantry/app:1`) },
      english,
      () => undefined,
    );
    const other = { repository, tag: 'other' };
    await tagImage(site.connection, `${bed().registry}/gantry/app:1`, other);
    await tagImage(site.connection, reference, { repository, tag: 'kept' });
    await tagImage(site.connection, site.owns(`${repository}:other`), { repository, tag: '1' });
    await push({ reference });
    const newer = await inspectInRegistry(site.connection, reference);
    const kept = await inspectImage(site.connection, site.owns(`${repository}:kept`));
    assert.equal(hasDigest(kept, reference, newer.digest), false);
    assert.equal(hasDigest(kept, reference, digest), true);
    await refusal(inspectInRegistry(site.connection, `${repository}:nobodys`));
  });

  it('searches where the engine can', async () => {
    const search = searchImages(site.connection, `${bed().registry}/gantry`);
    if (!site.isPodman) {
      await refusal(search);
      return;
    }
    assert.ok((await search).some(({ name }) => name === `${bed().registry}/gantry/tiny`));
  });
});
