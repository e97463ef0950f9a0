import { parseEndpoint, type Endpoint, type Machine } from '../http/endpoint.ts';
import { filesOn } from './nodeFiles.ts';
import { configFolder, variableFolder, inHome, joinPathOn, runtimeFolders } from './folders.ts';
import type { EngineConfig } from './engineConfig.ts';

/**
 * Returns the well-known sockets of the machine, the most common first. Sockets with a fixed path are listed even
 * if they do not exist; those of virtual machines only if their folders exist. Never rejects.
 */
export async function wellKnownSockets(config: EngineConfig): Promise<readonly WellKnownSocket[]> {
  const isWindows = config.machine.platform === 'win32';
  const sockets = await (isWindows ? pipes(config) : unixSockets(config));
  const byPath = new Map<string, WellKnownSocket>();
  for (const [product, path] of sockets) {
    if (path === undefined || !isPath(path) || byPath.has(path)) continue;
    const endpoint = parseEndpoint(path, 'wellKnown');
    byPath.set(path, { product, isPodman: product.startsWith('Podman'), endpoint });
  }
  return [...byPath.values()];
}

/** A socket on which a product listens by default. */
export interface WellKnownSocket {
  /** The product name, with the instance if there can be several: `Colima (work)`. */
  readonly product: string;
  /** Whether it is a Podman socket, which does not get the headers and the API version intended for Docker. */
  readonly isPodman: boolean;
  readonly endpoint: Endpoint;
}

type Socket = readonly [product: string, path: string | undefined];

/** Returns the default named pipe or socket of the Docker CLI. */
export function defaultSocket({ platform }: Machine): string {
  return platform === 'win32' ? PIPES + 'docker_engine' : '/var/run/docker.sock';
}

const PIPES = '\\\\.\\pipe\\';

/** Named pipes are never opened, because that would take up one of their instances. Their folder can be listed. */
async function pipes(config: EngineConfig): Promise<readonly Socket[]> {
  const there = await filesOn(config.machine).list(PIPES);
  const names = [...(await knownMachines(config))].map((name) =>
    name.startsWith('podman') ? name : `podman-${name}`,
  );
  const machines = new Set([
    DEFAULT_MACHINE,
    ...names.filter((name) => there.includes(name)).sort(),
  ]);
  return [
    ['Docker', PIPES + 'docker_engine'],
    ['Docker Desktop', PIPES + 'dockerDesktopLinuxEngine'],
    ['Docker Desktop (Windows containers)', PIPES + 'dockerDesktopWindowsEngine'],
    ...[...machines].map((name): Socket => [podmanMachine(name), PIPES + name]),
  ];
}

const DEFAULT_MACHINE = 'podman-machine-default';

/**
 * Returns the names of the Podman machines that have files or connections. The check is needed because any
 * program may create a pipe or a socket where machines have theirs.
 */
async function knownMachines({ machine, podman }: EngineConfig): Promise<ReadonlySet<string>> {
  const names = new Set([DEFAULT_MACHINE, ...(await podman()).byName.keys()]);
  for (const provider of ['wsl', 'hyperv']) {
    const folder = inHome(machine, '.config', 'containers', 'podman', 'machine', provider);
    for (const file of folder === undefined ? [] : await namesIn(machine, folder))
      if (file.endsWith('.json')) names.add(file.slice(0, -'.json'.length));
  }
  return names;
}

async function unixSockets(config: EngineConfig): Promise<readonly Socket[]> {
  const { machine } = config;
  const runtime = runtimeFolders(machine);
  const isMac = machine.platform === 'darwin';
  return [
    ['Docker', defaultSocket(machine)],
    ...runtime.map((folder): Socket => ['Docker (rootless)', `${folder}/docker.sock`]),
    ['Docker Desktop', inHome(machine, '.docker', 'run', 'docker.sock')],
    ['Docker Desktop', inHome(machine, '.docker', 'desktop', 'docker.sock')],
    ...(await colima(machine)),
    ['Rancher Desktop', inHome(machine, '.rd', 'docker.sock')],
    ['OrbStack', inHome(machine, '.orbstack', 'run', 'docker.sock')],
    ...(await lima(machine)),
    ...(isMac ? [] : [['Podman', '/run/podman/podman.sock'] as const]),
    ...runtime.map((folder): Socket => ['Podman (rootless)', `${folder}/podman/podman.sock`]),
    ...(await podmanMachines(machine)),
    ...(isMac ? [] : await wsl(config)),
  ];
}

/** Each profile has a folder that contains its socket. */
async function colima(machine: Machine): Promise<readonly Socket[]> {
  const roots = [
    variableFolder(machine, 'COLIMA_HOME'),
    inHome(machine, '.colima'),
    configFolder(machine, 'colima'),
  ].filter((root) => root !== undefined);
  const found: Socket[] = [];
  for (const root of new Set(roots)) {
    for (const profile of await instancesIn(machine, root)) {
      const product = profile === 'default' ? 'Colima' : `Colima (${profile})`;
      found.push([product, joinPathOn(machine, root, profile, 'docker.sock')]);
    }
    const isOlder = (await namesIn(machine, root)).includes('docker.sock');
    if (isOlder) found.push(['Colima', joinPathOn(machine, root, 'docker.sock')]);
  }
  return inOrder(found, inHome(machine, '.colima', 'default', 'docker.sock'));
}

async function lima(machine: Machine): Promise<readonly Socket[]> {
  const root = variableFolder(machine, 'LIMA_HOME') ?? inHome(machine, '.lima');
  if (root === undefined) return [];
  const found: Socket[] = [];
  for (const instance of await instancesIn(machine, root)) {
    const folder = joinPathOn(machine, root, instance, 'sock');
    for (const name of await namesIn(machine, folder)) {
      const path = joinPathOn(machine, folder, name);
      if (name === 'docker.sock') found.push([`Lima (${instance})`, path]);
      if (name === 'podman.sock') found.push([`Podman on Lima (${instance})`, path]);
    }
  }
  return found;
}

/** Since Podman 5 the sockets are with other temporary files; before, they were with the files of the machine. */
async function podmanMachines(machine: Machine): Promise<readonly Socket[]> {
  const isMac = machine.platform === 'darwin';
  const temporary = isMac ? [variableFolder(machine, 'TMPDIR')] : runtimeFolders(machine);
  const found: Socket[] = [];
  for (const folder of temporary) {
    if (folder === undefined) continue;
    const sockets = joinPathOn(machine, folder, 'podman');
    for (const name of await namesIn(machine, sockets)) {
      const [, instance] = /^(.+)-api\.sock$/.exec(name) ?? [];
      if (instance === undefined) continue;
      found.push([podmanMachine(instance), joinPathOn(machine, sockets, name)]);
    }
  }
  const data = variableFolder(machine, 'XDG_DATA_HOME') ?? inHome(machine, '.local', 'share');
  if (data === undefined) return found;
  const root = joinPathOn(machine, data, 'containers', 'podman', 'machine');
  const folders = ['', ...(await instancesIn(machine, root))];
  const older = folders.map((name): Socket => [
    'Podman machine',
    joinPathOn(machine, root, name, 'podman.sock'),
  ]);
  return [...found, ...(folders.length > 1 ? older : [])];
}

/** In a WSL distribution: the sockets that programs on Windows share with all distributions. */
async function wsl(config: EngineConfig): Promise<readonly Socket[]> {
  const { machine } = config;
  const shared = await namesIn(machine, '/mnt/wsl');
  const desktop = '/mnt/wsl/docker-desktop/shared-sockets';
  const podman = '/mnt/wsl/podman-sockets';
  const known = await knownMachines(config);
  const machines = shared.includes('podman-sockets')
    ? (await instancesIn(machine, podman)).filter((name) => known.has(name))
    : [];
  return [
    ...(shared.includes('docker-desktop')
      ? ['guest-services/docker.proxy.sock', 'guest-services/docker.sock'].map((path): Socket => [
          'Docker Desktop (WSL)',
          `${desktop}/${path}`,
        ])
      : []),
    ...(shared.includes('rancher-desktop')
      ? [['Rancher Desktop (WSL)', '/mnt/wsl/rancher-desktop/run/docker.sock'] as const]
      : []),
    ...machines.flatMap((name): Socket[] => [
      [`${podmanMachine(name)} (WSL)`, `${podman}/${name}/podman-user.sock`],
      [`${podmanMachine(name)} (WSL, rootful)`, `${podman}/${name}/podman-root.sock`],
    ]),
  ];
}

function podmanMachine(name: string): string {
  const short = name.replace(/^podman-(?:machine-)?/, '');
  return short === 'default' || short === '' ? 'Podman machine' : `Podman machine (${short})`;
}

/** Returns the folders of instances; those that start with `_` or `.` belong to the program itself. */
async function instancesIn(machine: Machine, root: string): Promise<readonly string[]> {
  const names = (await namesIn(machine, root)).filter((name) => /^[^._]/.test(name));
  const kinds = await Promise.all(
    names.map((name) => filesOn(machine).kindOf(joinPathOn(machine, root, name))),
  );
  return names.filter((_, index) => kinds[index] === 'folder');
}

/** Returns the sorted names in a folder, without those that contain control characters. */
async function namesIn(machine: Machine, folder: string): Promise<readonly string[]> {
  const names = await filesOn(machine).list(folder);
  return names.filter(isPath).sort().slice(0, MOST_INSTANCES);
}

const MOST_INSTANCES = 100;

function isPath(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** Puts the default profile first. Its socket is listed even if it does not exist, for the report. */
function inOrder(found: readonly Socket[], usual: string | undefined): readonly Socket[] {
  const isDefault = ([product]: Socket): boolean => product === 'Colima';
  return [['Colima', usual], ...found.filter(isDefault), ...found.filter((one) => !isDefault(one))];
}
