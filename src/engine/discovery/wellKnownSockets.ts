import { parseEndpoint, type Endpoint, type Machine } from './endpoint.ts';
import { filesOf } from './nodeFiles.ts';
import { variableFolder, inHome, joinPathOn, runtimeFolders } from './folders.ts';
import { listPodmanConnections } from './listPodmanConnections.ts';

/**
 * Where engines usually listen on this machine, the most usual first. The sockets with a fixed path whether they
 * are there or not, instances of virtual machines where their folders are. Never rejects.
 */
export async function wellKnownSockets(machine: Machine): Promise<readonly WellKnownSocket[]> {
  const sockets = machine.platform === 'win32' ? await pipes(machine) : await unixSockets(machine);
  const places = new Map<string, WellKnownSocket>();
  for (const [product, path] of sockets) {
    if (path === undefined || !isPath(path) || places.has(path)) continue;
    const endpoint = parseEndpoint(path, 'wellKnown');
    places.set(path, { product, isPodman: product.startsWith('Podman'), endpoint });
  }
  return [...places.values()];
}

/** A socket where a product usually listens. */
export interface WellKnownSocket {
  /** The name a person knows, with the instance where there can be several: `Colima (work)`. */
  readonly product: string;
  /** Whether it is Docker's own way of listening, so that what is meant for Docker is meant for it, too. */
  readonly isPodman: boolean;
  readonly endpoint: Endpoint;
}

type Socket = readonly [product: string, path: string | undefined];

/** The pipe or the socket that the command line takes where nobody chose anything. */
export function defaultSocket({ platform }: Machine): string {
  return platform === 'win32' ? PIPES + 'docker_engine' : '/var/run/docker.sock';
}

const PIPES = '\\\\.\\pipe\\';

/** Pipes are never looked at: a look at one takes the place of a caller. Their folder can be listed. */
async function pipes(machine: Machine): Promise<readonly Socket[]> {
  const there = await filesOf(machine).list(PIPES);
  const names = [...(await knownMachines(machine))].map(pipeOf);
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
 * The machines of Podman that it keeps files of, or has connections to. Any program may open a pipe or a socket where
 * machines have theirs.
 */
async function knownMachines(machine: Machine): Promise<ReadonlySet<string>> {
  const names = new Set([DEFAULT_MACHINE, ...(await listPodmanConnections(machine)).keys()]);
  for (const provider of ['wsl', 'hyperv']) {
    const folder = inHome(machine, '.config', 'containers', 'podman', 'machine', provider);
    for (const file of folder === undefined ? [] : await namesIn(machine, folder)) {
      if (file.endsWith('.json')) names.add(file.slice(0, -'.json'.length));
    }
  }
  return names;
}

/** What Podman calls the pipe of a machine. */
function pipeOf(name: string): string {
  return name.startsWith('podman') ? name : `podman-${name}`;
}

async function unixSockets(machine: Machine): Promise<readonly Socket[]> {
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
    ...(isMac ? [] : await wsl(machine)),
  ];
}

/** Every profile has a folder with its socket in it. */
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

/** Since version 5 the sockets are beside other temporary files; before, they were beside the machine's own. */
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

/** Inside a distribution: what the programs on the Windows side share with all of them. */
async function wsl(machine: Machine): Promise<readonly Socket[]> {
  const shared = await namesIn(machine, '/mnt/wsl');
  const desktop = '/mnt/wsl/docker-desktop/shared-sockets';
  const podman = '/mnt/wsl/podman-sockets';
  const known = await knownMachines(machine);
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

function configFolder(machine: Machine, name: string): string | undefined {
  const told = variableFolder(machine, 'XDG_CONFIG_HOME');
  return told === undefined ? inHome(machine, '.config', name) : joinPathOn(machine, told, name);
}

/** The folders that stand for instances; those that begin with `_` or `.` are the program's own. */
async function instancesIn(machine: Machine, root: string): Promise<readonly string[]> {
  const names = (await namesIn(machine, root)).filter((name) => /^[^._]/.test(name));
  const kinds = await Promise.all(
    names.map((name) => filesOf(machine).kindOf(joinPathOn(machine, root, name))),
  );
  return names.filter((_, index) => kinds[index] === 'folder');
}

/** By name; one with a control character in it is nobody's. */
async function namesIn(machine: Machine, folder: string): Promise<readonly string[]> {
  const names = await filesOf(machine).list(folder);
  return names.filter(isPath).sort().slice(0, MOST_INSTANCES);
}

const MOST_INSTANCES = 100;

function isPath(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** The profile without a name first. Its socket is named even where there is none, for the report. */
function inOrder(found: readonly Socket[], usual: string | undefined): readonly Socket[] {
  const isDefault = ([product]: Socket): boolean => product === 'Colima';
  return [['Colima', usual], ...found.filter(isDefault), ...found.filter((one) => !isDefault(one))];
}
