import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bed } from '../../../bed/env.ts';
import { refusal, run } from '../kit/commands.ts';
import { allImages, at, raw } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { inLocked, offerInRegistry } from '../kit/registry.ts';

const DIGEST = /^sha256:[0-9a-f]{64}$/;

async function allTags(): Promise<readonly string[]> {
  return (await allImages()).flatMap(({ RepoTags }) => RepoTags ?? []);
}

describe('gantry.images.pull', () => {
  const lab = useLab('pull');
  const { username, password, lockedRegistry } = bed();

  it('pulls an image and returns its ID', async () => {
    const reference = await offerInRegistry(lab.name());
    const pulled = await run('images.pull', { reference });
    assert.match(pulled.imageId, DIGEST);
    // Podman does not report which digest of an image with several belongs to this pull.
    if (bed().kind === 'docker') assert.match(pulled.digest!, DIGEST);
    assert.ok((await allTags()).includes(reference));
    const listed = (await run('images.list', {})).find(({ tags }) => tags.includes(reference))!;
    assert.equal(listed.id, pulled.imageId);
  });

  it('pulls by digest the image that it pulled by tag', async () => {
    const reference = await offerInRegistry(lab.name());
    const byTag = await run('images.pull', { reference });
    const name = reference.slice(0, reference.lastIndexOf(':'));
    if (byTag.digest === undefined) {
      assert.equal(bed().kind, 'podman');
      return;
    }
    const byDigest = await run('images.pull', { reference: `${name}@${byTag.digest}` });
    assert.deepEqual(byDigest, byTag);
  });

  it('pulls only latest if no tag is given', async () => {
    const latest = await offerInRegistry(lab.name(), 'latest');
    await offerInRegistry(lab.name(), 'other');
    await run('images.pull', { reference: latest.replace(/:latest$/, '') });
    const ours = (await allTags()).filter((tag) => tag.includes(lab.name()));
    assert.deepEqual(ours, [latest]);
  });

  it('rejects an image of another platform than the requested one', async () => {
    const reference = await offerInRegistry(lab.name());
    await refusal(run('images.pull', { reference, platform: 'linux/s390x' }));
    await refusal(run('images.pull', { reference, platform: 'two words' }), /two words/);
  });

  it("rejects a missing image and an unreachable registry with the engine's message", async () => {
    const reference = `${bed().registry}/${lab.name('nowhere')}:1`;
    await refusal(run('images.pull', { reference }), /nowhere|not found|unknown/i);
    await refusal(run('images.pull', { reference: '127.0.0.1:1/a/b:1' }), /refused/);
  });

  describe('from a registry that requires credentials', () => {
    it('succeeds with the correct password', async () => {
      const reference = inLocked(await offerInRegistry(lab.name()));
      const auth = { username, password, serveraddress: lockedRegistry };
      const pulled = await run('images.pull', { reference, auth });
      assert.match(pulled.imageId, DIGEST);
      assert.ok((await allTags()).includes(reference));
    });

    it('fails without a password and with a wrong one, and does not reveal it', async () => {
      const reference = inLocked(await offerInRegistry(lab.name()));
      await refusal(run('images.pull', { reference }), /auth|unauthorized/i);
      const wrong = { username, password: 'not-the-one', serveraddress: lockedRegistry };
      const words = await refusal(run('images.pull', { reference, auth: wrong }), /auth/i);
      assert.doesNotMatch(words, /not-the-one/);
      assert.ok(!(await allTags()).includes(reference));
    });

    it('rejects incomplete credentials', async () => {
      const reference = inLocked(`${bed().registry}/${lab.name()}:1`);
      for (const auth of [{}, { username, password }, 'alice', null, { username: 1 }]) {
        await refusal(run('images.pull', { reference, auth }), /"auth" must be/);
      }
    });
  });

  describe("with the user's config.json", () => {
    const before = process.env['DOCKER_CONFIG'];
    let folder: string;

    const keep = (config: string): void => {
      writeFileSync(join(folder, 'config.json'), config);
    };
    const entryFor = (registry: string, secret = password): string => {
      const auth = Buffer.from(`${username}:${secret}`).toString('base64');
      return JSON.stringify({ auths: { [registry]: { auth } } });
    };

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'gantry-config-'));
      process.env['DOCKER_CONFIG'] = folder;
    });
    afterEach(() => {
      if (before === undefined) delete process.env['DOCKER_CONFIG'];
      else process.env['DOCKER_CONFIG'] = before;
      rmSync(folder, { recursive: true });
    });

    it("uses the entry of the image's registry", async () => {
      const reference = inLocked(await offerInRegistry(lab.name()));
      keep(entryFor(lockedRegistry));
      assert.match((await run('images.pull', { reference })).imageId, DIGEST);
    });

    it('does not use the entry of another registry', async () => {
      const reference = inLocked(await offerInRegistry(lab.name()));
      keep(entryFor('registry.example.org'));
      await refusal(run('images.pull', { reference }), /auth|unauthorized/i);
    });

    it('prefers the credentials in the argument to those in the file', async () => {
      const reference = inLocked(await offerInRegistry(lab.name()));
      keep(entryFor(lockedRegistry, 'an-old-one'));
      await refusal(run('images.pull', { reference }), /auth|unauthorized/i);
      const auth = { username, password, serveraddress: lockedRegistry };
      assert.match((await run('images.pull', { reference, auth })).imageId, DIGEST);
    });

    it('works with an invalid file', async () => {
      const reference = await offerInRegistry(lab.name());
      keep('{ "auths": ');
      assert.match((await run('images.pull', { reference })).imageId, DIGEST);
    });

    it('creates a container from an image in a registry that requires credentials', async () => {
      const reference = inLocked(await offerInRegistry(lab.name()));
      keep(entryFor(lockedRegistry));
      const { id } = await run('containers.create', { image: reference, name: lab.name() });
      assert.equal(at(await raw('GET', `/containers/${id}/json`), 'Config', 'Image'), reference);
    });
  });
});
