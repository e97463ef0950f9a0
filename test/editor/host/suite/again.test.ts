import assert from 'node:assert/strict';
import { bed } from '../../../bed/env.ts';
import { at, inspect, raw } from '../kit/engine.ts';
import { refusal, run } from '../kit/commands.ts';
import { stateOf, useLab } from '../kit/lab.ts';

describe('gantry.containers.runAgain', () => {
  const lab = useLab('again');
  const { image } = bed();

  it('creates and starts an equal container with a name of its own', async () => {
    const first = await run('containers.create', {
      image,
      name: lab.name(),
      cmd: ['sh', '-c', 'exec sleep 1000'],
      env: ['GREETING=hello'],
      labels: { team: 'red' },
      mounts: ['/tmp:/there:ro'],
      memory: '64m',
      stopSignal: 'SIGKILL',
      start: true,
    });
    const { id } = await run('containers.runAgain', { id: first.id });
    const made = await inspect(id);
    assert.notEqual(id, first.id);
    assert.equal(at(made, 'Name'), `/${lab.name()}-2`);
    assert.equal(at(made, 'Config', 'Image'), at(await inspect(first.id), 'Config', 'Image'));
    assert.deepEqual(at(made, 'Config', 'Cmd'), ['sh', '-c', 'exec sleep 1000']);
    assert.ok((at(made, 'Config', 'Env') as readonly string[]).includes('GREETING=hello'));
    assert.equal(at(made, 'Config', 'Labels', 'team'), 'red');
    assert.match(String(at(made, 'HostConfig', 'Binds', 0)), /^\/tmp:\/there:.*\bro\b/);
    assert.equal(at(made, 'HostConfig', 'Memory'), 64 * 2 ** 20);
    assert.equal(await stateOf(id), 'running');
    const again = await run('containers.runAgain', { id, start: false, name: lab.name('other') });
    assert.equal(await stateOf(again.id), 'created');
    assert.equal(at(await inspect(again.id), 'Name'), `/${lab.name('other')}`);
  });

  it('uses the image that the tag points to now', async () => {
    const reference = await lab.image('1', 'moving');
    const first = await lab.container(['true'], 'it', { Image: reference });
    const container = await lab.container(['true'], 'source');
    const repository = reference.slice(0, reference.lastIndexOf(':'));
    const { imageId } = await run('containers.commit', { id: container, repository, tag: '1' });
    const { id } = await run('containers.runAgain', { id: first, start: false });
    const found = String(at(await inspect(id), 'Image')).replace('sha256:', '');
    assert.equal(found, imageId.replace('sha256:', ''));
  });

  it('creates nothing if a port is in use, and reports the container that uses it', async () => {
    const ports = { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '28093' }] };
    const first = await lab.container(['sleep', '1000'], 'it', {
      ExposedPorts: { '80/tcp': {} },
      HostConfig: { PortBindings: ports },
    });
    await raw('POST', `/containers/${first}/start`);
    await refusal(run('containers.runAgain', { id: first }), /28093 is used by again-host/);
    const { id } = await run('containers.runAgain', { id: first, start: false });
    assert.deepEqual(at(await inspect(id), 'HostConfig', 'PortBindings'), ports);
  });

  it('rejects an invalid name and a missing container', async () => {
    const id = await lab.container(['true']);
    await refusal(run('containers.runAgain', { id, name: 'two words' }), /"two words" is not/);
    await refusal(run('containers.runAgain', { id: lab.name('nobody') }), /no.*container/i);
  });
});

describe('gantry.containers.duplicate', () => {
  const lab = useLab('duplicate');

  it('creates an equal container except for the given fields', async () => {
    const first = await lab.container(['sleep', '1000'], 'it', {
      Env: ['A=1', 'B=2'],
      WorkingDir: '/tmp',
      HostConfig: { ReadonlyRootfs: true },
    });
    const { id, warnings } = await run('containers.duplicate', {
      id: first,
      env: ['A=3'],
      healthcheck: { test: 'true', interval: '7s' },
      cpus: 0.5,
    });
    assert.deepEqual(warnings, []);
    const made = await inspect(id);
    assert.equal(at(made, 'Name'), `/${lab.name()}-2`);
    const env = at(made, 'Config', 'Env') as readonly string[];
    assert.deepEqual([env.includes('A=3'), env.includes('B=2')], [true, false]);
    assert.equal(at(made, 'Config', 'WorkingDir'), '/tmp');
    assert.deepEqual(at(made, 'Config', 'Cmd'), ['sleep', '1000']);
    assert.equal(at(made, 'Config', 'Healthcheck', 'Interval'), 7e9);
    assert.equal(at(made, 'HostConfig', 'ReadonlyRootfs'), true);
    assert.equal(at(made, 'HostConfig', 'NanoCpus'), 5e8);
    assert.equal(await stateOf(id), 'created');
  });

  it('rejects the same arguments as create', async () => {
    const id = await lab.container(['true']);
    await refusal(run('containers.duplicate', { id, memory: 'much' }), /"much" is not/);
    await refusal(run('containers.duplicate', { id, image: 'A' }), /capital letters/);
  });
});
