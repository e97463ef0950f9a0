import assert from 'node:assert/strict';
import type { CreateArguments } from '../../../src/engine/options/options.ts';
import { createSpec } from '../../../src/engine/containers/createSpec.ts';
import { formatRunCommand } from '../../../src/recipes/formatRunCommand.ts';
import { containerSpec, type ContainerSpec } from '../../../src/recipes/containerSpec.ts';

type Wire = Readonly<Record<string, unknown>>;

const ID = 'ab12'.repeat(16);
const IMAGE_ID = `sha256:${'0'.repeat(64)}`;

function specOf(
  config: object,
  host: object = {},
  image: object = {},
  more: object = {},
): ContainerSpec {
  const container = {
    Id: ID,
    Name: '/web',
    Image: IMAGE_ID,
    Config: { Image: 'busybox', ...config },
    HostConfig: host,
    ...more,
  };
  return containerSpec(container, { Config: image });
}

/** Returns the options of the spec without image and name. */
function said(spec: ContainerSpec): Partial<CreateArguments> {
  const own = Object.entries(spec.args).filter(([field]) => field !== 'image' && field !== 'name');
  return Object.fromEntries(own);
}

describe('recipes/containerSpec', () => {
  it('accepts any response, even an empty one', () => {
    for (const odd of [undefined, null, 7, 'x', [], {}, { Config: 7, HostConfig: [null] }]) {
      assert.deepEqual(said(containerSpec(odd, odd)), {});
    }
  });

  it('returns the image as requested, or its ID if that is not a reference', () => {
    assert.equal(specOf({ Image: 'quay.io/a/b:1' }).args.image, 'quay.io/a/b:1');
    assert.equal(specOf({ Image: '%%%' }).args.image, IMAGE_ID);
  });

  it('omits labels of tools and of the image', () => {
    const Labels = {
      a: '1',
      b: '2',
      'com.docker.compose.project': 'shop',
      PODMAN_SYSTEMD_UNIT: 'x',
    };
    assert.deepEqual(said(specOf({ Labels }, {}, { Labels: { a: '1', b: '1' } })), {
      labels: { b: '2' },
    });
  });

  it('returns the variables that were unset', () => {
    const spec = specOf({ Env: ['A=1', 'B'] }, {}, { Env: ['A=1', 'B=2', 'C=3'] });
    assert.deepEqual(said(spec), { unsetEnv: ['B', 'C'] });
  });

  it('omits variables that Podman adds, but only if Podman did', () => {
    const own = ['TERM=xterm', 'HOSTNAME=x', 'A=1'];
    assert.deepEqual(said(specOf({ Env: [...own, 'container=podman'] })), { env: ['A=1'] });
    assert.deepEqual(said(specOf({ Env: own })), { env: own });
  });

  it('returns a health check that differs only in its intervals, or is turned off', () => {
    const check = { Test: ['CMD', 'a b', 'c'], Interval: 60e9 };
    const own = { ...check, Interval: 5e9, Timeout: 30e9, Retries: 3 };
    assert.deepEqual(said(specOf({ Healthcheck: own }, {}, { Healthcheck: check })), {
      healthcheck: { interval: '5s' },
    });
    assert.deepEqual(said(specOf({ Healthcheck: own })), {
      healthcheck: { test: ['a b', 'c'], interval: '5s' },
    });
    const off = { Healthcheck: { Test: ['NONE'] } };
    assert.deepEqual(said(specOf(off, {}, { Healthcheck: check })), { healthcheck: false });
    assert.deepEqual(said(specOf(off)), {});
  });

  it('reads CPUs as a number or a quota, and names a period that is not the default', () => {
    assert.deepEqual(said(specOf({}, { NanoCpus: 15e8 })), { cpus: 1.5 });
    assert.deepEqual(said(specOf({}, { CpuQuota: 5e4, CpuPeriod: 1e5 })), { cpus: 0.5 });
    // The kernel has a default period.
    assert.deepEqual(said(specOf({}, { CpuQuota: 5e4 })), { cpus: 0.5 });
    const period = specOf({}, { CpuPeriod: 1e5 });
    assert.deepEqual([said(period), period.unsupported], [{}, []]);
    const other = specOf({}, { CpuQuota: 25e3, CpuPeriod: 5e4 });
    assert.deepEqual([said(other), other.unsupported], [{ cpus: 0.5 }, ['CpuPeriod']]);
  });

  it('formats ports as users write them', () => {
    const PortBindings = {
      '80/tcp': [
        { HostIp: '', HostPort: '8080' },
        { HostIp: '::1', HostPort: '' },
      ],
      '53/udp': [{ HostIp: '127.0.0.1', HostPort: '0' }],
      '90/tcp': null,
    };
    assert.deepEqual(said(specOf({}, { PortBindings })), {
      ports: ['8080:80', '[::1]:80', '127.0.0.1:53/udp'],
    });
  });

  it('reads typed mounts, and names those with unsupported options', () => {
    const Mounts = [
      { Type: 'bind', Source: '/a', Target: '/x', ReadOnly: true },
      { Type: 'volume', Source: 'vol', Target: '/y', VolumeOptions: { NoCopy: true } },
      { Type: 'volume', Target: '/z' },
      { Type: 'tmpfs', Target: '/t', TmpfsOptions: { SizeBytes: 1024, Mode: 0o1700 } },
      { Type: 'image', Source: 'i', Target: '/i' },
    ];
    const Binds = ['/b:/w:ro,rshared,Z', 'C:\\d:/d', `${ID}:/nameless`];
    const spec = specOf({}, { Mounts, Binds });
    assert.deepEqual(said(spec), {
      mounts: [
        '/b:/w:ro,rshared,Z',
        'C:\\d:/d',
        '/a:/x:ro',
        'type=volume,source=vol,target=/y,volume-nocopy',
        '/z',
      ],
      tmpfs: ['/t:size=1024,mode=1700'],
    });
    assert.deepEqual(
      spec.unsupported,
      ['/nameless', '/i'].map((target) => `Mounts ${target}`),
    );
  });

  it('omits a volume that the image declares', () => {
    const Mounts = [{ Type: 'volume', Name: ID, Destination: '/data' }];
    const image = { Volumes: { '/data': {} } };
    assert.deepEqual(specOf({}, {}, image, { Mounts }).unsupported, []);
    assert.deepEqual(specOf({}, {}, {}, { Mounts }).unsupported, ['Mounts /data']);
  });

  it('omits a host name that is the ID, or that of the host or another container', () => {
    const name = (Hostname: string, NetworkMode = 'default'): unknown =>
      said(specOf({ Hostname }, { NetworkMode })).hostname;
    assert.equal(name(ID.slice(0, 12)), undefined);
    assert.equal(name('harbour', 'host'), undefined);
    assert.equal(name('harbour', 'container:x'), undefined);
    assert.equal(name('harbour'), 'harbour');
  });

  it('names further networks and fixed addresses', () => {
    const Networks = { front: {}, back: { IPAMConfig: { IPv4Address: '10.0.0.2' } } };
    const host = { NetworkMode: 'front' };
    assert.deepEqual(specOf({}, host, {}, { NetworkSettings: { Networks } }).unsupported, [
      'Networks back',
    ]);
    const one = { back: Networks.back };
    const more = { NetworkSettings: { Networks: one } };
    assert.deepEqual(specOf({}, { NetworkMode: 'back' }, {}, more).unsupported, [
      'IPAMConfig back',
    ]);
  });

  it('names aliases on the network, but not those that every container has', () => {
    const aliases = (Aliases: readonly string[]): readonly string[] => {
      const more = { NetworkSettings: { Networks: { back: { Aliases } } } };
      return specOf({ Hostname: 'h' }, { NetworkMode: 'back' }, {}, more).unsupported;
    };
    assert.deepEqual(aliases(['web', ID.slice(0, 12), 'h']), []);
    assert.deepEqual(aliases(['web', 'db']), ['Aliases back']);
  });

  it('names what else was chosen for the network', () => {
    const back = { GwPriority: 5, DriverOpts: { a: 'b' }, Links: ['db:x'] };
    const usual = { GwPriority: 0, DriverOpts: null, Links: null };
    const left = (one: object): readonly string[] =>
      specOf({}, { NetworkMode: 'back' }, {}, { NetworkSettings: { Networks: { back: one } } })
        .unsupported;
    assert.deepEqual(left(back), ['DriverOpts back', 'GwPriority back', 'Links back']);
    assert.deepEqual(left(usual), []);
  });

  it('names a mounted image, also if it is listed only among the mounts in use', () => {
    const Mounts = [{ Type: 'image', Source: 'app:1', Destination: '/app' }];
    const { unsupported, essential } = specOf({}, {}, {}, { Mounts });
    assert.deepEqual([unsupported, essential], [['Mounts /app'], ['Mounts /app']]);
  });

  it('names limits that Podman lists only if they were chosen', () => {
    const own = ['RLIMIT_NOFILE', 'RLIMIT_NPROC'].map((Name) => ({ Name, Soft: 1, Hard: 1 }));
    const core = { Name: 'RLIMIT_CORE', Soft: 0, Hard: 0 };
    assert.deepEqual(specOf({}, { Ulimits: own }).unsupported, []);
    assert.deepEqual(specOf({}, { Ulimits: [...own, core] }).unsupported, ['Ulimits']);
    const CreateCommand = ['podman', 'run', '--ulimit=nofile=9:9', 'app'];
    assert.deepEqual(specOf({ CreateCommand }, { Ulimits: own }).unsupported, ['Ulimits']);
  });

  it('names a MAC address, but not the one that the engine gave to a container that has run', () => {
    assert.deepEqual(specOf({ MacAddress: '02:00:00:00:00:01' }).unsupported, ['MacAddress']);
    const NetworkSettings = { Networks: { bridge: { MacAddress: '02:00:00:00:00:01' } } };
    const inState = (Status: string): readonly string[] =>
      specOf({}, {}, {}, { NetworkSettings, State: { Status } }).unsupported;
    assert.deepEqual(inState('created'), ['MacAddress']);
    assert.deepEqual(inState('running'), []);
  });

  it('names the interval of health checks during the start, unless it is that of the image', () => {
    const Healthcheck = { Test: ['CMD', 'true'], StartInterval: 2e9 };
    assert.deepEqual(specOf({ Healthcheck }).unsupported, ['Healthcheck StartInterval']);
    assert.deepEqual(specOf({ Healthcheck }, {}, { Healthcheck }).unsupported, []);
  });

  it('names annotations, but not those that Podman derives from other options', () => {
    const Annotations = {
      'io.podman.annotations.autoremove': 'TRUE',
      'io.podman.annotations.pids-limit': '100',
    };
    assert.deepEqual(specOf({}, { Annotations }).unsupported, []);
    const chosen = { Annotations: { ...Annotations, 'org.example.owner': 'me' } };
    assert.deepEqual(specOf({}, chosen).unsupported, ['Annotations']);
  });

  it('names ulimits that the user set, but not those that Podman records', () => {
    const limit = (Name: string): object => ({ Name, Soft: 1024, Hard: 1024 });
    assert.deepEqual(specOf({}, { Ulimits: [limit('RLIMIT_NOFILE')] }).unsupported, []);
    const Ulimits = [limit('RLIMIT_NOFILE'), limit('nofile')];
    assert.deepEqual(specOf({}, { Ulimits }).unsupported, ['Ulimits']);
  });

  it('names a swap limit that is not the default for the memory limit', () => {
    const unsupported = (host: object): readonly string[] => specOf({}, host).unsupported;
    const Memory = 64 * 2 ** 20;
    for (const usual of [{ MemorySwap: 0 }, { Memory, MemorySwap: 2 * Memory }, { Memory }])
      assert.deepEqual(unsupported(usual), []);
    for (const chosen of [
      { Memory, MemorySwap: -1 },
      { MemorySwap: Memory },
      { Memory, MemorySwap: Memory },
    ])
      assert.deepEqual(unsupported(chosen), ['MemorySwap']);
  });

  it('names a log driver with another destination or with options', () => {
    const unsupported = (LogConfig: object): readonly string[] =>
      specOf({}, { LogConfig }).unsupported;
    for (const Type of ['json-file', 'journald', 'k8s-file', ''])
      assert.deepEqual(unsupported({ Type, Config: {} }), []);
    assert.deepEqual(unsupported({ Type: 'syslog', Config: {} }), ['LogConfig']);
    const Config = { 'max-size': '1m' };
    assert.deepEqual(unsupported({ Type: 'json-file', Config }), ['LogConfig']);
  });

  it('names a mount that cannot be parsed', () => {
    assert.deepEqual(specOf({}, { Binds: ['/a:/b:c:/d'] }).unsupported, ['Mounts /a:/b:c:/d']);
  });

  it('omits and names values that would be rejected', () => {
    const PortBindings = { '80/tcp': [{ HostIp: 'web.example', HostPort: '80' }] };
    const spec = specOf({ Env: ['A=1', '=secret'], StopSignal: 'SIG KILL' }, { PortBindings });
    assert.deepEqual(said(spec), { env: ['A=1'] });
    assert.deepEqual(spec.unsupported, ['env', 'ports web.example:80:80', 'stopSignal SIG KILL']);
    assert.deepEqual(spec.essential, ['ports web.example:80:80']);
  });

  it('reads what other tools create: port ranges, users, names, and paths with a colon', () => {
    const host = {
      NetworkMode: 'my net',
      PortBindings: { '80/tcp': [{ HostIp: '', HostPort: '18000-18010' }] },
      Mounts: [
        { Type: 'bind', Source: '/data/a:b', Target: '/c', ReadOnly: true },
        { Type: 'bind', Source: '/x,"y', Target: '/d:e', BindOptions: { Propagation: 'rslave' } },
      ],
      Binds: ['/only'],
    };
    const { args, unsupported } = specOf({ Hostname: 'my_host', User: '1000:' }, host);
    assert.deepEqual(unsupported, []);
    assert.deepEqual(args, {
      image: 'busybox',
      name: 'web',
      ports: ['18000-18010:80'],
      network: 'my net',
      hostname: 'my_host',
      mounts: [
        '/only',
        'type=bind,source=/data/a:b,target=/c,readonly',
        'type=bind,"source=/x,""y",target=/d:e,bind-propagation=rslave',
      ],
      user: '1000:',
    });
    const { body } = createSpec(args);
    assert.deepEqual((body['HostConfig'] as Wire)['Mounts'], host.Mounts);
    assert.match(
      formatRunCommand(args),
      / -v \/only --mount type=bind,source=\/data\/a:b,target=\/c,readonly /,
    );
  });

  it('reads the binds and the network that Podman reports', () => {
    const host = {
      Runtime: 'oci',
      NetworkMode: 'bridge',
      PidsLimit: -1,
      ShmSize: 67_108_864,
      Binds: ['/data/a:b:/c:rw,rprivate,rbind', `${ID}:/anonymous:rw`],
    };
    const more = (network: string): object => ({
      Mounts: [{ Type: 'bind', Source: '/data/a:b', Destination: '/c' }],
      NetworkSettings: { Networks: { [network]: {} } },
    });
    const spec = specOf({}, host, {}, more('back'));
    assert.deepEqual(said(spec), {
      network: 'back',
      mounts: ['type=bind,source=/data/a:b,target=/c'],
      shmSize: '64m',
      pidsLimit: -1,
    });
    assert.deepEqual(spec.essential, ['Mounts /anonymous']);
    assert.equal(specOf({}, host, {}, more('podman')).args.network, undefined);
  });

  it('keeps a limit that is the default of another engine', () => {
    assert.deepEqual(said(specOf({}, { PidsLimit: 2048, ShmSize: 65_536_000 })), {
      pidsLimit: 2048,
      shmSize: '64000k',
    });
  });

  it('does not take a short host name for the beginning of the ID', () => {
    assert.equal(specOf({ Hostname: ID.slice(0, 2) }).args.hostname, ID.slice(0, 2));
  });

  it('copies a volume without a name as one without a name', () => {
    const Mounts = [{ Type: 'volume', Name: ID, Destination: '/data' }];
    const spec = specOf({ Volumes: { '/data': {} } }, {}, {}, { Mounts });
    assert.deepEqual([said(spec), spec.unsupported], [{ mounts: ['/data'] }, []]);
  });
});
