// A branch of the cgroup tree for each bed. It separates the engines' groups from those of the machine, and
// identifies the processes of a bed, whatever their parent is.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const TREE = '/sys/fs/cgroup';

/** One group of a bed, and the mount point at which it is the root inside the bed's namespaces. */
export interface Group {
  readonly directory: string;
  readonly mountpoint: string;
}

/** Returns where a group of this name would be, in every cgroup hierarchy of the machine. */
export function planGroups(name: string): Group[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  return lines.flatMap((line) => groupFor(line, name) ?? []);
}

/** Creates the planned groups. */
export function makeGroups(groups: readonly Group[]): void {
  for (const group of groups) makeGroup(group);
}

/** Formats the groups for the shell scripts: one line of two words for each. */
export function groupLines(groups: readonly Group[]): string {
  return groups.map((group) => `${group.directory} ${group.mountpoint}`).join('\n');
}

function groupFor(line: string, name: string): Group | undefined {
  const [, controllers = '', path = '/'] = line.split(':');
  if (controllers === '') return unifiedGroup(path, name);
  const mountpoint = join(TREE, controllers.replace(/^name=/, ''));
  if (!existsSync(mountpoint)) return undefined;
  return { directory: join(mountpoint, path, name), mountpoint };
}

function unifiedGroup(path: string, name: string): Group | undefined {
  // In cgroup v2, a group with processes cannot delegate controllers to its children, and this process is in
  // such a group. Only a group at the root gets the controllers that engines need.
  if (existsSync(join(TREE, 'cgroup.controllers')))
    return { directory: join(TREE, name), mountpoint: TREE };
  const mountpoint = join(TREE, 'unified');
  if (!existsSync(mountpoint)) return undefined;
  return { directory: join(mountpoint, path, name), mountpoint };
}

function makeGroup({ directory, mountpoint }: Group): void {
  mkdirSync(directory, { recursive: true });
  if (mountpoint === TREE) mkdirSync(join(directory, 'init'), { recursive: true });
  if (basename(mountpoint) === 'cpuset') copyCpuset(directory);
}

/** A new cpuset is empty, and no process can join an empty one. */
function copyCpuset(directory: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems'])
    writeFileSync(join(directory, file), readFileSync(join(directory, '..', file)));
}

/** Returns the files to which a process writes itself to join the groups. */
export function joinFiles(groups: readonly Group[]): string[] {
  return groups.map(({ directory, mountpoint }) =>
    mountpoint === TREE ? join(directory, 'init', 'cgroup.procs') : join(directory, 'cgroup.procs'),
  );
}
