import assert from 'node:assert/strict';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { refusal, run } from '../kit/commands.ts';
import { allImages, at, raw } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { recordRequests } from '../kit/recorder.ts';
import { offerInRegistry } from '../kit/registry.ts';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const { kind, registry, lockedRegistry, slowRegistry, username, password } = bed();
const auth = { username, password, serveraddress: lockedRegistry };

describe('gantry.images.push', () => {
  const lab = useLab('push');

  it('tags and pushes an image to a registry that requires credentials, from which it can be pulled', async () => {
    const [id, as] = [await lab.image(), `${lockedRegistry}/${lab.name()}:1`];
    const pushed = await run('images.push', { id, as, auth });
    assert.equal(pushed.reference, as);
    assert.match(pushed.digest!, DIGEST);
    await run('images.remove', { id: as });
    await refusal(run('images.pull', { reference: as }), /auth/i);
    const pulled = await run('images.pull', { reference: as, auth });
    assert.equal(pulled.imageId, at(await raw('GET', `/images/${id}/json`), 'Id'));
  });

  it('fails without a password and with a wrong one, and does not reveal it', async () => {
    const [id, as] = [await lab.image(), `${lockedRegistry}/${lab.name()}:1`];
    await refusal(run('images.push', { id, as }), /auth|denied/i);
    const wrong = { ...auth, password: 'not-the-one' };
    const words = await refusal(run('images.push', { id: as, auth: wrong }), /auth|denied/i);
    assert.doesNotMatch(words, /not-the-one/);
  });

  it('rejects names without a registry, invalid names, and untagged images', async () => {
    const id = await lab.image();
    await refusal(run('images.push', { id }), /has no registry to push to/);
    await refusal(run('images.push', { id, as: 'busybox' }), /has no registry to push to/);
    await refusal(run('images.push', { id, as: 'x/UPPER' }), /capital letters/);
    const digits = String(at(await raw('GET', `/images/${id}/json`), 'Id'));
    await refusal(run('images.push', { id: digits }), /has no tag/);
  });
});

describe('gantry.images.checkNewer', () => {
  const lab = useLab('newer');

  it('compares with the digest in the registry, also after a pull', async () => {
    const reference = await offerInRegistry(lab.name());
    await run('images.pull', { reference });
    if (kind === 'podman') {
      await refusal(run('images.checkNewer', { id: reference }), /cannot check registries/);
      return;
    }
    const current = await run('images.checkNewer', { id: reference });
    assert.equal(current.outcome, 'current');
    await putAnother(reference);
    const newer = await run('images.checkNewer', { id: reference });
    assert.equal(newer.outcome, 'newer');
    assert.notEqual(newer.digest, current.digest);
    assert.equal((await run('images.pullAgain', { id: reference })).digest, newer.digest);
    assert.equal((await run('images.checkNewer', { id: reference })).outcome, 'current');
  });

  it('rejects an untagged image', async () => {
    const id = await lab.image();
    const digits = String(at(await raw('GET', `/images/${id}/json`), 'Id'));
    await refusal(run('images.checkNewer', { id: digits }), /has no tag/);
    await refusal(run('images.pullAgain', { id: digits }), /has no tag/);
  });

  /** Pushes another image under the same name, and keeps the local one. */
  const putAnother = async (reference: string): Promise<void> => {
    const [repository = ''] = reference.split(/:1$/);
    const app = `${registry}/gantry/app:1`;
    const kept = `${repository}:kept`;
    const tag = (from: string, name: string): Promise<unknown> =>
      raw('POST', `/images/${from}/tag?repo=${repository}&tag=${name}`);
    await run('images.pull', { reference: app });
    await tag(reference, 'kept');
    await tag(app, '1');
    await run('images.push', { id: reference });
    await tag(kept, '1');
    await raw('DELETE', `/images/${kept}`);
    await raw('DELETE', `/images/${app}`);
  };
});

describe('gantry.pulls', () => {
  useLab('pulls');
  const reference = `${slowRegistry}/gantry/layers:1`;

  it('of the same image are shared, and canceled together', async () => {
    assert.ok(!(await allImages()).some(({ RepoTags }) => RepoTags?.includes(reference)));
    const recorder = await recordRequests();
    const creates = (): readonly string[] =>
      recorder.asked().filter((line) => line.includes('/images/create'));
    try {
      const pulls = [reference, reference].map((one) => run('images.pull', { reference: one }));
      const refused = pulls.map((pull) => refusal(pull, /canceled/));
      await until(() => creates().length > 0, 'the request to pull is sent');
      assert.deepEqual(await run('pulls.cancel', { reference }), { outcome: 'cancelled' });
      await Promise.all(refused);
      assert.equal(creates().length, 1);
    } finally {
      await recorder.close();
    }
  });

  it('that do not exist cannot be canceled, retried or dismissed', async () => {
    for (const command of ['pulls.cancel', 'pulls.retry', 'pulls.dismiss'] as const) {
      assert.deepEqual(await run(command, { reference }), { outcome: 'notThere' });
      await refusal(run(command, {}), /property "reference" is required/);
      await refusal(run(command, { reference: 'UPPER' }), /capital letters/);
    }
  });
});
