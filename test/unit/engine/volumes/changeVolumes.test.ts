import assert from 'node:assert/strict';
import { InputError } from '../../../../src/engine/errors.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { TEMPORARY_LABEL } from '../../../../src/engine/images/temporaryMarks.ts';
import { cloneVolume } from '../../../../src/engine/volumes/cloneVolume.ts';
import { createVolume } from '../../../../src/engine/volumes/createVolume.ts';
import { emptyVolume } from '../../../../src/engine/volumes/emptyVolume.ts';
import { removeVolume } from '../../../../src/engine/volumes/removeVolume.ts';
import { VolumeContainers } from '../../../../src/engine/volumes/volumeContainers.ts';
import { VolumeInUseError, VolumeLostError } from '../../../../src/engine/volumes/volumeErrors.ts';
import { idOf, volume } from '../../inventory/support/nouns.ts';
import { json, type FakeEngine } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const NAME = 'gantry-temporary-0123456789ab';
const TEMPORARY = {
  ...{ Id: idOf('a'), Name: `/${NAME}`, Names: [`/${NAME}`], Path: 'gantry', Args: ['never'] },
  ...{ Command: 'gantry never', Mounts: [{ Type: 'volume', Name: 'data', Destination: '/d' }] },
  Labels: { [TEMPORARY_LABEL]: 'aaaaaaaaaaaa-1-bbbbbbbb' },
  Config: { Labels: { [TEMPORARY_LABEL]: 'aaaaaaaaaaaa-1-bbbbbbbb' } },
};
const WEB = { Id: idOf('c'), Names: ['/web'], State: 'exited', Mounts: TEMPORARY.Mounts };

describe('a volume', () => {
  let lab: Lab;
  let connection: Connection;
  let engine: FakeEngine;
  let exists: boolean;
  /** What uses the volume. */
  let containers: readonly object[];
  /** The name in the answer to a creation, if it is another one. */
  let created: string | undefined;
  /** Runs before the engine handles a request. Returns whether it closes the connection instead. */
  let cuts: (operation: string) => boolean;

  beforeEach(async () => {
    lab = openLab();
    [exists, containers, created, cuts] = [true, [], undefined, () => false];
    ({ connection, engine } = await lab.fake(({ method, path, body }, response) => {
      if (cuts(`${method} ${path}`)) response.destroy();
      else if (path === '/volumes/create') {
        const { Name, Driver = 'local' } = JSON.parse(body) as { Name: string; Driver?: string };
        exists = true;
        json(response, 201, { Name: created ?? Name, Driver });
      } else if (path === '/containers/json') json(response, 200, containers);
      else if (path.startsWith('/containers/')) {
        if (method === 'DELETE') containers = [];
        json(response, 200, { ...TEMPORARY, State: { Status: 'created' } });
      } else if (!exists) json(response, 404, { message: 'no such volume' });
      else if (method === 'GET') json(response, 200, { Name: 'data', Driver: 'local' });
      else if (containers.length > 0) json(response, 409, { message: 'volume is in use' });
      else {
        exists = false;
        response.writeHead(204).end();
      }
    }));
  });
  afterEach(() => lab.close());

  const sent = (): readonly string[] =>
    engine.seen
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`);
  const REMOVAL = 'DELETE /volumes/data';

  for (const [what, isThere, users, expected] of [
    ['is removed', true, [], 'removed'],
    ['is removed with a container of ours', true, [{ ...TEMPORARY, State: 'created' }], 'removed'],
    ['that is gone needs no removal', false, [], 'alreadyGone'],
  ] as const)
    for (const seen of [undefined, volume('data')])
      it(`${what}${seen ? ', and was seen before' : ''}`, async () => {
        [exists, containers] = [isThere, users];
        assert.deepEqual(await removeVolume(connection, 'data', seen), { outcome: expected });
      });

  it('that was removed while a container of ours was, needs no second removal', async () => {
    containers = [{ ...TEMPORARY, State: 'created' }];
    cuts = (operation) => {
      if (operation === `DELETE /containers/${idOf('a')}`) exists = false;
      return false;
    };
    assert.deepEqual(await removeVolume(connection, 'data'), { outcome: 'alreadyGone' });
    assert.equal(sent().filter((operation) => operation === REMOVAL).length, 1);
  });

  it('is not removed if other containers use it, which are named', async () => {
    containers = [{ ...TEMPORARY, State: 'created' }, WEB];
    await assert.rejects(removeVolume(connection, 'data'), (error) => {
      assert(error instanceof VolumeInUseError);
      assert.deepEqual([error.volume, error.users.map(({ name }) => name)], ['data', ['web']]);
      return true;
    });
    assert.deepEqual(sent(), [REMOVAL]);
  });

  it('is not emptied after a cancellation, but created again after one that comes later', async () => {
    const canceled = emptyVolume(connection, 'data', undefined, AbortSignal.abort());
    await assert.rejects(canceled, { name: 'AbortError' });
    const controller = new AbortController();
    cuts = (operation) => {
      if (operation === 'GET /volumes/data') controller.abort();
      return false;
    };
    const work = emptyVolume(connection, 'data', undefined, controller.signal);
    await assert.rejects(work, { name: 'AbortError' });
    assert.deepEqual(sent(), []);
    const late = new AbortController();
    cuts = (operation) => {
      if (operation === REMOVAL) late.abort();
      return false;
    };
    await emptyVolume(connection, 'data', undefined, late.signal);
    assert.deepEqual(sent(), [REMOVAL, 'POST /volumes/create']);
  });

  it('is not cloned after a cancellation: nothing is created', async () => {
    const reading = { method: 'archive', losses: [], volume: volume('data') } as const;
    const containers = new VolumeContainers('aaaaaaaaaaaa-1-bbbbbbbb');
    const how = { containers, reading, isFresh: true };
    const cloning = cloneVolume(connection, 'data', 'copy', how, AbortSignal.abort());
    await assert.rejects(cloning, { name: 'AbortError' });
    assert.deepEqual(engine.seen, []);
  });

  it('is removed once more if the connection was lost before the engine did it', async () => {
    cuts = (operation) =>
      operation === REMOVAL && sent().filter((one) => one === REMOVAL).length === 1;
    assert.deepEqual(await emptyVolume(connection, 'data', undefined), { outcome: 'emptied' });
    assert.deepEqual(sent(), [REMOVAL, REMOVAL, 'POST /volumes/create']);
  });

  it('is lost if the engine creates another one instead', async () => {
    created = 'other';
    cuts = (operation) => {
      if (operation === 'GET /volumes/data' && sent().length > 1) exists = false;
      return false;
    };
    await assert.rejects(emptyVolume(connection, 'data', undefined), (error) => {
      assert(error instanceof VolumeLostError);
      return error.isCertain;
    });
  });

  for (const [what, request] of [
    ['its name', { name: '.x' }],
    ['its driver', { driver: 'a driver' }],
    ['an option', { options: { 'a b': '' } }],
    ['an option without a name', { options: { '': 'x' } }],
    ['a label', { labels: { '': 'x' } }],
  ] as const)
    it(`is not created, without a request, if ${what} is invalid`, async () => {
      await assert.rejects(createVolume(connection, request), InputError);
      assert.deepEqual(engine.seen, []);
    });

  it('is created with the driver of a plugin, and not if there is one', async () => {
    exists = false;
    const request = { name: 'data', driver: 'vieux/sshfs:latest' };
    const { volume: made, outcome } = await createVolume(connection, request);
    assert.deepEqual([made.driver, outcome], ['vieux/sshfs:latest', 'created']);
    assert.equal((await createVolume(connection, request)).outcome, 'alreadyThere');
    assert.deepEqual(sent(), ['POST /volumes/create']);
  });
});
