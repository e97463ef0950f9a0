import assert from 'node:assert/strict';

import { createSpec } from '../../../../src/engine/containers/createSpec.ts';
import type { CreateArguments } from '../../../../src/engine/options/options.ts';
import { InputError } from '../../../../src/engine/errors.ts';

const HEX = '0123456789abcdef'.repeat(4);

describe('engine/createSpec: the request', () => {
  it('requests only what was given', () => {
    assert.deepEqual(createSpec({ image: 'busybox' }), {
      name: undefined,
      platform: undefined,
      body: { Image: 'busybox', HostConfig: {} },
    });
  });

  it('puts each option into its field', () => {
    const args: CreateArguments = {
      image: '127.0.0.1:5055/sample:1',
      cmd: ['sh', '-c', 'sleep 1'],
      entrypoint: ['/tini', '--'],
      name: 'web-1',
      env: ['A=1', 'EMPTY=', 'EQ=a=b', 'TEXT=two words'],
      ports: ['8080:80', '127.0.0.1::80', '53/udp'],
      mounts: ['/srv:/srv:ro', 'cache:/cache'],
      labels: { 'a.b': 'c', empty: '' },
      restart: 'on-failure:3',
      autoRemove: false,
      tty: true,
      openStdin: true,
      network: 'backend',
      workingDir: '/work',
      user: '1000:1000',
      platform: 'linux/amd64',
      start: true,
    };
    assert.deepEqual(createSpec(args), {
      name: 'web-1',
      platform: 'linux/amd64',
      body: {
        Image: '127.0.0.1:5055/sample:1',
        Cmd: ['sh', '-c', 'sleep 1'],
        Entrypoint: ['/tini', '--'],
        Env: ['A=1', 'EMPTY=', 'EQ=a=b', 'TEXT=two words'],
        ExposedPorts: { '80/tcp': {}, '53/udp': {} },
        Labels: { 'a.b': 'c', empty: '' },
        Tty: true,
        OpenStdin: true,
        WorkingDir: '/work',
        User: '1000:1000',
        HostConfig: {
          PortBindings: {
            '80/tcp': [
              { HostIp: '', HostPort: '8080' },
              { HostIp: '127.0.0.1', HostPort: '' },
            ],
            '53/udp': [{ HostIp: '', HostPort: '' }],
          },
          Binds: ['/srv:/srv:ro', 'cache:/cache'],
          RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
          AutoRemove: false,
          NetworkMode: 'backend',
        },
      },
    });
  });

  it('puts limits, rights and the health check into their fields', () => {
    const args: CreateArguments = {
      image: 'x',
      env: ['A=1'],
      unsetEnv: ['PATH'],
      hostname: 'web.example',
      dns: ['9.9.9.9', '::1'],
      extraHosts: ['db:10.0.0.1', 'me:host-gateway', 'six:[::1]'],
      publishAll: true,
      healthcheck: {
        test: 'curl -f localhost',
        interval: '1m30s',
        timeout: '500ms',
        startPeriod: '10s',
        retries: 5,
      },
      stopSignal: 'SIGINT',
      stopTimeout: -1,
      memory: '64m',
      shmSize: '1g',
      cpus: 0.29,
      pidsLimit: 100,
      init: true,
      readOnly: true,
      privileged: false,
      capAdd: ['NET_ADMIN'],
      capDrop: ['ALL'],
      securityOpt: ['no-new-privileges', 'label=disable'],
      devices: ['/dev/fuse', '/dev/a:/dev/b', '/dev/c:r', '/dev/d:/dev/e:rw'],
      tmpfs: ['/run', '/tmp:size=64m,mode=1777'],
    };
    const device = (from: string, to: string, rights: string): object => ({
      PathOnHost: from,
      PathInContainer: to,
      CgroupPermissions: rights,
    });
    assert.deepEqual(createSpec(args).body, {
      Image: 'x',
      Env: ['A=1', 'PATH'],
      Hostname: 'web.example',
      Healthcheck: {
        Test: ['CMD-SHELL', 'curl -f localhost'],
        Interval: 90_000_000_000,
        Timeout: 500_000_000,
        StartPeriod: 10_000_000_000,
        Retries: 5,
      },
      StopSignal: 'SIGINT',
      StopTimeout: -1,
      HostConfig: {
        PublishAllPorts: true,
        Tmpfs: { '/run': '', '/tmp': 'size=64m,mode=1777' },
        Devices: [
          device('/dev/fuse', '/dev/fuse', 'rwm'),
          device('/dev/a', '/dev/b', 'rwm'),
          device('/dev/c', '/dev/c', 'r'),
          device('/dev/d', '/dev/e', 'rw'),
        ],
        Dns: ['9.9.9.9', '::1'],
        ExtraHosts: ['db:10.0.0.1', 'me:host-gateway', 'six:::1'],
        Memory: 67_108_864,
        ShmSize: 1_073_741_824,
        NanoCpus: 290_000_000,
        PidsLimit: 100,
        Init: true,
        ReadonlyRootfs: true,
        Privileged: false,
        CapAdd: ['NET_ADMIN'],
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges', 'label=disable'],
      },
    });
  });

  it('accepts a health check as words, with some fields, and turned off', () => {
    const checkOf = (healthcheck: CreateArguments['healthcheck']): unknown =>
      createSpec({ image: 'x', ...(healthcheck !== undefined && { healthcheck }) }).body[
        'Healthcheck'
      ];
    assert.deepEqual(checkOf({ test: ['curl', '-f', 'x'] }), { Test: ['CMD', 'curl', '-f', 'x'] });
    assert.deepEqual(checkOf({ retries: 1 }), { Retries: 1 });
    assert.deepEqual(checkOf(false), { Test: ['NONE'] });
    assert.equal(checkOf(undefined), undefined);
  });

  it('treats an empty list as not set, but keeps an empty entrypoint word', () => {
    const { body } = createSpec({
      image: 'x',
      cmd: [],
      entrypoint: [''],
      env: [],
      ports: [],
      mounts: [],
    });
    assert.deepEqual(body, { Image: 'x', Entrypoint: [''], HostConfig: {} });
  });

  it('accepts an image by its ID', () => {
    for (const image of [HEX, `sha256:${HEX}`, HEX.slice(0, 12), `x@sha256:${HEX}`]) {
      assert.equal(createSpec({ image }).body['Image'], image);
    }
  });

  it('accepts every restart policy, and auto-removal with the policy "no"', () => {
    for (const restart of ['no', 'always', 'unless-stopped', 'on-failure']) {
      const { body } = createSpec({ image: 'x', restart });
      assert.deepEqual(body['HostConfig'], { RestartPolicy: { Name: restart } });
    }
    assert.ok(createSpec({ image: 'x', restart: 'no', autoRemove: true }));
  });
});

describe('engine/createSpec: what the engine decides', () => {
  const given: [args: Partial<CreateArguments>, part: string, field: string, value: unknown][] = [
    [{ hostname: 'my_host' }, 'Config', 'Hostname', 'my_host'],
    [{ hostname: '-x' }, 'Config', 'Hostname', '-x'],
    [{ user: ':' }, 'Config', 'User', ':'],
    [{ user: '1000:' }, 'Config', 'User', '1000:'],
    [{ user: ':0' }, 'Config', 'User', ':0'],
    [{ user: 'domain\\my user' }, 'Config', 'User', 'domain\\my user'],
    [{ env: ['MY VAR=1'] }, 'Config', 'Env', ['MY VAR=1']],
    [{ labels: { '': 'v' } }, 'Config', 'Labels', { '': 'v' }],
    [{ stopTimeout: -5 }, 'Config', 'StopTimeout', -5],
    [{ network: 'my net' }, 'HostConfig', 'NetworkMode', 'my net'],
    [{ memory: '1m' }, 'HostConfig', 'Memory', 1_048_576],
    [{ cpus: 0.001 }, 'HostConfig', 'NanoCpus', 1_000_000],
    [{ pidsLimit: 0 }, 'HostConfig', 'PidsLimit', 0],
    [{ tmpfs: ['/t:context="a b:c"'] }, 'HostConfig', 'Tmpfs', { '/t': 'context="a b:c"' }],
    [{ extraHosts: ['a=::1'] }, 'HostConfig', 'ExtraHosts', ['a:::1']],
    [{ securityOpt: ['seccomp={"a": 1}'] }, 'HostConfig', 'SecurityOpt', ['seccomp={"a": 1}']],
    [{ mounts: ['/a:/b:rshared'] }, 'HostConfig', 'Binds', ['/a:/b:rshared']],
    [{ mounts: ['/data'] }, 'HostConfig', 'Binds', ['/data']],
    [
      { ports: ['18000-18010:80'] },
      'HostConfig',
      'PortBindings',
      { '80/tcp': [{ HostIp: '', HostPort: '18000-18010' }] },
    ],
    [
      { restart: 'on-failure:2147483647' },
      'HostConfig',
      'RestartPolicy',
      { Name: 'on-failure', MaximumRetryCount: 2_147_483_647 },
    ],
    [
      { devices: ['/dev/a b', 'example.com/gpu=0'] },
      'HostConfig',
      'Devices',
      ['/dev/a b', 'example.com/gpu=0'].map((path) => ({
        PathOnHost: path,
        PathInContainer: path,
        CgroupPermissions: 'rwm',
      })),
    ],
  ];
  for (const [args, part, field, value] of given) {
    it(`sends ${JSON.stringify(args)} as it is`, () => {
      const { body } = createSpec({ image: 'x', ...args });
      const fields = part === 'Config' ? body : (body['HostConfig'] as typeof body);
      assert.deepEqual(fields[field], value);
    });
  }

  it('sends a name of one letter, and a platform with a version', () => {
    const { name, platform } = createSpec({
      image: 'x',
      name: 'x',
      platform: 'windows(10.0.17763)/amd64',
    });
    assert.deepEqual([name, platform], ['x', 'windows(10.0.17763)/amd64']);
  });

  it('puts mounts that need it into the typed field, and the others into binds', () => {
    const mounts = [
      '/a:/b',
      'type=bind,source=/a:b,target=/c,readonly',
      'type=volume,src=v,dst=/d,volume-nocopy,volume-subpath=x',
      'type=bind,"source=/a,b",target=/e,bind-propagation=rslave,ro=false',
    ];
    const { body } = createSpec({ image: 'x', mounts });
    assert.deepEqual(body['HostConfig'], {
      Binds: ['/a:/b'],
      Mounts: [
        { Type: 'bind', Source: '/a:b', Target: '/c', ReadOnly: true },
        {
          Type: 'volume',
          Source: 'v',
          Target: '/d',
          VolumeOptions: { NoCopy: true, Subpath: 'x' },
        },
        { Type: 'bind', Source: '/a,b', Target: '/e', BindOptions: { Propagation: 'rslave' } },
      ],
    });
  });
});

describe('engine/createSpec: invalid input', () => {
  const bad: [fault: Partial<CreateArguments>, sentence: RegExp][] = [
    [{ image: '' }, /^The image name is empty/],
    [{ image: ' x' }, /^The image name " x" contains a space/],
    [{ image: 'my image' }, /^The image name "my image" contains a space/],
    [{ image: 'me/X' }, /^"me\/X" has capital letters/],
    [{ image: `x:${'t'.repeat(129)}` }, /^The tag has 129 characters/],
    [{ name: '' }, /^"" is not a container name/],
    [{ name: 'two words' }, /^"two words" is not a container name/],
    [{ name: '-a' }, /^"-a" is not a container name/],
    [{ name: '/ab' }, /^"\/ab" is not a container name/],
    [{ env: ['A=1', 'BARE'] }, /^"BARE" is not an environment variable/],
    [{ env: ['=v'] }, /^"=…" is not an environment variable/],
    [{ env: [''] }, /^"" is not an environment variable/],
    [{ env: ['A B=secret\0'] }, /^"A B=…" is not an environment variable(?!.*secret)/],
    [{ env: ['A=\0'] }, /is not an environment variable/],
    [{ ports: ['99999'] }, /^99999 in "99999" is not a port number/],
    [{ ports: ['80', 'x'] }, /^"x" is not a port/],
    [{ mounts: ['data'] }, /^"data" is not a mount/],
    [{ restart: 'sometimes' }, /^"sometimes" is not a restart policy/],
    [{ restart: '' }, /^"" is not a restart policy/],
    [{ restart: 'always:3' }, /^"always:3" is not/],
    [{ restart: 'on-failure:' }, /^"on-failure:" is not/],
    [{ restart: 'on-failure:-1' }, /^"on-failure:-1" is not/],
    [
      { restart: 'always', autoRemove: true },
      /^Automatic removal conflicts with the restart policy "always"/,
    ],
    [{ restart: 'sometimes', autoRemove: true }, /^"sometimes" is not a restart policy/],
    [{ network: '' }, /^"" is not a valid network name/],
    [{ workingDir: 'tmp' }, /^The working directory "tmp" is not an absolute path/],
    [{ workingDir: '' }, /^The working directory "" is not/],
    [{ platform: 'linux arm' }, /^"linux arm" is not a platform/],
    [{ platform: '' }, /^"" is not a platform/],
    [{ unsetEnv: ['TOKEN=secret'] }, /^"TOKEN" is not a variable name(?!.*secret)/],
    [{ unsetEnv: [''] }, /^"" is not a variable name/],
    [{ hostname: 'a\nb' }, /is not a host name/],
    [{ hostname: 'x'.repeat(65) }, /^"x{40}…" is not a host name/],
    [{ user: '' }, /^"" is not a user/],
    [{ dns: ['dns.example'] }, /^"dns\.example" is not the IP address of a DNS server/],
    [{ extraHosts: ['db'] }, /^"db" is not an extra host/],
    [{ extraHosts: ['db:web'] }, /^"db:web" is not an extra host/],
    [{ healthcheck: { test: ' ' } }, /^The health check has no command/],
    [{ healthcheck: { test: [] } }, /^The health check has no command/],
    [{ healthcheck: { interval: '30' } }, /^"30" is not a duration/],
    [{ healthcheck: { timeout: '0s' } }, /^"0s" is too short/],
    [{ healthcheck: { startPeriod: 'soon' } }, /^"soon" is not a duration/],
    [{ healthcheck: { retries: 0 } }, /^"0" is not a number of failures/],
    [{ healthcheck: { retries: 1.5 } }, /^"1\.5" is not a number of failures/],
    [{ stopSignal: 'SIG KILL' }, /^"SIG KILL" is not a signal/],
    [{ stopTimeout: 1.5 }, /^"1\.5" is not a stop timeout/],
    [{ memory: 'much' }, /^"much" is not a memory size/],
    [{ shmSize: '0' }, /^"0" is not a memory size/],
    [{ cpus: 0 }, /^"0" is not a number of CPUs/],
    [{ cpus: Number.NaN }, /^"NaN" is not a number of CPUs/],
    [{ pidsLimit: -2 }, /^"-2" is not a PIDs limit/],
    [{ capAdd: ['net admin'] }, /^"net admin" is not a capability/],
    [{ capDrop: [''] }, /^"" is not a capability/],
    [{ securityOpt: [' '] }, /^" " is not a security option/],
    [{ devices: ['fuse'] }, /^"fuse" is not a device/],
    [{ devices: ['/dev/a:b'] }, /is not a device/],
    [{ devices: ['/dev/a:/dev/b:rw:x'] }, /is not a device/],
    [{ tmpfs: ['run'] }, /^"run" is not a tmpfs mount/],
    [{ tmpfs: ['/'] }, /^"\/" is not a tmpfs mount/],
  ];
  for (const [fault, sentence] of bad) {
    it(`rejects ${JSON.stringify(fault).slice(0, 60)}`, () => {
      assert.throws(
        () => createSpec({ image: 'x', ...fault }),
        (error) => error instanceof InputError && sentence.test(error.message),
      );
    });
  }
});
