import assert from 'node:assert/strict';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/http.ts';
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

  it('gives an image a name in a locked registry, sends it there, and it can be pulled again', async () => {
    const [id, as] = [await lab.image(), `${lockedRegistry}/${lab.name()}:1`];
    const pushed = await run('images.push', { id, as, auth });
    assert.equal(pushed.reference, as);
    assert.match(pushed.digest!, DIGEST);
    await run('images.remove', { id: as });
    await refusal(run('images.pull', { reference: as }), /auth/i);
    const pulled = await run('images.pull', { reference: as, auth });
    assert.equal(pulled.imageId, at(await raw('GET', `/images/${id}/json`), 'Id'));
  });

  it('is refused without a password, and tells none that is wrong', async () => {
    const [id, as] = [await lab.image(), `${lockedRegistry}/${lab.name()}:1`];
    await refusal(run('images.push', { id, as }), /auth|denied/i);
    const wrong = { ...auth, password: 'not-the-one' };
    const words = await refusal(run('images.push', { id: as, auth: wrong }), /auth|denied/i);
    assert.doesNotMatch(words, /not-the-one/);
  });

  it('refuses names that say no registry, images without a name, and no names at all', async () => {
    const id = await lab.image();
    await refusal(run('images.push', { id }), /says no registry/);
    await refusal(run('images.push', { id, as: 'busybox' }), /says no registry/);
    await refusal(run('images.push', { id, as: 'UPPER/x' }), /capital letters/);
    const digits = String(at(await raw('GET', `/images/${id}/json`), 'Id'));
    await refusal(run('images.push', { id: digits }), /without a name/);
  });
});

describe('gantry.images.checkNewer', () => {
  const lab = useLab('newer');

  it('compares with what the registry has, and knows it again after a pull', async () => {
    const reference = await offerInRegistry(lab.name());
    await run('images.pull', { reference });
    if (kind === 'podman') {
      await refusal(run('images.checkNewer', { id: reference }), /cannot be asked/);
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

  it('is refused for an image without a name', async () => {
    const id = await lab.image();
    const digits = String(at(await raw('GET', `/images/${id}/json`), 'Id'));
    await refusal(run('images.checkNewer', { id: digits }), /without a name/);
    await refusal(run('images.pullAgain', { id: digits }), /without a name/);
  });

  /** Another image under the same name in the registry; the one here stays as it is. */
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

  it('are joined, and cancelled for all', async () => {
    assert.ok(!(await allImages()).some(({ RepoTags }) => RepoTags?.includes(reference)));
    const recorder = await recordRequests();
    const pulls = [reference, reference].map((one) => run('images.pull', { reference: one }));
    const refused = pulls.map((pull) => refusal(pull, /cancelled/));
    const creates = (): readonly string[] =>
      recorder.asked().filter((line) => line.includes('/images/create'));
    await until(() => creates().length > 0, 'the engine is asked');
    assert.deepEqual(await run('pulls.cancel', { reference }), { outcome: 'cancelled' });
    await Promise.all(refused);
    assert.equal(creates().length, 1);
    await recorder.close();
  });

  it('that are not there cannot be cancelled, retried or dismissed', async () => {
    for (const command of ['pulls.cancel', 'pulls.retry', 'pulls.dismiss'] as const) {
      assert.deepEqual(await run(command, { reference }), { outcome: 'notThere' });
      await refusal(run(command, {}), /needs the field "reference"/);
      await refusal(run(command, { reference: 'UPPER' }), /capital letters/);
    }
  });
});
