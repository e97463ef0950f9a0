import assert from 'node:assert/strict';
import type { CreateArguments } from '../../../src/engine/options/options.ts';
import { containerSpec, type ContainerSpec } from '../../../src/recipes/containerSpec.ts';

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

/** What the spec says besides image and name. */
function said(spec: ContainerSpec): Partial<CreateArguments> {
  const own = Object.entries(spec.args).filter(([field]) => field !== 'image' && field !== 'name');
  return Object.fromEntries(own);
}

describe('recipes/containerSpec', () => {
  it('takes any answer, however empty', () => {
    for (const odd of [undefined, null, 7, 'x', [], {}, { Config: 7, HostConfig: [null] }]) {
      assert.deepEqual(said(containerSpec(odd, odd)), {});
    }
  });

  it('calls the image as it was asked for, and by its id where that says nothing', () => {
    assert.equal(specOf({ Image: 'quay.io/a/b:1' }).args.image, 'quay.io/a/b:1');
    assert.equal(specOf({ Image: '%%%' }).args.image, IMAGE_ID);
    assert.equal(specOf({}).imageId, IMAGE_ID);
  });

  it('leaves out the labels of tools and of the image', () => {
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

  it('names what was taken from the image’s environment', () => {
    const spec = specOf({ Env: ['A=1', 'B'] }, {}, { Env: ['A=1', 'B=2', 'C=3'] });
    assert.deepEqual(said(spec), { unsetEnv: ['B', 'C'] });
  });

  it('leaves out what an engine says of itself in the environment, and only then', () => {
    const own = ['TERM=xterm', 'HOSTNAME=x', 'A=1'];
    assert.deepEqual(said(specOf({ Env: [...own, 'container=podman'] })), { env: ['A=1'] });
    assert.deepEqual(said(specOf({ Env: own })), { env: own });
  });

  it('knows a check of health that only differs in its times, and one that is off', () => {
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

  it('writes ports as a person does', () => {
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

  it('knows typed mounts, and names those that say more', () => {
    const Mounts = [
      { Type: 'bind', Source: '/a', Target: '/x', ReadOnly: true },
      { Type: 'volume', Source: 'vol', Target: '/y', VolumeOptions: { NoCopy: true } },
      { Type: 'volume', Target: '/z' },
      { Type: 'tmpfs', Target: '/t' },
      { Type: 'image', Source: 'i', Target: '/i' },
    ];
    const spec = specOf({}, { Mounts, Binds: ['/b:/w:ro,rshared,Z', 'C:\\d:/d'] });
    assert.deepEqual(said(spec), {
      mounts: ['/b:/w:ro,Z', 'C:\\d:/d', '/a:/x:ro', 'vol:/y'],
      tmpfs: ['/t'],
    });
    assert.deepEqual(spec.unsupported, ['Mounts /w', 'Mounts /y', 'Mounts /z', 'Mounts /i']);
  });

  it('says nothing of a volume that its image declares', () => {
    const Mounts = [{ Type: 'volume', Name: ID, Destination: '/data' }];
    const image = { Volumes: { '/data': {} } };
    assert.deepEqual(specOf({}, {}, image, { Mounts }).unsupported, []);
    assert.deepEqual(specOf({}, {}, {}, { Mounts }).unsupported, ['Mounts /data']);
  });

  it('says no host name that is the id, the machine’s or another container’s', () => {
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

  it('names annotations, but not those that Podman makes of other arguments', () => {
    const Annotations = {
      'io.podman.annotations.autoremove': 'TRUE',
      'io.podman.annotations.pids-limit': '100',
    };
    assert.deepEqual(specOf({}, { Annotations }).unsupported, []);
    const chosen = { Annotations: { ...Annotations, 'org.example.owner': 'me' } };
    assert.deepEqual(specOf({}, chosen).unsupported, ['Annotations']);
  });

  it('leaves out, and names, what its own rules would refuse', () => {
    const spec = specOf({ Env: ['A=1', 'a b=c'], User: 'a b' }, { Memory: 1000 });
    assert.deepEqual(said(spec), { env: ['A=1'] });
    assert.deepEqual(spec.unsupported, ['env', 'user', 'memory']);
  });
});
