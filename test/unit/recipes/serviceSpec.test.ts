import assert from 'node:assert/strict';
import { parse } from 'yaml';
import {
  OPTIONS,
  type CreateArguments,
  type OptionName,
} from '../../../src/engine/options/options.ts';
import { containerSpec } from '../../../src/recipes/containerSpec.ts';
import {
  formatComposeFile,
  serviceSpec,
  type ComposeNames,
  type ServiceSpec,
} from '../../../src/recipes/serviceSpec.ts';

const NONE = { services: [], volumes: new Map(), networks: new Map() };

/** The service for options alone, of a container without anything else. */
function serviceOf(args: Partial<CreateArguments>, hidden: readonly string[] = []): ServiceSpec {
  const spec = { args: { image: 'busybox', ...args }, unsupported: [], essential: [] };
  return serviceSpec(spec, {}, hidden);
}

interface Expected {
  /** The fields of the service besides its image. */
  readonly fields?: object;
  readonly left?: readonly string[];
}

/** Each option with values, and what it is in a service or why it is not there. */
const TABLE: {
  readonly [Name in OptionName]: readonly (readonly [CreateArguments[Name], Expected])[];
} = {
  image: [['quay.io/a/b:1', { fields: { image: 'quay.io/a/b:1' } }]],
  cmd: [[['sh', '-c', 'echo "$A"'], { fields: { command: ['sh', '-c', 'echo "$$A"'] } }]],
  entrypoint: [
    [['/bin/env', '-i'], { fields: { entrypoint: ['/bin/env', '-i'] } }],
    [[''], { fields: { entrypoint: [''] } }],
  ],
  ports: [
    [
      [
        '8080:80',
        '80',
        '53:53/udp',
        '127.0.0.1:80',
        '127.0.0.1:8080:80',
        '[::1]:81:81',
        '[::1]:80',
      ],
      {
        fields: {
          ports: [
            ...['8080:80', '80', '53:53/udp', '127.0.0.1::80', '127.0.0.1:8080:80'],
            ...['[::1]:81:81', '[::1]::80'],
          ],
        },
      },
    ],
    [['8000-8010:80', '0:80'], { fields: { ports: ['8000-8010:80', '80'] } }],
  ],
  env: [
    [
      ['A=1', 'B=', 'C=$X ${Y}', 'D=a=b'],
      { fields: { environment: { A: '1', B: '', C: '$$X $${Y}', D: 'a=b' } } },
    ],
    [['__proto__=1'], { fields: { environment: JSON.parse('{"__proto__":"1"}') as object } }],
  ],
  unsetEnv: [[['PATH', 'X'], { left: ['unsetEnv PATH', 'unsetEnv X'] }]],
  labels: [[{ 'a/b.c': 'x', rule: 'p$5' }, { fields: { labels: { 'a/b.c': 'x', rule: 'p$$5' } } }]],
  tty: [[true, { fields: { tty: true } }]],
  openStdin: [[true, { fields: { stdin_open: true } }]],
  hostname: [['harbour', { fields: { hostname: 'harbour' } }]],
  workingDir: [['/w', { fields: { working_dir: '/w' } }]],
  user: [['1000:1000', { fields: { user: '1000:1000' } }]],
  healthcheck: [
    [false, { fields: { healthcheck: { disable: true } } }],
    [{ interval: '5s' }, { fields: { healthcheck: { interval: '5s' } } }],
    [
      { test: 'a || $B', interval: '5s', timeout: '1m30s', startPeriod: '7s', retries: 2 },
      {
        fields: {
          healthcheck: {
            test: 'a || $$B',
            interval: '5s',
            timeout: '1m30s',
            start_period: '7s',
            retries: 2,
          },
        },
      },
    ],
    [{ test: ['a', '$B'] }, { fields: { healthcheck: { test: ['CMD', 'a', '$$B'] } } }],
  ],
  stopSignal: [['2', { fields: { stop_signal: '2' } }]],
  stopTimeout: [
    [3, { fields: { stop_grace_period: '3s' } }],
    [-1, { left: ['stopTimeout -1'] }],
  ],
  tmpfs: [[['/t', '/u:size=1m'], { fields: { tmpfs: ['/t', '/u:size=1m'] } }]],
  mounts: [
    [
      ['/a b:/c:ro', '/cache', '/$a:/d:rw,rshared,z', 'C:\\x:/e'],
      { fields: { volumes: ['/a b:/c:ro', '/cache', '/$$a:/d:rw,rshared,z', 'C:\\x:/e'] } },
    ],
    [
      ['/a:/c:ro,noexec', '\\\\host\\x:/d:ro'],
      {
        fields: {
          volumes: [
            '/a:/c:ro',
            { type: 'bind', source: '\\\\host\\x', target: '/d', read_only: true },
          ],
        },
        left: ['mounts /c noexec'],
      },
    ],
    [
      ['type=bind,source=/a:b,target=/c,readonly,bind-propagation=rslave', 'type=volume,target=/v'],
      {
        fields: {
          volumes: [
            {
              type: 'bind',
              source: '/a:b',
              target: '/c',
              read_only: true,
              bind: { propagation: 'rslave', create_host_path: false },
            },
            { type: 'volume', target: '/v' },
          ],
        },
      },
    ],
    [
      ['type=bind,source=/a:b,target=/c,bind-create-src'],
      {
        fields: {
          volumes: [
            { type: 'bind', source: '/a:b', target: '/c', bind: { create_host_path: true } },
          ],
        },
      },
    ],
    [
      ['data:/d:nocopy', 'type=volume,source=data,target=/e,volume-nocopy,volume-subpath=s'],
      {
        fields: {
          volumes: [
            'data:/d:nocopy',
            {
              type: 'volume',
              source: 'data',
              target: '/e',
              volume: { nocopy: true, subpath: 's' },
            },
          ],
        },
      },
    ],
  ],
  devices: [
    [
      ['/dev/a', '/dev/a:/dev/b', '/dev/a:r', 'vendor.com/class=name'],
      {
        fields: {
          devices: ['/dev/a', '/dev/a:/dev/b', '/dev/a:/dev/a:r', 'vendor.com/class=name'],
        },
      },
    ],
  ],
  restart: [
    ['on-failure:3', { fields: { restart: 'on-failure:3' } }],
    ['no', { fields: { restart: 'no' } }],
  ],
  autoRemove: [
    [true, { left: ['autoRemove'] }],
    [false, {}],
  ],
  network: [
    ['front', { fields: { networks: ['front'] } }],
    ['host', { fields: { network_mode: 'host' } }],
    ['none', { fields: { network_mode: 'none' } }],
    ['container:abc', { fields: { network_mode: 'container:abc' } }],
  ],
  dns: [[['192.0.2.1'], { fields: { dns: ['192.0.2.1'] } }]],
  extraHosts: [[['db:192.0.2.2'], { fields: { extra_hosts: ['db:192.0.2.2'] } }]],
  publishAll: [[true, { left: ['publishAll'] }]],
  memory: [['64m', { fields: { mem_limit: '64m' } }]],
  shmSize: [['32m', { fields: { shm_size: '32m' } }]],
  cpus: [[0.5, { fields: { cpus: 0.5 } }]],
  pidsLimit: [[9, { fields: { pids_limit: 9 } }]],
  init: [[true, { fields: { init: true } }]],
  readOnly: [[true, { fields: { read_only: true } }]],
  privileged: [[true, { fields: { privileged: true } }]],
  capAdd: [[['NET_ADMIN'], { fields: { cap_add: ['NET_ADMIN'] } }]],
  capDrop: [[['ALL'], { fields: { cap_drop: ['ALL'] } }]],
  securityOpt: [
    [
      ['label=disable', 'seccomp=unconfined'],
      { fields: { security_opt: ['label=disable', 'seccomp=unconfined'] } },
    ],
    [['seccomp={"a":1}'], { left: ['securityOpt seccomp'] }],
  ],
  name: [
    ['shop', { fields: { container_name: 'shop' } }],
    ['keen_euler', {}],
  ],
  platform: [['linux/amd64', { fields: { platform: 'linux/amd64' } }]],
  // A service is started by Up.
  start: [[false, {}]],
};

describe('recipes/serviceSpec', () => {
  it('has each option, or its name among what is left out', () => {
    assert.deepEqual(Object.keys(TABLE).sort(), Object.keys(OPTIONS).sort());
    for (const [name, rows] of Object.entries(TABLE)) {
      assert.ok(rows.length > 0, name);
      for (const [value, { fields = {}, left = [] }] of rows) {
        const spec = serviceOf({ [name]: value });
        const [service] = Object.values(
          (parse(formatComposeFile(spec)) as { services: Record<string, object> }).services,
        );
        assert.deepEqual(service, { image: 'busybox', ...fields }, JSON.stringify(value));
        assert.deepEqual(spec.leftOut, left, JSON.stringify(value));
        const isSilent = name === 'start' || value === false || value === 'keen_euler';
        assert.ok(isSilent || 'fields' in (rows[0]?.[1] ?? {}) || left.length > 0, name);
      }
    }
  });

  it('puts the values of hidden variables into .env, under names that Compose can read', () => {
    const env = ['TOKEN=a$b', 'a.b=1', 'a-b=2', '1x=3', 'MODE=4'];
    const { service, env: hidden } = serviceOf({ env }, ['TOKEN', 'a.b', 'a-b', '1x']);
    assert.deepEqual(service['environment'], {
      TOKEN: '${TOKEN}',
      'a.b': '${a_b}',
      'a-b': '${a_b_2}',
      '1x': '${_1x}',
      MODE: '4',
    });
    assert.deepEqual(
      [...hidden],
      [
        ['TOKEN', "TOKEN='a$b'\n"],
        ['a_b', 'a_b=1\n'],
        ['a_b_2', 'a_b_2=2\n'],
        ['_1x', '_1x=3\n'],
      ],
    );
  });

  /** The service for an inspect response. */
  function specOf(container: object, existing: ComposeNames = NONE): ServiceSpec {
    const wire = { Id: 'f'.repeat(64), ...container };
    return serviceSpec(containerSpec(wire, {}), wire, [], existing);
  }
  const endpoints = (...names: readonly string[]) => ({
    Networks: Object.fromEntries(names.map((name) => [name, {}])),
  });
  const LABELS = {
    'com.docker.compose.project': 'shop',
    'com.docker.compose.service': 'web',
    'com.docker.compose.config-hash': 'x',
    team: 'red',
  };

  it('writes a whole file, with volumes and networks that exist', () => {
    const spec = specOf({
      Name: '/web',
      Config: { Image: 'busybox', Cmd: ['sleep', '1'] },
      HostConfig: { NetworkMode: 'my net', Binds: ['data:/data'] },
      NetworkSettings: endpoints('my net'),
    });
    assert.equal(
      formatComposeFile(spec),
      `services:
  web:
    image: busybox
    container_name: web
    command: ["sleep", "1"]
    volumes:
      - data:/data
    networks:
      - my_net

networks:
  my_net:
    name: my net
    external: true

volumes:
  data:
    external: true
`,
    );
  });

  it('has the name of its service, and neither labels, names nor the network of the project', () => {
    const spec = specOf({
      Name: '/shop-web-1',
      Config: { Image: 'busybox', Labels: LABELS },
      HostConfig: { NetworkMode: 'shop_default', Binds: ['shop_data:/data', 'other:/other'] },
      NetworkSettings: endpoints('shop_default'),
    });
    assert.equal(spec.name, 'web');
    assert.deepEqual(spec.service, {
      image: 'busybox',
      volumes: ['data:/data', 'other:/other'],
      labels: { team: 'red' },
    });
    assert.deepEqual(spec.volumes, {
      data: { name: 'shop_data', external: true },
      other: { external: true },
    });
    assert.deepEqual(spec.networks, {});
    const nameOf = (Name: string, Labels: object): readonly unknown[] => {
      const { name, service } = specOf({ Name, Config: { Image: 'busybox', Labels } });
      return [name, service['container_name']];
    };
    assert.deepEqual(nameOf('/own', LABELS), ['web', 'own']);
    assert.deepEqual(nameOf('/shop-web-run-0123456789ab', LABELS), ['web', undefined]);
    assert.deepEqual(nameOf('/shop_web_1', LABELS), ['web', undefined]);
    // Only its image is of the project.
    const { 'com.docker.compose.config-hash': _, ...ofImage } = LABELS;
    assert.deepEqual(nameOf('/shop-web-1', ofImage), ['shop-web-1', 'shop-web-1']);
  });

  it('is on every network of the container, with its addresses and aliases', () => {
    const spec = specOf({
      Name: '/shop-web-1',
      Config: { Image: 'busybox', Labels: LABELS },
      HostConfig: { NetworkMode: 'shop_default' },
      NetworkSettings: {
        Networks: {
          shop_default: { Aliases: ['shop-web-1', 'web', 'www'], IPAMConfig: {} },
          shop_back: { IPAMConfig: { IPv4Address: '192.0.2.9', IPv6Address: '2001:db8::9' } },
          x_default: {},
          default: {},
          bridge: {},
        },
      },
    });
    assert.deepEqual(spec.service['networks'], {
      default: { aliases: ['www'] },
      back: { ipv4_address: '192.0.2.9', ipv6_address: '2001:db8::9' },
      x_default: null,
      'default-2': null,
    });
    assert.deepEqual(spec.networks, {
      back: { name: 'shop_back', external: true },
      x_default: { external: true },
      'default-2': { name: 'default', external: true },
    });
    assert.deepEqual(spec.leftOut, ['Networks bridge']);
  });

  it('has settings that no option expresses, and names the others', () => {
    const spec = specOf({
      Name: '/web',
      Config: {
        Image: 'busybox',
        Domainname: 'example.org',
        ExposedPorts: { '80/tcp': {}, '53/udp': {} },
      },
      HostConfig: {
        Annotations: { 'io.container.manager': 'libpod', mine: '$x' },
        BlkioWeight: 5,
        DeviceRequests: [{ Driver: 'nvidia', Count: -1, Capabilities: [['gpu']], Options: {} }],
        GroupAdd: ['$g'],
        LogConfig: { Type: 'syslog', Config: { tag: '$x' } },
        MemorySwap: -1,
        OomScoreAdj: 5,
        Sysctls: { 'net.core.somaxconn': '1' },
        Ulimits: [
          { Name: 'nofile', Soft: 1, Hard: 2 },
          { Name: 'core', Soft: 0, Hard: 0 },
        ],
        VolumesFrom: ['x'],
      },
    });
    const { image: _, container_name: __, ...fields } = spec.service;
    assert.deepEqual(fields, {
      expose: ['80', '53/udp'],
      annotations: { mine: '$$x' },
      deploy: {
        resources: {
          reservations: { devices: [{ driver: 'nvidia', count: 'all', capabilities: ['gpu'] }] },
        },
      },
      group_add: ['$$g'],
      logging: { driver: 'syslog', options: { tag: '$$x' } },
      memswap_limit: -1,
      oom_score_adj: 5,
      sysctls: { 'net.core.somaxconn': '1' },
      ulimits: { nofile: { soft: 1, hard: 2 }, core: 0 },
      domainname: 'example.org',
    });
    assert.deepEqual(spec.leftOut, ['BlkioWeight', 'VolumesFrom']);
  });

  it('does not copy an anonymous volume or a host name that was generated', () => {
    const spec = specOf({
      Name: '/web',
      Config: { Image: 'busybox', Hostname: 'f'.repeat(12) },
      HostConfig: { Binds: [`${'a'.repeat(64)}:/data`] },
    });
    assert.deepEqual(spec.service, { image: 'busybox', container_name: 'web' });
    assert.deepEqual(spec.leftOut, ['Mounts /data']);
  });

  it('has names that the file does not have, and keys that mean the same there', () => {
    const existing = {
      services: ['web', 'web-2'],
      volumes: new Map([
        ['data', 'shop_data'],
        ['cache', 'other_cache'],
      ]),
      networks: new Map([['front', 'front']]),
    };
    const container = {
      Name: '/web',
      Config: { Image: 'busybox' },
      HostConfig: { NetworkMode: 'front', Binds: ['shop_data:/data', 'cache:/cache'] },
      NetworkSettings: endpoints('front'),
    };
    const spec = specOf(container, existing);
    assert.equal(spec.name, 'web-3');
    // Another service has it, or this container.
    assert.equal(spec.service['container_name'], undefined);
    assert.deepEqual(spec.service['volumes'], ['data:/data', 'cache-2:/cache']);
    assert.deepEqual(spec.service['networks'], ['front']);
    assert.deepEqual(spec.volumes, { 'cache-2': { name: 'cache', external: true } });
    assert.deepEqual(spec.networks, {});
  });

  it('has valid names, whatever the engine reports', () => {
    const labels = { ...LABELS, 'com.docker.compose.service': 'a b: {$x}\n' };
    const wire = { Name: '/\nx', Config: { Image: 'busybox', Labels: labels } };
    assert.equal(specOf(wire).name, 'a_b____x__');
    const { service, networks } = specOf({
      ...wire,
      HostConfig: { NetworkMode: '$n: x' },
      NetworkSettings: endpoints('$n: x'),
    });
    assert.deepEqual(service['networks'], ['_n__x']);
    assert.deepEqual(networks, { _n__x: { name: '$$n: x', external: true } });
    assert.equal(specOf({ Config: { Image: 'quay.io/a/b:1' } }).name, 'b');
  });
});
