import assert from 'node:assert/strict';
import {
  commitContainer,
  createContainer,
  inspectContainer,
} from '../../src/engine/containers/containers.ts';
import { createSpec } from '../../src/engine/containers/createSpec.ts';
import { removeContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { readContainerSpec, type ContainerSpec } from '../../src/recipes/containerSpec.ts';
import { Site } from './support.ts';

type Wire = Record<string, unknown>;

/** Returns the relevant part of an inspect response, without values that differ between any two containers. */
function essence(raw: unknown): unknown {
  const { Id, Config, HostConfig, Mounts } = raw as {
    readonly Id: string;
    readonly Config: Wire & { readonly Hostname: string };
    readonly HostConfig: Wire;
    readonly Mounts: readonly Wire[];
  };
  const network = HostConfig['NetworkMode'];
  const isOwn = Id.startsWith(Config.Hostname);
  const mounts = Mounts.map(({ Type, Destination, RW }) => [Destination, Type, RW].join());
  return {
    config: { ...Config, Hostname: isOwn ? '' : Config.Hostname, Env: sorted(Config['Env']) },
    host: {
      ...HostConfig,
      Binds: sorted(HostConfig['Binds']).map(withoutId),
      NetworkMode: network === 'default' ? 'bridge' : network,
      // An engine records the runtime only after it has selected one.
      Runtime: '',
    },
    mounts: mounts.sort(),
  };
}

/** Removes the ID of an anonymous volume, which differs between containers. */
function withoutId(bind: string): string {
  return bind.replace(/^[0-9a-f]{64}:/, ':');
}

/** Sorts values whose order engines do not preserve. */
function sorted(texts: unknown): readonly string[] {
  return [...((texts ?? []) as readonly string[])].sort();
}

describe('reading the configuration of a container, on a real engine', () => {
  let site: Site;
  /** A folder of the engine's host that exists. */
  const colonFolder = '/sys/dev/char/1:3';
  beforeEach(() => (site = new Site('default')));
  afterEach(() => site.leave());

  /** Creates another container from the spec of a container, and asserts that both are equal. */
  async function roundTrip(id: string): Promise<ContainerSpec> {
    const spec = await readContainerSpec(site.connection, id);
    const request = createSpec({ ...spec.args, name: site.name() });
    const again = await createContainer(site.connection, request);
    try {
      const [first, second] = await Promise.all(
        [id, again.id].map((one) => inspectContainer(site.connection, one)),
      );
      assert.deepEqual(essence(second!.raw), essence(first!.raw));
      const { args, unsupported } = await readContainerSpec(site.connection, again.id);
      assert.deepEqual(
        { ...args, env: sorted(args.env), name: '' },
        { ...spec.args, env: sorted(spec.args.env), name: '' },
      );
      assert.deepEqual(unsupported, spec.unsupported);
    } finally {
      await removeContainer(site.connection, again.id, { force: true, volumes: true });
    }
    return spec;
  }

  it('returns only image and name if nothing else is set', async () => {
    const name = site.name();
    const { id } = await createContainer(site.connection, {
      name,
      body: { Image: site.facts.image },
    });
    try {
      const { args, unsupported: left } = await roundTrip(id);
      assert.deepEqual({ ...args, image: '' }, { image: '', name });
      assert.match(args.image, /gantry-test\/busybox:latest$/);
      assert.deepEqual(left, []);
    } finally {
      await removeContainer(site.connection, id);
    }
  });

  it('returns every supported setting', async () => {
    const volume = site.volume();
    const id = await site.create(['sh', '-c', "echo 'a b' $X"], {
      body: {
        Entrypoint: ['/bin/busybox', 'env'],
        ExposedPorts: { '80/tcp': {}, '81/udp': {} },
        Env: ['A=1', 'EMPTY=', 'TEXT=a=b "c" $D', 'LINES=a\nb'],
        Labels: { team: 'red' },
        User: 'nobody',
        WorkingDir: '/tmp',
        Tty: true,
        OpenStdin: true,
        Hostname: 'harbour',
        StopSignal: 'SIGINT',
        StopTimeout: 3,
        ...(!site.isPodman && {
          Healthcheck: { Test: ['CMD-SHELL', 'true || false'], Interval: 5e9, Retries: 7 },
        }),
        HostConfig: {
          PortBindings: {
            '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '48123' }],
            '81/udp': [{ HostIp: '', HostPort: '48124' }],
          },
          Binds: ['/tmp:/there:ro', `${volume}:/data`],
          Tmpfs: { '/scratch': 'size=64m' },
          RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
          Dns: ['192.0.2.1'],
          ExtraHosts: ['db:192.0.2.2'],
          Memory: 64 * 1024 ** 2,
          ShmSize: 32 * 1024 ** 2,
          NanoCpus: 500_000_000,
          PidsLimit: 100,
          ReadonlyRootfs: true,
          CapAdd: ['NET_ADMIN'],
          CapDrop: ['CHOWN'],
          SecurityOpt: ['no-new-privileges'],
          Devices: [
            { PathOnHost: '/dev/null', PathInContainer: '/dev/nil', CgroupPermissions: 'rwm' },
          ],
        },
      },
    });
    const { args, unsupported: left } = await roundTrip(id);
    assert.deepEqual(left, []);
    const { name, image, env, ports, stopSignal, healthcheck, ...rest } = args;
    assert.ok(name !== undefined && image !== '');
    assert.deepEqual(sorted(env), ['A=1', 'EMPTY=', 'LINES=a\nb', 'TEXT=a=b "c" $D']);
    // Podman 5 adds 0.0.0.0 to a port without an address.
    const published = ports?.map((port) => port.replace(/^0\.0\.0\.0:/, ''));
    assert.deepEqual(sorted(published), ['127.0.0.1:48123:80', '48124:81/udp']);
    assert.match(stopSignal ?? '', /^(?:SIGINT|2)$/);
    assert.deepEqual(
      healthcheck,
      site.isPodman ? undefined : { test: 'true || false', interval: '5s', retries: 7 },
    );
    assert.deepEqual(rest, {
      entrypoint: ['/bin/busybox', 'env'],
      cmd: ['sh', '-c', "echo 'a b' $X"],
      labels: { team: 'red' },
      user: 'nobody',
      workingDir: '/tmp',
      tty: true,
      openStdin: true,
      hostname: 'harbour',
      stopTimeout: 3,
      mounts: ['/tmp:/there:ro', `${volume}:/data`],
      tmpfs: ['/scratch:size=64m'],
      restart: 'on-failure:3',
      dns: ['192.0.2.1'],
      extraHosts: ['db:192.0.2.2'],
      memory: '64m',
      shmSize: '32m',
      cpus: 0.5,
      pidsLimit: 100,
      readOnly: true,
      capAdd: ['NET_ADMIN'],
      capDrop: ['CHOWN'],
      securityOpt: ['no-new-privileges'],
      devices: ['/dev/null:/dev/nil'],
    });
  });

  it('copies what other tools create: a port range, users, names, and paths with a colon', async () => {
    const network = site.name();
    const container = site.name();
    await site.connection.send({
      method: 'POST',
      path: '/networks/create',
      body: { Name: network },
    });
    try {
      const body = {
        Image: site.facts.image,
        Cmd: ['sleep', '1'],
        Hostname: 'my_host',
        User: '1000:',
        ...(!site.isPodman && { ExposedPorts: { '80/tcp': {} } }),
        HostConfig: {
          NetworkMode: network,
          Mounts: [{ Type: 'bind', Source: colonFolder, Target: '/c' }],
          // Podman takes no range.
          ...(!site.isPodman && {
            PortBindings: { '80/tcp': [{ HostIp: '', HostPort: '48200-48210' }] },
          }),
        },
      };
      const { id } = await createContainer(site.connection, { name: container, body });
      const { args, unsupported } = await roundTrip(id);
      assert.deepEqual(unsupported, []);
      assert.deepEqual([args.network, args.hostname, args.user], [network, 'my_host', '1000:']);
      assert.deepEqual(args.mounts, [`type=bind,source=${colonFolder},target=/c`]);
      assert.deepEqual(args.ports, site.isPodman ? undefined : ['48200-48210:80']);
    } finally {
      await removeContainer(site.connection, container, { force: true });
      await site.connection.send({ method: 'DELETE', path: `/networks/${network}` });
    }
  });

  it('names a runtime that is not the default', async function () {
    if (site.isPodman) this.skip();
    const id = await site.create(['true'], {
      body: { HostConfig: { Runtime: 'io.containerd.runc.v2', CgroupParent: '/gantry-parent' } },
    });
    const { essential, unsupported } = await readContainerSpec(site.connection, id);
    assert.deepEqual([essential, unsupported], [['Runtime'], ['Runtime', 'CgroupParent']]);
  });

  describe('created from an image with settings of its own', () => {
    let image: string;
    beforeEach(async () => {
      const id = await site.create(['true']);
      const repository = site.repository();
      await commitContainer(site.connection, {
        id,
        repository,
        pause: false,
        changes: [
          'ENTRYPOINT ["/bin/busybox"]',
          'CMD ["sleep", "1000"]',
          'ENV KEPT=1',
          'ENV CHANGED=1',
          'USER nobody',
          'WORKDIR /var',
          'LABEL kept=1',
          'LABEL changed=1',
          'EXPOSE 80',
          'VOLUME /data',
        ],
      });
      image = site.owns(`${repository}:latest`);
    });

    const own = (body: Record<string, unknown>): Promise<string> =>
      createOf({ Image: image, ...body });
    async function createOf(body: Record<string, unknown>): Promise<string> {
      const request = { name: site.name(), body };
      const { id } = await createContainer(site.connection, request);
      site.keep(id);
      return id;
    }
    const fields = ({ args }: ContainerSpec): object => ({
      ...args,
      image: '',
      name: '',
      env: sorted(args.env),
    });

    it('returns only the image if the container changes nothing', async () => {
      const spec = await roundTrip(await own({}));
      assert.deepEqual(fields(spec), { image: '', name: '', env: [] });
      assert.deepEqual(spec.unsupported, []);
    });

    it('returns only what the container adds and changes', async () => {
      const spec = await roundTrip(
        await own({
          Cmd: ['sleep', '2'],
          Env: ['CHANGED=2', 'NEW=3'],
          Labels: { changed: '2', fresh: '3' },
          User: 'root',
          WorkingDir: '/tmp',
        }),
      );
      assert.deepEqual(fields(spec), {
        ...{ image: '', name: '', cmd: ['sleep', '2'], env: ['CHANGED=2', 'NEW=3'] },
        ...{ labels: { changed: '2', fresh: '3' }, user: 'root', workingDir: '/tmp' },
      });
    });

    it('returns an empty entrypoint', async () => {
      const spec = await roundTrip(await own({ Entrypoint: [''], Cmd: ['sleep', '3'] }));
      assert.deepEqual(fields(spec), {
        ...{ image: '', name: '', env: [], entrypoint: [''], cmd: ['sleep', '3'] },
      });
    });

    it('returns an entrypoint that only clears the command', async () => {
      const spec = await roundTrip(await own({ Entrypoint: ['/bin/busybox'] }));
      assert.deepEqual(fields(spec), {
        image: '',
        name: '',
        env: [],
        entrypoint: ['/bin/busybox'],
      });
    });

    it('lists the settings that no argument supports', async () => {
      const id = await own({
        HostConfig: { OomScoreAdj: 100, GroupAdd: ['nogroup'], Memory: 8e6, MemorySwap: 9e6 },
        ExposedPorts: { '90/udp': {} },
      });
      const { unsupported } = await readContainerSpec(site.connection, id);
      assert.deepEqual(sorted(unsupported), [
        'ExposedPorts 90/udp',
        'GroupAdd',
        'MemorySwap',
        'OomScoreAdj',
      ]);
    });
  });
});
