import assert from 'node:assert/strict';
import { bed } from '../../../bed/env.ts';
import { at, inspect, isThere } from '../kit/engine.ts';
import { refusal, run } from '../kit/commands.ts';
import { stateOf, useLab } from '../kit/lab.ts';
import { offerInRegistry } from '../kit/registry.ts';

describe('gantry.containers.create', () => {
  const lab = useLab('create');
  const { image, registry } = bed();

  it('creates a container from an image alone, without warnings', async () => {
    const created = await run('containers.create', { image });
    lab.keep(created.id);
    assert.deepEqual(Object.keys(created).sort(), ['id', 'warnings']);
    assert.match(created.id, /^[0-9a-f]{64}$/);
    assert.ok(Array.isArray(created.warnings));
    assert.equal(await stateOf(created.id), 'created');
  });

  it('passes command, name, environment and other process options to the engine', async () => {
    const name = lab.name();
    const { id } = await run('containers.create', {
      image,
      name,
      entrypoint: ['/bin/sh', '-c'],
      cmd: ['echo "$A"', 'two words'],
      env: ['A=1', 'EMPTY=', 'EQUALS=a=b', 'EMOJI=🚢'],
      workingDir: '/tmp',
      user: 'nobody:nogroup',
      tty: true,
      openStdin: true,
    });
    const made = await inspect(id);
    assert.equal(at(made, 'Name'), `/${name}`);
    const config = (field: string): unknown => at(made, 'Config', field);
    assert.deepEqual([config('Entrypoint')].flat(), ['/bin/sh', '-c']);
    assert.deepEqual(config('Cmd'), ['echo "$A"', 'two words']);
    const env = config('Env') as readonly string[];
    for (const entry of ['A=1', 'EMPTY=', 'EQUALS=a=b', 'EMOJI=🚢']) {
      assert.ok(env.includes(entry), `${entry} is not in ${env.join(' ')}`);
    }
    assert.equal(config('WorkingDir'), '/tmp');
    assert.equal(config('User'), 'nobody:nogroup');
    assert.equal(config('Tty'), true);
    assert.equal(config('OpenStdin'), true);
  });

  it('passes labels, ports, mounts, restart policy and network to the engine', async () => {
    const { id } = await run('containers.create', {
      image,
      name: lab.name(),
      cmd: ['sleep', '1000'],
      labels: { 'org.example.team': 'red', 'with space': 'a b = c' },
      ports: ['127.0.0.1:48080:80', '81/udp'],
      mounts: ['/tmp:/there:ro'],
      restart: 'on-failure:3',
      network: 'bridge',
    });
    const made = await inspect(id);
    assert.equal(at(made, 'Config', 'Labels', 'org.example.team'), 'red');
    assert.equal(at(made, 'Config', 'Labels', 'with space'), 'a b = c');
    const host = (...path: readonly (string | number)[]): unknown =>
      at(made, 'HostConfig', ...path);
    assert.deepEqual(host('PortBindings', '80/tcp'), [{ HostIp: '127.0.0.1', HostPort: '48080' }]);
    assert.ok(host('PortBindings', '81/udp', 0));
    assert.match(String(host('Binds', 0)), /^\/tmp:\/there:.*\bro\b/);
    assert.equal(host('RestartPolicy', 'Name'), 'on-failure');
    assert.equal(host('RestartPolicy', 'MaximumRetryCount'), 3);
    assert.equal(host('NetworkMode'), 'bridge');
  });

  it('passes autoRemove to the engine', async () => {
    const { id } = await run('containers.create', { image, name: lab.name(), autoRemove: true });
    assert.equal(at(await inspect(id), 'HostConfig', 'AutoRemove'), true);
  });

  it('accepts an image ID too', async () => {
    const [first] = await run('images.list', {});
    const { id } = await run('containers.create', { image: first!.id, name: lab.name() });
    assert.equal(String(at(await inspect(id), 'Image')).replace('sha256:', ''), first!.id.slice(7));
  });

  it('starts the container if requested', async () => {
    const { id } = await run('containers.create', {
      image,
      name: lab.name(),
      cmd: ['sleep', '1000'],
      start: true,
    });
    assert.equal(await stateOf(id), 'running');
  });

  it("reports the engine's message and the name if the start fails, and keeps the container", async () => {
    const name = lab.name();
    const words = await refusal(
      run('containers.create', { image, name, cmd: ['/no/such/program'], start: true }),
      /\/no\/such\/program/,
    );
    assert.ok(words.includes(name), `${words} lacks ${name}`);
    await inspect(name);
  });

  it('keeps the exit code of an auto-removed container', async () => {
    const name = lab.name();
    const { id } = await run('containers.create', {
      image,
      name,
      cmd: ['sh', '-c', 'exit 42'],
      autoRemove: true,
      start: true,
    });
    for (const text of [id, name, id.slice(0, 12), id]) {
      assert.equal((await run('containers.wait', { id: text })).exitCode, 42);
    }
    assert.equal(await isThere(id), false);
    assert.equal((await run('containers.wait', { id: name })).exitCode, 42);
  });

  it('returns the exit code of the last of several auto-removed containers with one name', async () => {
    const name = lab.name();
    const once = async (status: number): Promise<void> => {
      const cmd = ['sh', '-c', `exit ${status}`];
      const options = { image, name, cmd, autoRemove: true, start: true };
      const { id } = await run('containers.create', options);
      await run('containers.wait', { id });
    };
    await once(3);
    await once(4);
    assert.equal((await run('containers.wait', { id: name })).exitCode, 4);
  });

  it('pulls a missing image before creating', async () => {
    const reference = await offerInRegistry(lab.name());
    const { id } = await run('containers.create', { image: reference, name: lab.name() });
    assert.equal(at(await inspect(id), 'Config', 'Image'), reference);
  });

  it('reports an image that no registry has, and creates nothing', async () => {
    const reference = `${registry}/${lab.name('nowhere')}:1`;
    await refusal(run('containers.create', { image: reference, name: lab.name() }));
    assert.equal(await isThere(lab.name()), false);
  });

  it("rejects a name in use with the engine's message", async () => {
    await lab.container(['true']);
    await refusal(run('containers.create', { image, name: lab.name() }), /in use/);
  });

  it('rejects a missing network, and does not treat it as a missing image', async () => {
    const network = lab.name('net');
    const name = lab.name();
    await refusal(run('containers.create', { image, name, network, start: true }), /net/);
  });
});
