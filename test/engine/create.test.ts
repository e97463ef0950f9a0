import assert from 'node:assert/strict';
import { createContainer, inspectContainer } from '../../src/engine/containers/containers.ts';
import { removeContainer, startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../src/engine/containers/waitForContainer.ts';
import { createSpec } from '../../src/engine/containers/createSpec.ts';
import type { CreateArguments } from '../../src/engine/options/options.ts';
import { asRecord } from '../../src/engine/wire/wire.ts';
import { refusal, Site } from './support.ts';

/** All fields except those that exclude each other. */
const EVERYTHING: Omit<CreateArguments, 'image'> = {
  entrypoint: ['/bin/sh', '-c'],
  cmd: ['true'],
  env: ['A=1', 'TEXT=two words'],
  ports: ['127.0.0.1:48081:80'],
  mounts: ['/tmp:/there:ro'],
  labels: { 'gantry.test': 'all' },
  restart: 'on-failure:2',
  tty: true,
  openStdin: true,
  hostname: 'web.example',
  dns: ['9.9.9.9'],
  extraHosts: ['db:10.0.0.1'],
  publishAll: true,
  workingDir: '/tmp',
  user: '0:0',
  healthcheck: {
    test: ['sh', '-c', 'test -e "/a b"'],
    interval: '1m30s',
    timeout: '5s',
    startPeriod: '2s',
    retries: 4,
  },
  stopSignal: 'SIGINT',
  stopTimeout: 7,
  memory: '64m',
  shmSize: '32m',
  cpus: 0.5,
  pidsLimit: 50,
  init: false,
  readOnly: true,
  privileged: false,
  capAdd: ['NET_ADMIN'],
  capDrop: ['CHOWN'],
  securityOpt: ['no-new-privileges'],
  devices: ['/dev/null:/dev/nothing:rw'],
  tmpfs: ['/run:size=1m'],
};

/** Returns the value at a path of an inspect response. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((now, key) => asRecord(now)[key], value);
}

describe('creating a container from arguments, on a real engine', () => {
  let site: Site;
  const made: string[] = [];
  beforeEach(() => (site = new Site()));
  afterEach(async () => {
    for (const id of made.splice(0)) await removeContainer(site.connection, id, { force: true });
    await site.leave();
  });

  async function create(fields: Omit<CreateArguments, 'image'>): Promise<string> {
    const args = { image: site.facts.image, name: site.name(), ...fields };
    const { id } = await createContainer(site.connection, createSpec(args));
    made.push(id);
    return id;
  }

  it('applies all arguments', async () => {
    const { raw } = await inspectContainer(site.connection, await create(EVERYTHING));
    const config = (...path: string[]): unknown => at(raw, 'Config', ...path);
    const host = (...path: string[]): unknown => at(raw, 'HostConfig', ...path);
    assert.equal(config('Hostname'), 'web.example');
    assert.equal(config('StopTimeout'), 7);
    assert.match(String(config('StopSignal')), /^(?:SIGINT|2)$/);
    assert.deepEqual(
      ['Interval', 'Timeout', 'StartPeriod', 'Retries'].map((field) =>
        config('Healthcheck', field),
      ),
      [90e9, 5e9, 2e9, 4],
    );
    assert.match(JSON.stringify(config('Healthcheck', 'Test')), /sh.*-c.*test -e .*\/a b/);
    assert.deepEqual(
      ['Memory', 'ShmSize', 'NanoCpus', 'PidsLimit'].map((field) => host(field)),
      [64 * 2 ** 20, 32 * 2 ** 20, 5e8, 50],
    );
    assert.deepEqual([host('ReadonlyRootfs'), host('Privileged')], [true, false]);
    assert.deepEqual([host('Dns'), host('ExtraHosts')], [['9.9.9.9'], ['db:10.0.0.1']]);
    assert.match(JSON.stringify(host('CapAdd')), /NET_ADMIN/);
    assert.match(JSON.stringify(host('CapDrop')), /CHOWN/);
    assert.match(JSON.stringify(host('SecurityOpt')), /no-new-privileges/);
    assert.match(JSON.stringify(host('Devices')), /"\/dev\/nothing"/);
    assert.match(String(host('Tmpfs', '/run')), /size=1m/);
    // Podman 4 does not record this; it has already published the ports that the image exposes.
    if (!site.isPodman) assert.equal(host('PublishAllPorts'), true);
  });

  it('turns the health check off', async () => {
    const { raw } = await inspectContainer(
      site.connection,
      await create({ healthcheck: false, cmd: ['true'] }),
    );
    assert.deepEqual(at(raw, 'Config', 'Healthcheck', 'Test'), ['NONE']);
  });

  it('unsets a variable of the image, or is rejected', async () => {
    const image = site.owns(`${site.repository()}:1`);
    const { Id } = (await imageWith(image, ['ENV GREETING=hello'])) as { readonly Id?: string };
    assert(Id !== undefined);
    const cmd = ['sh', '-c', 'test -z "$GREETING"'];
    const request = createSpec({ image, name: site.name(), unsetEnv: ['GREETING'], cmd });
    const creation = createContainer(site.connection, request);
    if (site.isPodman) {
      assert.equal((await refusal(creation)).engineMessage, 'cannot unset GREETING');
      return;
    }
    const { id } = await creation;
    made.push(id);
    const { exit } = await waitForContainer(site.connection, id, 'next-exit');
    await startContainer(site.connection, id);
    assert.equal((await exit).exitCode, 0);
  });

  /** Commits an image with changes to the bed's image. */
  async function imageWith(reference: string, changes: readonly string[]): Promise<unknown> {
    const container = await site.create(['true']);
    const colon = reference.lastIndexOf(':');
    const reply = await site.connection.send({
      method: 'POST',
      path: '/commit',
      query: {
        container,
        repo: reference.slice(0, colon),
        tag: reference.slice(colon + 1),
        changes,
      },
      body: {},
    });
    return reply.json();
  }
});
