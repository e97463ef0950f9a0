import assert from 'node:assert/strict';
import { bed } from '../../../bed/env.ts';
import { refusal, run } from '../kit/commands.ts';
import { at, inspect, raw } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { recordRequests } from '../kit/recorder.ts';

const CONTAINER_FIELDS = [
  'id',
  'name',
  'names',
  'image',
  'imageId',
  'state',
  'status',
  'createdAt',
  'ports',
  'labels',
];
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

function assertPlainData(value: unknown): void {
  assert.deepEqual(JSON.parse(JSON.stringify(value)), value);
}

describe('gantry.containers.list', () => {
  const lab = useLab('list');

  it('lists running containers, or all if requested', async () => {
    const running = await lab.running('up');
    const ended = await lab.ended(['true'], 'down');
    const ids = async (...args: unknown[]): Promise<readonly string[]> =>
      (await run('containers.list', ...args)).map(({ id }) => id);
    for (const args of [[], [{}], [{ all: false }], [undefined]]) {
      const listed = await ids(...args);
      assert.ok(listed.includes(running));
      assert.ok(!listed.includes(ended));
    }
    const all = await ids({ all: true });
    assert.ok(all.includes(running) && all.includes(ended));
  });

  it('returns all fields of a container as plain data', async () => {
    const id = await lab.container(['sleep', '1000'], 'it', {
      Labels: { team: 'red' },
      ExposedPorts: { '80/tcp': {} },
      HostConfig: { PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '28094' }] } },
    });
    await raw('POST', `/containers/${id}/start`);
    const list = await run('containers.list', {});
    assertPlainData(list);
    const one = list.find((container) => container.id === id)!;
    for (const field of CONTAINER_FIELDS) assert.ok(field in one, field);
    assert.equal(one.name, lab.name());
    assert.deepEqual(one.names, [lab.name()]);
    assert.ok(one.image.endsWith(bed().image), one.image);
    const imageId = String(at(await inspect(id), 'Image')).replace('sha256:', '');
    assert.equal(one.imageId, `sha256:${imageId}`);
    assert.equal(one.state, 'running');
    assert.match(one.status, /^Up /);
    assert.match(one.createdAt, ISO);
    assert.deepEqual(one.ports, [
      { ip: '127.0.0.1', privatePort: 80, publicPort: 28094, protocol: 'tcp' },
    ]);
    assert.deepEqual(one.labels, { ...one.labels, team: 'red' });
    assert.ok(!('exitCode' in one) && !('health' in one));
  });

  it('returns the exit code of the last run', async () => {
    const id = await lab.ended(['sh', '-c', 'exit 11']);
    const list = await run('containers.list', { all: true });
    const one = list.find((container) => container.id === id)!;
    assert.equal(one.state, 'exited');
    assert.equal(one.exitCode, 11);
  });

  it('sends one request per call, and never returns cached data', async () => {
    const recorder = await recordRequests();
    try {
      await run('containers.list', {});
      // The views request all containers, or some by ID.
      const lists = (): number =>
        recorder.lines().filter((line) => /\/containers\/json(?!.*(?:all=1|%22id%22))/.test(line))
          .length;
      assert.equal(lists(), 1);
      const id = await lab.running();
      assert.ok((await run('containers.list', {})).some((one) => one.id === id));
      assert.equal(lists(), 2);
    } finally {
      await recorder.close();
    }
  });

  it('rejects an invalid argument', async () => {
    await refusal(run('containers.list', { all: 'yes' }), /"all" must be true or false/);
    await refusal(run('containers.list', { running: true }), /unknown property "running"/);
    await refusal(run('containers.list', true), /the argument must be an object/);
  });
});

describe('gantry.images.list', () => {
  const lab = useLab('images');

  it('returns all fields of an image as plain data', async () => {
    const reference = await lab.image('7');
    const list = await run('images.list', {});
    assertPlainData(list);
    const one = list.find(({ tags }) => tags.includes(reference))!;
    assert.ok(one, `${reference} is not in the list`);
    assert.match(one.id, /^sha256:[0-9a-f]{64}$/);
    assert.match(one.createdAt, ISO);
    assert.ok(one.size > 100_000, String(one.size));
    assert.ok(Array.isArray(one.digests));
    for (const image of list) assert.match(image.id, /^sha256:[0-9a-f]{64}$/);
  });

  it('returns one entry for an image with several tags', async () => {
    const [a, b] = [await lab.image('1'), await lab.image('2')];
    const own = (await run('images.list', { all: true })).filter(({ tags }) =>
      tags.some((tag) => tag === a || tag === b),
    );
    assert.equal(own.length, 1);
  });

  it('returns no tag for an image that has lost it', async () => {
    const id = await lab.ended(['sh', '-c', 'echo 1 > /one']);
    const repository = `localhost/${lab.name('image')}`;
    const first = await run('containers.commit', { id, repository });
    const second = await run('containers.commit', { id, repository, message: 'again' });
    lab.keep(first.imageId);
    const list = await run('images.list', {});
    const tagsOf = (imageId: string): unknown => list.find((one) => one.id === imageId)?.tags;
    assert.deepEqual(tagsOf(first.imageId), []);
    assert.deepEqual(tagsOf(second.imageId), [`${repository}:latest`]);
  });

  it('rejects an invalid argument', async () => {
    await refusal(run('images.list', { all: 1 }), /"all" must be true or false/);
    await refusal(run('images.list', { dangling: true }), /unknown property "dangling"/);
  });
});
