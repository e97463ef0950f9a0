import assert from 'node:assert/strict';

import type { Machine } from '../../../../src/engine/http/endpoint.ts';
import { listCandidates } from '../../../../src/engine/discovery/listCandidates.ts';
import { discoverEndpoints } from '../../../../src/engine/discovery/discoverEndpoints.ts';
import { readEngineConfig } from '../../../../src/engine/discovery/engineConfig.ts';
import { contextFile, contextText, LOCKED, machineWith, SOCKET } from './fakeFiles.ts';

const HOME = '/home/me';
const CONNECTIONS = `${HOME}/.config/containers/podman-connections.json`;
const CONF = `${HOME}/.config/containers/containers.conf`;

async function offered(machine: Machine): Promise<string[]> {
  return (await listCandidates(machine)).map(
    ({ name, endpoint, error }) => `${name}: ${endpoint?.url ?? error?.reason ?? ''}`,
  );
}

function sockets(...paths: string[]): Record<string, symbol> {
  return Object.fromEntries(paths.map((path) => [path, SOCKET]));
}

describe('well-known sockets', () => {
  const linux: [path: string, name: string][] = [
    ['/var/run/docker.sock', 'Docker'],
    ['/run/user/7/docker.sock', 'Docker (rootless)'],
    [`${HOME}/.docker/desktop/docker.sock`, 'Docker Desktop'],
    [`${HOME}/.colima/default/docker.sock`, 'Colima'],
    [`${HOME}/.colima/office/docker.sock`, 'Colima (office)'],
    [`${HOME}/.colima/docker.sock`, 'Colima'],
    [`${HOME}/.config/colima/xdg/docker.sock`, 'Colima (xdg)'],
    [`${HOME}/.rd/docker.sock`, 'Rancher Desktop'],
    [`${HOME}/.orbstack/run/docker.sock`, 'OrbStack'],
    [`${HOME}/.lima/docker/sock/docker.sock`, 'Lima (docker)'],
    [`${HOME}/.lima/pod/sock/podman.sock`, 'Podman on Lima (pod)'],
    ['/run/podman/podman.sock', 'Podman'],
    ['/run/user/7/podman/podman.sock', 'Podman (rootless)'],
    ['/run/user/7/podman/podman-machine-default-api.sock', 'Podman machine'],
    ['/run/user/7/podman/office-api.sock', 'Podman machine (office)'],
    [`${HOME}/.local/share/containers/podman/machine/qemu/podman.sock`, 'Podman machine'],
    ['/mnt/wsl/docker-desktop/shared-sockets/guest-services/docker.sock', 'Docker Desktop (WSL)'],
    ['/mnt/wsl/rancher-desktop/run/docker.sock', 'Rancher Desktop (WSL)'],
    ['/mnt/wsl/podman-sockets/podman-machine-default/podman-user.sock', 'Podman machine (WSL)'],
  ];
  for (const [path, name] of linux) {
    it(`include ${name} at ${path}`, async () => {
      const machine = machineWith(sockets(path), {}, { uid: 7 });
      assert.deepEqual(await offered(machine), [`${name}: unix://${path}`]);
      const { candidates, isChosen } = await discoverEndpoints('', await readEngineConfig(machine));
      const candidate = candidates.find(({ endpoint }) => endpoint?.url === `unix://${path}`);
      assert.deepEqual([candidate?.found, isChosen], [{ kind: 'usual', product: name }, false]);
      assert.equal(candidate?.endpoint?.source, 'wellKnown');
    });
  }

  const told: [env: Record<string, string>, path: string, name: string][] = [
    [{ XDG_RUNTIME_DIR: '/rt/' }, '/rt/docker.sock', 'Docker (rootless)'],
    [{ XDG_RUNTIME_DIR: '/rt' }, '/rt/podman/podman.sock', 'Podman (rootless)'],
    [{ COLIMA_HOME: '/col' }, '/col/p/docker.sock', 'Colima (p)'],
    [{ XDG_CONFIG_HOME: '/conf' }, '/conf/colima/default/docker.sock', 'Colima'],
    [{ LIMA_HOME: '/lima' }, '/lima/x/sock/docker.sock', 'Lima (x)'],
    [{ XDG_DATA_HOME: '/d' }, '/d/containers/podman/machine/qemu/podman.sock', 'Podman machine'],
  ];
  for (const [env, path, name] of told) {
    it(`follow ${Object.keys(env).join()} to ${path}`, async () => {
      const machine = machineWith(sockets(path), env);
      assert.deepEqual(await offered(machine), [`${name}: unix://${path}`]);
    });
  }

  it('differ on macOS', async () => {
    const mac = { platform: 'darwin', home: '/Users/me' } as const;
    for (const [path, name] of [
      ['/var/run/docker.sock', 'Docker'],
      ['/Users/me/.docker/run/docker.sock', 'Docker Desktop'],
      ['/Users/me/.colima/default/docker.sock', 'Colima'],
      ['/tmp/T/podman/podman-machine-default-api.sock', 'Podman machine'],
      ['/Users/me/.local/share/containers/podman/machine/applehv/podman.sock', 'Podman machine'],
    ] as const) {
      const machine = machineWith(sockets(path), { TMPDIR: '/tmp/T/' }, mac);
      assert.deepEqual(await offered(machine), [`${name}: unix://${path}`]);
    }
    assert.deepEqual(await offered(machineWith(sockets('/run/podman/podman.sock'), {}, mac)), []);
  });

  it('are named pipes on Windows, which are listed but not opened', async () => {
    const pipe = (name: string): string => `\\\\.\\pipe\\${name}`;
    const files = {
      ...sockets(pipe('docker_engine'), pipe('podman-machine-office'), pipe('podman-work')),
      ...sockets(pipe('podman-strange'), pipe('other')),
      'C:\\Users\\me\\.config\\containers\\podman\\machine\\wsl\\podman-machine-office.json': '{}',
      'C:\\Users\\me\\.config\\containers\\podman\\machine\\hyperv\\work.json': '{}',
    };
    const windows = { platform: 'win32', home: 'C:\\Users\\me' } as const;
    assert.deepEqual(await offered(machineWith(files, {}, windows)), [
      'Docker: npipe:////./pipe/docker_engine',
      'Podman machine (office): npipe:////./pipe/podman-machine-office',
      'Podman machine (work): npipe:////./pipe/podman-work',
    ]);
    const { candidates } = await discoverEndpoints(
      '',
      await readEngineConfig(machineWith({}, {}, windows)),
    );
    assert.deepEqual(
      candidates.map((candidate) => candidate.name),
      [...['Docker', 'Docker Desktop', 'Docker Desktop (Windows containers)', 'Podman machine']],
    );
  });

  it('include the Podman machines in WSL that have a connection', async () => {
    const socket = (name: string): string => `/mnt/wsl/podman-sockets/${name}/podman-root.sock`;
    const connections = { Connection: { Connections: { office: { URI: 'ssh://office' } } } };
    const files = {
      ...sockets(socket('office'), socket('strange')),
      [CONNECTIONS]: JSON.stringify(connections),
    };
    const { candidates } = await discoverEndpoints('', await readEngineConfig(machineWith(files)));
    const inWsl = candidates.filter(({ name }) => name.endsWith('(WSL, rootful)'));
    assert.deepEqual(
      inWsl.map(({ endpoint }) => endpoint?.url),
      [`unix://${socket('office')}`],
    );
  });

  it('start with those of the system and list the fixed ones even if they do not exist', async () => {
    const { candidates } = await discoverEndpoints(
      '',
      await readEngineConfig(machineWith({}, {}, { uid: 7 })),
    );
    assert.deepEqual(
      candidates.map(({ name }) => name),
      [
        ...['Docker', 'Docker (rootless)', 'Docker Desktop', 'Docker Desktop', 'Colima'],
        ...['Rancher Desktop', 'OrbStack', 'Podman', 'Podman (rootless)'],
      ],
    );
  });

  it('include only sockets, and only of instances created by the user', async () => {
    const files = {
      [`${HOME}/.colima/_lima/docker.sock`]: SOCKET,
      [`${HOME}/.colima/_templates/docker.sock`]: SOCKET,
      [`${HOME}/.colima/a\u001b[2J/docker.sock`]: SOCKET,
      [`${HOME}/.colima/x/docker.sock`]: 'a plain file',
      [`${HOME}/.rd/docker.sock/`]: '',
      '/run/user/7/podman/podman.pid': SOCKET,
    };
    assert.deepEqual(await offered(machineWith(files, {}, { uid: 7 })), []);
  });

  it('are few if the home folder is unknown', async () => {
    const machine = machineWith({}, { XDG_RUNTIME_DIR: 'relative' }, { home: '' });
    const { candidates } = await discoverEndpoints('', await readEngineConfig(machine));
    assert.deepEqual(
      candidates.map(({ name }) => name),
      ['Docker', 'Podman'],
    );
    assert.deepEqual(await offered(machine), []);
  });
});

describe('connections of Podman', () => {
  const connections = (all: object): string => JSON.stringify({ Connection: { Connections: all } });

  it('are read from its file, with their keys', async () => {
    const text = connections({
      vm: {
        URI: 'ssh://core@127.0.0.1:53685/run/podman/podman.sock',
        Identity: '/k/machine',
        IsMachine: true,
      },
      here: { URI: 'unix:///x.sock', Identity: '/k' },
      tcp: { URI: 'tcp://h:8080' },
      old: { URI: 'ssh://root@h:22/run/podman/podman.sock?secure=True' },
    });
    const candidates = await listCandidates(machineWith({ [CONNECTIONS]: text }));
    assert.deepEqual(
      candidates.map(({ found, endpoint }) => [found, endpoint?.transport]),
      [
        [
          { kind: 'podmanConnection', name: 'vm' },
          {
            ...{ kind: 'ssh', host: '127.0.0.1', user: 'core', port: 53_685 },
            ...{ socket: '/run/podman/podman.sock', identity: '/k/machine' },
          },
        ],
        [
          { kind: 'podmanConnection', name: 'here' },
          { kind: 'socket', path: '/x.sock' },
        ],
        [
          { kind: 'podmanConnection', name: 'tcp' },
          { kind: 'tcp', host: 'h', port: 8080, base: '' },
        ],
        [
          { kind: 'podmanConnection', name: 'old' },
          { kind: 'ssh', host: 'h', user: 'root', port: 22, socket: '/run/podman/podman.sock' },
        ],
      ],
    );
  });

  it('omit a key that could be an option or has no absolute path', async () => {
    for (const Identity of ['-oProxyCommand=x', 'key', './key', '/a\nb', '', 5]) {
      const text = connections({ vm: { URI: 'ssh://h', Identity } });
      const [candidate] = await listCandidates(machineWith({ [CONNECTIONS]: text }));
      assert.deepEqual(candidate?.endpoint?.transport, { kind: 'ssh', host: 'h' });
    }
    const text = connections({ vm: { URI: 'ssh://h', Identity: '~/.ssh/key' } });
    const [candidate] = await listCandidates(machineWith({ [CONNECTIONS]: text }));
    assert(candidate?.endpoint?.transport.kind === 'ssh');
    assert.equal(candidate.endpoint.transport.identity, `${HOME}/.ssh/key`);
  });

  it('are read even if another one is invalid', async () => {
    const text = connections({
      a: { URI: 'http://h' },
      b: null,
      c: { URI: '/c.sock' },
      __proto__x: 5,
    });
    assert.deepEqual(await offered(machineWith({ [CONNECTIONS]: text })), [
      ...['a: badEndpoint', 'b: badEndpoint', 'c: unix:///c.sock', '__proto__x: badEndpoint'],
    ]);
    for (const bad of ['', '{', '[]', '{"Connection":5}', connections([]), LOCKED]) {
      assert.deepEqual(await offered(machineWith({ [CONNECTIONS]: bad })), []);
    }
  });

  it('may be in another file', async () => {
    const text = connections({ a: { URI: '/a.sock' } });
    const machine = machineWith(
      { '/other.json': text },
      { PODMAN_CONNECTIONS_CONF: '/other.json' },
    );
    assert.deepEqual(await offered(machine), ['a: unix:///a.sock']);
  });

  it('are also read from the file of older versions, but the newer file wins', async () => {
    const conf = [
      '[containers]',
      'uri = "unix:///no.sock"',
      '[engine]',
      '  active_service = "a"',
      '  [engine.service_destinations]',
      '    [engine.service_destinations.a] # the first',
      '      uri = "ssh://core@h:1/run/a.sock" # where',
      '      identity = "/k/\\u0061"',
      '      is_machine = true',
      "    [ engine . service_destinations . 'b.c' ]\r",
      "      uri = 'unix:///b.sock'\r",
      '    [engine.service_destinations."d e"]',
      'uri = "unix:///d.sock',
      'uri = broken',
      '[engine.volume_plugins]',
      'uri = "unix:///no.sock"',
    ].join('\n');
    const text = connections({ a: { URI: '/new.sock' } });
    assert.deepEqual(await offered(machineWith({ [CONF]: conf })), [
      ...['a: ssh://core@h:1/run/a.sock', 'b.c: unix:///b.sock', 'd e: badEndpoint'],
    ]);
    const both = await offered(machineWith({ [CONF]: conf, [CONNECTIONS]: text }));
    assert.deepEqual(both.slice(0, 2), ['a: unix:///new.sock', 'b.c: unix:///b.sock']);
  });

  it('are read quickly from a file of any shape', async () => {
    const hostile = ['"', '\\', ' ', '[', '#', '.', "'"].map((sign) => sign.repeat(100_000));
    const lines = hostile.flatMap((line) => [
      `[engine.service_destinations.${line}`,
      '[engine.service_destinations.x]',
      `uri = "${line}`,
      `uri =${line}`,
    ]);
    assert.deepEqual(await offered(machineWith({ [CONF]: lines.join('\n') })), [
      ...['x: badEndpoint', ...(await offered(machineWith({})))],
    ]);
  });
});

describe('listCandidates', () => {
  it('lists every context by name, even if another one is invalid', async () => {
    const files = {
      [contextFile('c10')]: contextText('c10', '/10.sock'),
      [contextFile('c2')]: contextText('c2', '/2.sock'),
      [contextFile('bad')]: contextText('bad', 'http://x'),
      '/home/me/.docker/contexts/meta/0damaged/meta.json': '{',
      '/home/me/.docker/contexts/meta/0empty/': '',
      '/home/me/.docker/contexts/meta/0file': 'x',
      [contextFile('default')]: contextText('default', '/never.sock'),
    };
    assert.deepEqual(await offered(machineWith(files)), [
      ...['0damaged: contextBroken', 'bad: contextBroken'],
      ...['c2: unix:///2.sock', 'c10: unix:///10.sock'],
    ]);
  });

  it('finds contexts in nested folders up to a maximum depth', async () => {
    const store = `${HOME}/.docker/contexts/meta/a`;
    const files = {
      [`${store}/b/c/d/meta.json`]: contextText('deep', '/deep.sock'),
      [`${store}/b/c/d/e/meta.json`]: contextText('deeper', '/deeper.sock'),
    };
    assert.deepEqual(await offered(machineWith(files)), ['deep: unix:///deep.sock']);
  });

  it('lists each engine once, under the name that the user gave it', async () => {
    const files = {
      [contextFile('colima')]: contextText('colima', `unix://${HOME}/.colima/default/docker.sock`),
      [contextFile('here')]: contextText('here', 'unix:///run/docker.sock'),
      [contextFile('there')]: contextText('there', 'tcp://h:1'),
      [contextFile('there, encrypted')]: contextText('there, encrypted', 'tcp://h:1', {
        SkipTLSVerify: true,
      }),
      ...sockets(
        '/var/run/docker.sock',
        `${HOME}/.colima/default/docker.sock`,
        '/run/podman/podman.sock',
      ),
    };
    const machine = machineWith(files, { DOCKER_HOST: 'unix:///var/run/docker.sock' });
    assert.deepEqual(await offered(machine), [
      `colima: unix://${HOME}/.colima/default/docker.sock`,
      'here: unix:///run/docker.sock',
      'there: tcp://h:1',
      'there, encrypted: tcp://h:1',
      'Podman: unix:///run/podman/podman.sock',
    ]);
  });

  it('lists a socket once, even if a link leads to it', async () => {
    const desktop = `${HOME}/.docker/desktop/docker.sock`;
    const machine = machineWith(sockets('/var/run/docker.sock', desktop));
    const realPathOf = (path: string): Promise<string> =>
      Promise.resolve(path === '/var/run/docker.sock' ? desktop : path);
    const linked = { ...machine, files: { ...machine.files!, realPathOf } };
    assert.equal((await offered(machine)).length, 2);
    assert.deepEqual(await offered(linked), ['Docker: unix:///var/run/docker.sock']);
  });

  it('lists DOCKER_HOST, even if it is invalid', async () => {
    assert.deepEqual(await offered(machineWith({}, { DOCKER_HOST: 'tcp://h:1' })), [
      'tcp://h:1: tcp://h:1',
    ]);
    assert.deepEqual(await offered(machineWith({}, { DOCKER_HOST: 'http://h' })), [
      'http://h: badEndpoint',
    ]);
  });
});

describe('sources with very many entries', () => {
  it('are bounded: folders of contexts that lead to themselves', async () => {
    let looks = 0;
    const machine: Machine = {
      ...machineWith({}),
      files: {
        readText: () => Promise.resolve(undefined),
        list: (folder) =>
          Promise.resolve(folder.includes('meta') ? Array.from('abcdefghijklmnopqrstuvwxy') : []),
        kindOf: (path) => {
          looks++;
          return Promise.resolve(/meta\.json$|sock$/.test(path) ? undefined : 'folder');
        },
      },
    };
    assert.deepEqual(await listCandidates(machine), []);
    assert.ok(looks <= 21_000, String(looks));
  });

  it('are bounded: connections of Podman', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `c${at}`);
    const json = Object.fromEntries(many.map((name) => [name, { URI: `tcp://${name}:1` }]));
    const conf = many.map(
      (name) => `[engine.service_destinations.old-${name}]\nuri = "tcp://o${name}:1"\n`,
    );
    const machine = machineWith({
      [CONNECTIONS]: JSON.stringify({ Connection: { Connections: json } }),
      [CONF]: conf.join(''),
    });
    assert.equal((await listCandidates(machine)).length, 2_000);
  });
});
