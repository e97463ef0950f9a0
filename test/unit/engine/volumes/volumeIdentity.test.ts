import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { cloneVolume, orRemoved } from '../../../../src/engine/volumes/cloneVolume.ts';
import {
  CREATION_LABEL,
  createOwnVolume,
  createVolume,
} from '../../../../src/engine/volumes/createVolume.ts';
import { emptyVolume } from '../../../../src/engine/volumes/emptyVolume.ts';
import { removeVolume } from '../../../../src/engine/volumes/removeVolume.ts';
import { VolumeContainers } from '../../../../src/engine/volumes/volumeContainers.ts';
import {
  VolumeChangedError,
  VolumeExistsError,
} from '../../../../src/engine/volumes/volumeErrors.ts';
import { writeVolumeFiles } from '../../../../src/engine/volumes/writeVolumeFiles.ts';
import { TEMPORARY_LABEL } from '../../../../src/engine/images/temporaryMarks.ts';
import { InputError } from '../../../../src/engine/errors.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { json, type SeenRequest } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

interface Wire {
  readonly Name: string;
  readonly Driver: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Options: object;
  readonly CreatedAt: string;
  /** What the test knows it by. */
  readonly from: string;
}

describe('identity of volumes', () => {
  let lab: Lab;
  let volumes: Map<string, Wire>;
  let day: number;
  /** Runs before the engine handles a request. Returns whether the answer is lost. */
  let before: (operation: string) => boolean;
  let containers: readonly object[];
  let connection: Awaited<ReturnType<Lab['fake']>>['connection'];

  beforeEach(async () => {
    lab = openLab();
    volumes = new Map();
    day = 0;
    before = () => false;
    containers = [];
    const { connection: made } = await lab.fake((request, response) => {
      const isLost = before(`${request.method} ${request.path}`);
      if (!isLost) answer(request, response);
      else {
        answer(request, { writeHead: () => ({ end: () => undefined }), end: () => 0 } as never);
        response.destroy();
      }
    });
    connection = made;
  });
  afterEach(() => lab.close());

  /** Creates a volume, unless there is one, as engines do. */
  function create(Name: string, from: string, more: Partial<Wire> = {}): Wire {
    day++;
    const own = { Name, Driver: 'local', Labels: {}, Options: {}, from };
    const made = { ...own, CreatedAt: `2026-01-0${day}T00:00:00Z`, ...more };
    const known = volumes.get(Name) ?? made;
    volumes.set(Name, known);
    return known;
  }

  function answer({ method, path, body }: SeenRequest, response: ServerResponse): void {
    const name = path.replace('/volumes/', '');
    if (path === '/volumes/create') {
      const { Name, Labels } = JSON.parse(body) as Wire;
      json(response, 201, create(Name, 'us', { Labels }));
    } else if (path === '/containers/json') json(response, 200, containers);
    else if (path.startsWith('/containers/')) answerContainer(method, response);
    else if (!volumes.has(name)) json(response, 404, { message: 'no such volume' });
    else if (method === 'GET') json(response, 200, volumes.get(name));
    else if (containers.length > 0) json(response, 409, { message: 'volume is in use' });
    else {
      volumes.delete(name);
      response.writeHead(204).end();
    }
  }

  function answerContainer(method: string, response: ServerResponse): void {
    if (method === 'POST') json(response, 201, { Id: idOf('a') });
    else if (method === 'GET')
      json(response, 200, { ...temporary(), State: { Status: 'created' } });
    else {
      containers = [];
      response.writeHead(204).end();
    }
  }

  const temporary = () => ({
    ...{ Id: idOf('a'), Names: ['/gantry-temporary-0123456789ab'], State: 'created' },
    ...{ Name: '/gantry-temporary-0123456789ab', Path: 'gantry', Args: ['never'] },
    ...{ Command: 'gantry never', Mounts: [{ Type: 'volume', Name: 'data', Destination: '/d' }] },
    Labels: { [TEMPORARY_LABEL]: 'aaaaaaaaaaaa-1-bbbbbbbb' },
    Config: { Labels: { [TEMPORARY_LABEL]: 'aaaaaaaaaaaa-1-bbbbbbbb' } },
  });

  it('is proven before a copy that fails removes the new volume', async () => {
    create('data', 'user');
    before = (operation) => {
      if (operation === 'POST /volumes/create') create('copy', 'another client');
      return false;
    };
    const volume = { name: 'data', driver: 'local', labels: {}, options: {}, createdAt: '' };
    const reading = { method: 'archive', losses: [], volume } as const;
    const how = { containers: new VolumeContainers('aaaaaaaaaaaa-1-bbbbbbbb'), reading };
    await assert.rejects(cloneVolume(connection, 'data', 'copy', how), VolumeExistsError);
    assert.equal(volumes.get('copy')?.from, 'another client');
  });

  it('is compared before a copy writes to the new volume', async () => {
    const own = await createOwnVolume(connection, { name: 'copy' });
    volumes.clear();
    create('copy', 'another client', { CreatedAt: own.createdAt });
    const target = {
      containers: new VolumeContainers('aaaaaaaaaaaa-1-bbbbbbbb'),
      tar: () => assert.fail('nothing may be written'),
      summary: () => ({}),
      found: own,
    };
    await assert.rejects(writeVolumeFiles(connection, 'copy', target), VolumeChangedError);
  });

  it('is proven also if the answer to the creation is lost', async () => {
    before = (operation) => operation === 'POST /volumes/create';
    const own = await createOwnVolume(connection, { name: 'mine' });
    assert.match(own.labels[CREATION_LABEL] ?? '', /^[0-9a-f]{32}$/);
    before = (operation) => {
      const isCreation = operation === 'POST /volumes/create';
      if (isCreation) create('theirs', 'another client');
      return isCreation;
    };
    await assert.rejects(createOwnVolume(connection, { name: 'theirs' }), VolumeExistsError);
  });

  it('is not that of a volume with another proof, whatever its age', async () => {
    const own = await createOwnVolume(connection, { name: 'copy' });
    volumes.delete('copy');
    const Labels = { ...own.labels, [CREATION_LABEL]: 'another' };
    create('copy', 'another client', { Labels, CreatedAt: own.createdAt });
    const failing = orRemoved(connection, own, () => Promise.reject(new Error('full')));
    await assert.rejects(failing, /full/);
    assert.equal(volumes.get('copy')?.from, 'another client');
  });

  it('is compared again before a second removal, whose volume another client made', async () => {
    create('data', 'user');
    before = (operation) => {
      if (operation === 'GET /volumes/data' && !volumes.has('data')) create('data', 'another');
      return operation === 'DELETE /volumes/data';
    };
    await assert.rejects(emptyVolume(connection, 'data', undefined), (error) => {
      assert(error instanceof VolumeChangedError);
      return error.isRemoved;
    });
    assert.equal(volumes.get('data')?.from, 'another');
  });

  it('is compared before a refused removal is tried again, when a volume is emptied', async () => {
    create('data', 'user');
    before = (operation) => {
      if (operation === 'DELETE /volumes/data' && volumes.get('data')?.from === 'user') {
        volumes.clear();
        create('data', 'another', { Labels: { other: '' } });
        containers = [temporary()];
      }
      return false;
    };
    await assert.rejects(
      emptyVolume(connection, 'data', undefined),
      (error) => error instanceof VolumeChangedError && !error.isRemoved,
    );
    assert.equal(volumes.get('data')?.from, 'another');
  });

  it('is compared after a volume was created again', async () => {
    for (const isLost of [true, false]) {
      volumes.clear();
      create('data', 'user');
      before = (operation) => {
        if (operation !== 'POST /volumes/create') return false;
        create('data', 'another', { Labels: { 'com.docker.compose.project': 'shop' } });
        return isLost;
      };
      await assert.rejects(emptyVolume(connection, 'data', undefined), VolumeChangedError);
    }
  });

  it('is compared again once a temporary container of ours no longer uses the volume', async () => {
    create('data', 'user');
    containers = [temporary()];
    before = (operation) => {
      if (operation === `DELETE /containers/${idOf('a')}`) {
        volumes.clear();
        create('data', 'another', { Labels: { other: '' } });
      }
      return false;
    };
    await assert.rejects(removeVolume(connection, 'data'), VolumeChangedError);
    assert.equal(volumes.get('data')?.from, 'another');
  });

  it('has a new proof after the volume was emptied', async () => {
    const own = await createOwnVolume(connection, { name: 'data' });
    assert.deepEqual(await emptyVolume(connection, 'data', own), { outcome: 'emptied' });
    const now = volumes.get('data')?.Labels[CREATION_LABEL];
    assert.match(now ?? '', /^[0-9a-f]{32}$/);
    assert.notEqual(now, own.labels[CREATION_LABEL]);
  });

  it('is not given to a volume that the user creates', async () => {
    const { volume } = await createVolume(connection, { name: 'plain' });
    assert.deepEqual(volume.labels, {});
  });

  it('does not prove that a plugin deletes the files of a volume: it is not emptied', async () => {
    create('data', 'user', { Driver: 'vieux/sshfs:latest', Options: { sshcmd: 'u@host:/data' } });
    await assert.rejects(emptyVolume(connection, 'data', undefined), InputError);
    assert.equal(volumes.get('data')?.from, 'user');
  });
});
