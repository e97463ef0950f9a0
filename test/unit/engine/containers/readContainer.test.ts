import assert from 'node:assert/strict';
import { readContainerDetails } from '../../../../src/engine/containers/containerDetails.ts';
import { readContainer, readState } from '../../../../src/engine/containers/readContainer.ts';
import type { Container } from '../../../../src/engine/model.ts';

const ID = '0123456789abcdef'.repeat(4);

function read(fields: object): Container {
  const container = readContainer({ Id: ID, ...fields });
  assert(container);
  return container;
}

describe('readContainer', () => {
  it('reads a complete element', () => {
    assert.deepEqual(
      readContainer({
        Id: ID,
        Names: ['/web', '/db/alias'],
        Image: 'busybox:1',
        ImageID: `sha256:${ID}`,
        Command: 'sleep 1',
        Created: 1700000000,
        Ports: [{ IP: '0.0.0.0', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' }],
        Labels: { a: 'b' },
        State: 'running',
        Status: 'Up 5 minutes (healthy)',
        HostConfig: { NetworkMode: 'default' },
        NetworkSettings: {
          Networks: {
            web: { NetworkID: 'n2', IPAddress: '10.0.0.2', GlobalIPv6Address: '' },
            db: { NetworkID: 'n1', IPAddress: '', GlobalIPv6Address: 'fd00::2' },
          },
        },
        Mounts: [
          { Type: 'volume', Name: 'data', Source: '', Destination: '/data', RW: true },
          { Type: 'bind', Source: '/etc', Destination: '/conf', RW: false },
        ],
      }),
      {
        id: ID,
        name: 'web',
        names: ['web'],
        image: 'busybox:1',
        imageId: `sha256:${ID}`,
        state: 'running',
        status: 'Up 5 minutes (healthy)',
        createdAt: '2023-11-14T22:13:20.000Z',
        ports: [{ ip: '0.0.0.0', privatePort: 80, publicPort: 8080, protocol: 'tcp' }],
        labels: { a: 'b' },
        command: 'sleep 1',
        mounts: [
          { type: 'bind', source: '/etc', path: '/conf', isReadOnly: true },
          { type: 'volume', path: '/data', isReadOnly: false, volume: 'data' },
        ],
        networks: [
          { name: 'db', networkId: 'n1', ip6: 'fd00::2' },
          { name: 'web', networkId: 'n2', ip: '10.0.0.2' },
        ],
        health: 'healthy',
      },
    );
  });

  it('reads no address of a container that has exited', () => {
    const Networks = { web: { NetworkID: 'n', IPAddress: '10.0.0.2' } };
    for (const [State, ip] of [
      ['exited', undefined],
      ['paused', '10.0.0.2'],
    ]) {
      const [network] = read({ State, NetworkSettings: { Networks } }).networks;
      assert.equal(network?.ip, ip);
    }
  });

  it('reads null, missing and invalid fields as empty', () => {
    const odd = {
      Names: null,
      Image: 7,
      Created: 'x',
      Ports: null,
      Labels: null,
      State: 7,
      Mounts: [7],
    };
    for (const container of [read({}), read({ ...odd, Status: {}, Command: [], Health: 'x' })]) {
      assert.deepEqual(container, {
        id: ID,
        name: ID.slice(0, 12),
        names: [],
        image: '',
        imageId: '',
        state: 'unknown',
        status: '',
        createdAt: '',
        ports: [],
        labels: {},
        command: '',
        mounts: [],
        networks: [],
      });
    }
  });

  it('reads the states of every engine, but not the names of object properties', () => {
    const states = ['running', 'Paused', 'configured', 'initialized', 'stopping', 'stopped'];
    assert.deepEqual(states.map(readState), [
      ...['running', 'paused', 'created', 'created', 'running', 'exited'],
    ]);
    for (const word of ['constructor', 'toString', '__proto__', 'hibernating', '', undefined]) {
      assert.equal(readState(word), 'unknown', word);
    }
  });

  it('keeps labels of any name and drops values that are not text', () => {
    const { labels } = read({ Labels: JSON.parse('{"__proto__":"x","a":1,"b":"ü"}') as object });
    assert.deepEqual(Object.entries(labels), [
      ['__proto__', 'x'],
      ['b', 'ü'],
    ]);
    assert.equal(({} as { x?: unknown }).x, undefined);
  });

  it('normalizes the image IDs of Podman, which have no prefix', () => {
    assert.equal(read({ ImageID: ID }).imageId, `sha256:${ID}`);
  });

  const health: [fields: object, expected: string | undefined][] = [
    [{ Status: 'Up 1 second (health: starting)' }, 'starting'],
    [{ Status: 'Up 2 hours (unhealthy)' }, 'unhealthy'],
    [{ Status: 'Up 2 hours (Paused)' }, undefined],
    [{ Status: 'Up 2 hours (healthy)', Health: { Status: 'unhealthy' } }, 'unhealthy'],
    [{ Status: 'Up 2 hours', Health: { Status: 'none' } }, undefined],
    [{ Status: 'Up 2 hours', Health: { Status: 'reset' } }, undefined],
  ];
  for (const [fields, expected] of health) {
    it(`reads ${JSON.stringify(fields)} as ${expected ?? 'no health'}`, () => {
      assert.equal(read(fields).health, expected);
    });
  }

  const codes: [status: string, expected: number | undefined][] = [
    ['Exited (0) 2 hours ago', 0],
    ['Exited (137) Less than a second ago', 137],
    ['Exited (-1) 3 days ago', -1],
    ['Restarting (3) 2 seconds ago', 3],
    ['Up 5 minutes', undefined],
    ['Created', undefined],
    ['Dead', undefined],
    ['Exited', undefined],
  ];
  for (const [status, expected] of codes) {
    it(`reads ${expected ?? 'no exit code'} from "${status}"`, () => {
      assert.equal(read({ Status: status }).exitCode, expected);
    });
  }

  it('lists each published port once, in an order that does not depend on the engine', () => {
    const ports = [
      { IP: '::', PrivatePort: 443, PublicPort: 8443, Type: 'tcp' },
      { IP: '0.0.0.0', PrivatePort: 443, PublicPort: 8443, Type: 'tcp' },
      { IP: '192.0.2.1', PrivatePort: 80, PublicPort: 1, Type: 'tcp' },
      { IP: '127.0.0.1', PrivatePort: 80, PublicPort: 1, Type: 'tcp' },
      { PrivatePort: 53, Type: 'udp' },
      { PrivatePort: 53 },
      { IP: '::', PrivatePort: 90, PublicPort: 91, Type: 'tcp' },
      { PrivatePort: 'x' },
      null,
    ];
    const text = (list: readonly object[]): string[] =>
      read({ Ports: list }).ports.map(
        (one) => `${one.ip ?? ''}:${one.publicPort ?? ''}:${one.privatePort}/${one.protocol}`,
      );
    const expected = [
      ...['::53/tcp', '::53/udp', '127.0.0.1:1:80/tcp', '192.0.2.1:1:80/tcp'],
      ...[':::91:90/tcp', '0.0.0.0:8443:443/tcp'],
    ];
    assert.deepEqual(text(ports as object[]), expected);
    assert.deepEqual(text((ports as object[]).reverse()), expected);
  });
});

describe('readContainerDetails', () => {
  it('reads the details of a container that ran', () => {
    const raw = {
      Id: ID,
      Name: '/web',
      Created: '2026-01-01T00:00:00Z',
      Image: ID,
      Config: {
        Image: 'busybox',
        Labels: { a: 'b' },
        Tty: true,
        OpenStdin: true,
        StdinOnce: true,
        Env: ['PATH=/bin', 'A=b=c', 'BARE', 7],
        StopTimeout: 5,
        WorkingDir: '/app',
      },
      Mounts: [
        { Type: 'bind', Source: '/home/me/web', Destination: '/app', Mode: '', RW: true },
        { Type: 'volume', Name: 'v', Source: '/var/lib/docker/volumes/v/_data', Destination: '/v' },
        { Type: 'bind', Source: 7, Destination: '/x' },
        null,
      ],
      State: {
        Status: 'exited',
        Running: false,
        StartedAt: '2026-01-01T00:00:00.1Z',
        FinishedAt: '2026-01-01T00:00:01.1Z',
        ExitCode: 3,
        OOMKilled: true,
        Error: 'oops',
      },
      NetworkSettings: { Networks: { app: { NetworkID: 'n', IPAddress: '10.0.0.2' } } },
    };
    assert.deepEqual(readContainerDetails(raw), {
      id: ID,
      name: 'web',
      image: 'busybox',
      imageId: `sha256:${ID}`,
      labels: { a: 'b' },
      state: 'exited',
      isRunning: false,
      wasStarted: true,
      createdAt: '2026-01-01T00:00:00Z',
      startedAt: '2026-01-01T00:00:00.1Z',
      finishedAt: '2026-01-01T00:00:01.1Z',
      exitCode: 3,
      wasOutOfMemory: true,
      error: 'oops',
      hasTty: true,
      acceptsInput: true,
      inputEndsWithFirst: false,
      variables: new Set(['PATH', 'A', 'BARE', '']),
      stopTimeout: 5,
      workingDir: '/app',
      networks: [{ name: 'app', networkId: 'n' }],
      binds: [{ source: '/home/me/web', target: '/app' }],
      raw,
    });
  });

  it('counts the ports, mounts, and networks that are too many to be read', () => {
    const Ports = Array.from({ length: 4_096 }, (_, at) => ({ PrivatePort: at, Type: 'tcp' }));
    const Mounts = Array.from({ length: 1_002 }, (_, at) => ({ Destination: `/m${at}` }));
    const all = read({ Ports, Mounts, NetworkSettings: { Networks: { a: {} } } });
    assert.deepEqual([all.ports.length, all.mounts.length], [4_000, 1_000]);
    assert.deepEqual(all.omitted, { ports: 96, mounts: 2, networks: 0 });
    assert.equal('omitted' in read({ Ports: Ports.slice(0, 4_000) }), false);
  });

  it('reports an input that ends with the first client, but not with a TTY', () => {
    const endsWith = (Tty: boolean): boolean =>
      readContainerDetails({ Id: ID, Config: { OpenStdin: true, StdinOnce: true, Tty } })
        .inputEndsWithFirst;
    assert.deepEqual([endsWith(false), endsWith(true)], [true, false]);
  });

  it('reads the year 1 as never and invalid fields as empty', () => {
    const never = '0001-01-01T00:00:00Z';
    for (const State of [null, 7, { StartedAt: never, FinishedAt: never }]) {
      const details = readContainerDetails({ Id: ID, Config: 'x', State });
      assert.deepEqual(
        [details.state, details.wasStarted, details.startedAt, details.finishedAt],
        ['unknown', false, '', ''],
      );
      assert.deepEqual(
        [details.exitCode, details.hasTty, details.stopTimeout],
        [0, false, undefined],
      );
      assert.deepEqual([details.workingDir, details.binds], ['', []]);
      assert.deepEqual([details.acceptsInput, details.variables], [false, new Set()]);
    }
  });
});
