import assert from 'node:assert/strict';
import {
  commitContainer,
  createContainer,
  inspectContainer,
} from '../../src/engine/containers/containers.ts';
import { removeContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../src/engine/containers/waitForContainer.ts';
import {
  findImage,
  inspectImage,
  listImages,
  removeImage,
  tagImage,
} from '../../src/engine/images/images.ts';
import { commitWithCleanup } from '../../src/engine/containers/commitWithCleanup.ts';
import { ImageChangedError } from '../../src/engine/images/imageChangedError.ts';
import {
  listUsedImages,
  removeConfirmed,
  removeUnusedImage,
  type KeptImage,
} from '../../src/engine/system/removeUnusedImage.ts';
import type { Image } from '../../src/engine/model.ts';
import { parseRepositoryAndTag, requireValid } from '../../src/engine/options/reference.ts';
import {
  AmbiguousError,
  resolveContainer,
  resolveImage,
} from '../../src/engine/system/resolveTarget.ts';
import { checkTagOwner, checkTagUnchanged } from '../../src/review/imageByTag.ts';
import { cheap, itOnDocker, refusal, Site } from './support.ts';

/** Returns the configuration of the image. */
function configOf(raw: unknown): {
  Env?: string[];
  Labels?: Record<string, string>;
  Cmd?: string[];
} {
  return (raw as { Config: ReturnType<typeof configOf> }).Config;
}

describe('an image on a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  const find = async (id: string): Promise<Image | undefined> =>
    (await listImages(site.connection, {})).find((one) => one.id === id);

  const removeUnused = async (image: Image): Promise<KeptImage | undefined> =>
    removeUnusedImage(site.connection, image, await listUsedImages(site.connection));

  /** Commits a new image with a tag of its own. */
  const commit = async (more: object = {}): Promise<{ repository: string; imageId: string }> => {
    const id = await site.create(['true']);
    const repository = site.repository();
    site.owns(`${repository}:1`);
    const request = { id, repository, tag: '1', pause: false, ...more };
    const { imageId } = await commitContainer(site.connection, request);
    return { repository, imageId };
  };

  it('is committed from a container with all options, and listed by its tag', async () => {
    const { repository, imageId } = await commit({
      message: 'grüße & more',
      author: 'Ada <ada@example.org>',
      changes: ['ENV TOKEN=a=b', 'LABEL made="by hand"', 'CMD ["echo", "two words"]'],
    });
    assert.match(imageId, /^sha256:[0-9a-f]{64}$/);
    const image = await find(imageId);
    assert.deepEqual(image?.tags, [`${repository}:1`]);
    assert(Math.abs(Date.parse(image.createdAt) - Date.now()) < 600_000, image.createdAt);
    const details = await inspectImage(site.connection, imageId);
    assert.equal(details.id, imageId);
    assert.match(details.platform, /^linux\/\w+/);
    const { Comment, Author } = details.raw as { Comment: string; Author: string };
    assert.deepEqual([Comment, Author], ['grüße & more', 'Ada <ada@example.org>']);
    const { Env, Labels, Cmd } = configOf(details.raw);
    assert(Env?.includes('TOKEN=a=b'), Env?.join());
    assert.equal(Labels?.['made'], 'by hand');
    assert.deepEqual(Cmd, ['echo', 'two words']);
  });

  it('has the health check of the container, or reports that the engine does not keep it', async () => {
    const own = { Test: ['CMD', 'echo', 'a "b"'], Interval: 7_000_000_000, Retries: 4 };
    const shell = { Test: ['CMD-SHELL', 'test -e "/a b" || exit 1'], Timeout: 9_000_000_000 };
    // Podman gives a container the check of its image as a shell command.
    const asShell = { ...own, Test: ['CMD-SHELL', `echo 'a "b"'`] };
    for (const [Healthcheck, expected] of [
      [own, site.isPodman ? asShell : own],
      [shell, shell],
    ] as const) {
      const id = await site.create(['true'], { body: { Healthcheck } });
      const repository = site.repository();
      const name = site.owns(`${repository}:1`);
      const request = { id, repository, tag: '1', pause: false };
      const { losesHealthCheck } = await commitWithCleanup(site.connection, request);
      // Not every engine reports it for an image.
      const made = await createContainer(site.connection, { body: { Image: name, Cmd: ['true'] } });
      const { raw } = await inspectContainer(site.connection, made.id);
      await removeContainer(site.connection, made.id);
      const got = (raw as { Config: { Healthcheck?: object } }).Config.Healthcheck;
      if (losesHealthCheck === true) assert.equal(got, undefined);
      else assert.deepEqual({ ...got, ...expected }, got);
    }
  });

  it('contains the files that the container wrote', async () => {
    const { id } = await site.runToEnd(['sh', '-c', 'echo written > /proof']);
    const reference = site.owns(`${site.repository()}:latest`);
    const repository = reference.replace(/:latest$/, '');
    await commitContainer(site.connection, { id, repository, pause: true });
    const { end } = await site.runToEnd(['grep', '-qx', 'written', '/proof'], {
      body: { Image: reference },
    });
    assert.equal(end.exitCode, 0);
  });

  for (const pause of [true, false]) {
    it(`is committed from a running container, ${pause ? 'which is paused during the commit' : 'which keeps running'}`, async () => {
      const id = await site.sleeper();
      const repository = site.repository();
      site.owns(`${repository}:x`);
      await commitContainer(site.connection, { id, repository, tag: 'x', pause });
      assert.equal((await inspectContainer(site.connection, id)).state, 'running');
    });
  }

  it('is not committed from a missing container', async () => {
    const request = { id: 'f'.repeat(64), repository: site.repository(), pause: true };
    assert.equal((await refusal(commitContainer(site.connection, request))).reason, 'notFound');
  });

  it('is found by its full, short and bare ID, and by its tag', async () => {
    const { repository, imageId } = await commit();
    const bare = imageId.slice('sha256:'.length);
    for (const text of [imageId, bare, bare.slice(0, 12), `sha256:${bare.slice(0, 12)}`]) {
      assert.equal((await resolveImage(site.connection, text)).id, imageId, text);
    }
    assert.equal((await resolveImage(site.connection, `${repository}:1`)).id, imageId);
    assert.ok(await findImage(site.connection, `${repository}:1`));
    assert.equal(await findImage(site.connection, `${repository}:2`), undefined);
    const missing = await refusal(resolveImage(site.connection, 'f'.repeat(64)));
    assert.equal(missing.reason, 'notFound');
  });

  itOnDocker(
    'is ambiguous if an ID prefix matches two images, and both tags are reported',
    async () => {
      const byDigit = new Map<string, string[]>();
      let shared: string | undefined;
      // Among 17 IDs, two begin with the same digit.
      for (let count = 0; shared === undefined; count++) {
        const { repository, imageId } = await commit({ message: String(count) });
        const digit = imageId['sha256:'.length]!;
        const others = byDigit.get(digit) ?? [];
        byDigit.set(digit, [...others, `${repository}:1`]);
        if (others.length > 0) shared = digit;
      }
      for (const text of [shared, `sha256:${shared}`]) {
        const error = await refusal(resolveImage(site.connection, text));
        assert(error instanceof AmbiguousError, `${text}: ${String(error)}`);
        for (const name of byDigit.get(shared)!)
          assert(error.candidates.includes(name), error.message);
      }
    },
  );

  it('gets more tags, loses them one by one, and is removed with the last', async () => {
    const { repository, imageId } = await commit();
    const target = { repository, tag: '2' };
    assert.equal((await tagImage(site.connection, `${repository}:1`, target)).outcome, 'tagged');
    await tagImage(site.connection, imageId, { repository });
    const names = ['1', '2', 'latest'].map((tag) => `${repository}:${tag}`);
    assert.deepEqual([...((await find(imageId))?.tags ?? [])].sort(), names);
    const remove = async (name: string): Promise<string> =>
      (await removeImage(site.connection, name)).outcome;
    assert.equal(await remove(`${repository}:2`), 'untagged');
    assert.equal(await remove(`${repository}:latest`), 'untagged');
    assert.deepEqual((await find(imageId))?.tags, [`${repository}:1`]);
    assert.equal(await remove(`${repository}:1`), 'removed');
    assert.equal(await find(imageId), undefined);
    assert.equal(await remove(`${repository}:1`), 'alreadyGone');
  });

  itOnDocker(
    'is found by a name whose host has capital letters',
    async function (this: Mocha.Context) {
      // Docker 20.10 refuses such a name.
      if (!site.facts.build.system) this.skip();
      const { imageId } = await commit();
      const name = site.owns(`GANTRY/${site.name().toLowerCase()}:1`);
      const { repository, tag } = requireValid(parseRepositoryAndTag(name, undefined));
      await tagImage(site.connection, imageId, { repository, tag });
      assert.ok((await find(imageId))?.tags.includes(name));
      assert.equal((await resolveImage(site.connection, name)).id, imageId);
      assert.deepEqual(await removeImage(site.connection, name), { outcome: 'untagged' });
    },
  );

  it('is known as the owner of a tag in any notation, or as changed since it was selected', async () => {
    const { repository, imageId } = await commit();
    const short = site.name();
    const { connection } = site;
    await tagImage(connection, imageId, { repository: short });
    site.owns(short);
    for (const name of [`${repository}:1`, short, `docker.io/library/${short}:latest`]) {
      await assert.rejects(
        checkTagOwner(connection, name, { holder: undefined }),
        new ImageChangedError('tagReassigned'),
      );
      await checkTagOwner(connection, name, { holder: imageId });
      await checkTagUnchanged(connection, name, imageId);
      await assert.rejects(
        checkTagUnchanged(connection, name, `sha256:${'0'.repeat(64)}`),
        new ImageChangedError('notPushed'),
      );
    }
    await checkTagOwner(connection, `${repository}:free`, { holder: undefined });
  });

  it('with several tags is not removed by ID, except with force', async () => {
    const { repository, imageId } = await commit();
    await tagImage(site.connection, imageId, { repository, tag: '2' });
    await refusal(removeImage(site.connection, imageId));
    const { outcome } = await removeImage(site.connection, imageId, { force: true });
    assert.equal(outcome, 'removed');
    assert.equal(await find(imageId), undefined);
  });

  it("used by a container is not removed, and the engine's message is reported", async () => {
    const { repository, imageId } = await commit();
    const user = await site.create(['true'], { body: { Image: imageId } });
    assert.match(
      (await refusal(removeImage(site.connection, `${repository}:1`))).message,
      /use|using/,
    );
    await removeContainer(site.connection, user);
    assert.equal((await removeImage(site.connection, `${repository}:1`)).outcome, 'removed');
  });

  it('is removed alone, by its ID, if its tag moved while the dialog was open', async () => {
    const { repository, imageId } = await commit();
    const chosen = await find(imageId);
    assert(chosen);
    const other = await commit({ message: 'a build in the meantime' });
    await tagImage(site.connection, other.imageId, { repository, tag: '1' });
    assert.equal(await removeUnused(chosen), undefined);
    assert.equal(await find(imageId), undefined);
    assert((await find(other.imageId))?.tags.includes(`${repository}:1`));
    const agreed = { ...chosen, keepsImage: false, users: [] };
    await assert.rejects(
      removeConfirmed(site.connection, `${repository}:1`, agreed, {}),
      (error) => error instanceof ImageChangedError && error.change === 'tagMoved',
    );
    assert(await find(other.imageId));
  });

  it('is removed with all tags that the user saw, and kept if there is a new one', async () => {
    const { repository, imageId } = await commit();
    await tagImage(site.connection, imageId, { repository, tag: '2' });
    await tagImage(site.connection, imageId, { repository: site.repository(), tag: '1' });
    const seen = await find(imageId);
    assert(seen);
    await tagImage(site.connection, imageId, { repository, tag: 'release' });
    assert.equal((await removeUnused(seen))?.why, 'tagged');
    assert.equal((await find(imageId))?.tags.length, 4);
    const now = await find(imageId);
    assert(now);
    assert.equal(await removeUnused(now), undefined);
    assert.equal(await find(imageId), undefined);
  });

  it('whose only tag moved to another image is listed without a tag', async () => {
    const { repository, imageId } = await commit();
    site.owns(imageId);
    const other = await commit({ message: 'another' });
    await tagImage(site.connection, other.imageId, { repository, tag: '1' });
    assert.deepEqual((await find(imageId))?.tags, []);
  });
});

describe('resolving a container on a real engine', () => {
  let site: Site;
  beforeEach(() => (site = new Site()));
  afterEach(() => site.leave());

  it('accepts the full ID, a unique prefix, or the name', async () => {
    const name = site.name();
    const id = await site.create(['true'], { name });
    for (const text of [id, id.slice(0, 12), name]) {
      assert.equal((await resolveContainer(site.connection, text)).id, id);
    }
  });

  it('rejects a part of a name, an empty string and a path', async () => {
    const name = site.name();
    await site.create(['true'], { name: `${name}x` });
    for (const text of [name, 'f'.repeat(64), 'no such one', '', '.', '..', '/', 'a/b', '%2e%2e']) {
      const error = await resolveContainer(site.connection, text).catch(
        (thrown: unknown) => thrown,
      );
      assert.equal((error as { reason?: string }).reason, 'notFound', `${text}: ${String(error)}`);
    }
  });

  it('rejects an ID prefix of two containers, and reports both names', async () => {
    const byDigit = new Map<string, string[]>();
    const made: string[] = [];
    // Among 17 IDs, two begin with the same digit.
    while (![...byDigit.values()].some((ids) => ids.length > 1)) {
      const name = site.name();
      const id = await site.create(['true'], { name });
      made.push(name);
      byDigit.set(id[0]!, [...(byDigit.get(id[0]!) ?? []), name]);
    }
    const [digit, names] = [...byDigit].find(([, both]) => both.length > 1)!;
    const error = await refusal(resolveContainer(site.connection, digit));
    assert(error instanceof AmbiguousError, String(error));
    for (const name of names) assert(error.candidates.includes(name), error.message);
  });
});

describe('health on a real engine', () => {
  it('is read from the list if the engine checks it', async function () {
    const site = new Site();
    // Podman requires systemd for health checks; without it, the health stays at its initial value.
    if (site.isPodman) this.skip();
    try {
      for (const [test, health] of [
        ['true', 'healthy'],
        ['false', 'unhealthy'],
      ] as const) {
        const { id } = await createContainer(site.connection, {
          name: site.name(),
          body: cheap({
            Image: site.facts.image,
            Cmd: ['sleep', '1000'],
            Healthcheck: { Test: ['CMD', test], Interval: 1e8, Timeout: 1e10, Retries: 1 },
          }),
        });
        await healthOf(site, id, health);
        await removeContainer(site.connection, id, { force: true });
      }
    } finally {
      await site.leave();
    }
  });
});

/** Waits for the event of a health change, then checks the health in the list. */
async function healthOf(site: Site, id: string, health: string): Promise<void> {
  const { followEvents } = await import('../../src/engine/system/system.ts');
  const { listContainers } = await import('../../src/engine/containers/containers.ts');
  const { startContainer } = await import('../../src/engine/containers/containerLifecycle.ts');
  const controller = new AbortController();
  const events = await followEvents(site.connection, {}, controller.signal);
  const { exit } = await waitForContainer(site.connection, id, 'next-exit', controller.signal);
  await startContainer(site.connection, id);
  for await (const event of events) {
    if (event.id !== id || event.action !== 'health_status') continue;
    const [one] = await listContainers(site.connection, { ids: [id] });
    assert.equal(one?.health, health, one?.status);
    break;
  }
  controller.abort();
  await exit.catch(() => undefined);
}
