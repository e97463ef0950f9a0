import assert from 'node:assert/strict';
import { parseEndpoint, type Machine } from '../../../src/engine/http/endpoint.ts';
import { isEngineOfCli } from '../../../src/engines/isEngineOfCli.ts';
import { contextFile, contextText, machineWith, SOCKET } from '../engine/discovery/fakeFiles.ts';

describe('the engine of a command-line program', () => {
  const is = (url: string, program: string, machine: Machine): Promise<boolean> =>
    isEngineOfCli(parseEndpoint(url, 'setting'), program, machine);
  const DOCKER = 'unix:///var/run/docker.sock';
  const config = '/home/me/.docker/config.json';

  it('is that of DOCKER_HOST, of the current context, or the default socket of Docker', async () => {
    const context = {
      [config]: '{"currentContext":"far"}',
      [contextFile('far')]: contextText('far', 'ssh://me@far'),
    };
    for (const [url, machine, expected] of [
      [DOCKER, machineWith({}), true],
      ['unix:///run/docker.sock', machineWith({}), true],
      ['unix:///other.sock', machineWith({}), false],
      [DOCKER, machineWith({}, { DOCKER_HOST: 'tcp://10.0.0.9:2375' }), false],
      ['tcp://10.0.0.9:2375', machineWith({}, { DOCKER_HOST: 'tcp://10.0.0.9:2375' }), true],
      ['ssh://me@far', machineWith(context), true],
      [DOCKER, machineWith(context), false],
      [DOCKER, machineWith(context, { DOCKER_HOST: DOCKER }), true],
      [DOCKER, machineWith({}, { DOCKER_HOST: 'not an address' }), false],
    ] as const)
      for (const program of ['docker', '/opt/bin/docker.exe', 'my-wrapper'])
        assert.equal(await is(url, program, machine), expected, `${url} ${program}`);
  });

  it('is that of the user for Podman on Linux, whatever Docker uses', async () => {
    const own = 'unix:///run/user/1000/podman/podman.sock';
    const system = 'unix:///run/podman/podman.sock';
    const files = { '/run/user/1000/podman/podman.sock': SOCKET };
    const env = { XDG_RUNTIME_DIR: '/run/user/1000', DOCKER_HOST: system };
    const user = machineWith(files, env, { uid: 1000 });
    const root = machineWith(files, env, { uid: 0 });
    for (const program of ['podman', '/usr/bin/podman-remote', 'C:\\Podman\\podman.exe']) {
      assert.equal(await is(own, program, user), true, program);
      assert.equal(await is(system, program, user), false, program);
      assert.equal(await is(system, program, root), true, program);
      assert.equal(await is(DOCKER, program, root), false, program);
    }
  });

  it('is that of CONTAINER_HOST for Podman, or of a connection elsewhere', async () => {
    const far = 'ssh://core@127.0.0.1:53000/run/user/501/podman/podman.sock';
    const there = machineWith({}, { CONTAINER_HOST: far });
    assert.equal(await is(far, 'podman', there), true);
    assert.equal(await is('unix:///run/podman/podman.sock', 'podman', there), false);
    const odd = machineWith({}, { CONTAINER_HOST: 'not an address' });
    assert.equal(await is(far, 'podman', odd), false);
    const file = '/home/me/.config/containers/podman-connections.json';
    const connections = { Connection: { Connections: { one: { URI: far } } } };
    const mac = machineWith({ [file]: JSON.stringify(connections) }, {}, { platform: 'darwin' });
    assert.equal(await is(far, 'podman', mac), true);
    assert.equal(await is(far, 'docker', mac), false);
  });
});
