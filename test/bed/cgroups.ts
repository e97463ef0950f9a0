// A branch of the cgroup tree for each bed. It keeps the engines' groups out of the machine's, and
// it is how a bed's processes are found again, whoever their parent has become.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const TREE = '/sys/fs/cgroup';

/** One group of a bed, and where in its namespaces the group shows as the root. */
export interface Group {
  readonly directory: string;
  readonly mountpoint: string;
}

/** Where a group of this name would be, in every hierarchy the machine has. */
export function planGroups(name: string): Group[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  return lines.flatMap((line) => groupFor(line, name) ?? []);
}

/** Makes groups as planned. */
export function makeGroups(groups: readonly Group[]): void {
  for (const group of groups) makeGroup(group);
}

/** The groups as the shell scripts read them: a line of two words for each. */
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
  // With version 2 alone a group that has processes gives its children no controllers, and ours is
  // in such a one: only at the root do engines get what they ask for.
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

/** A new cpuset is empty, and no process can enter an empty one. */
function copyCpuset(directory: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems'])
    writeFileSync(join(directory, file), readFileSync(join(directory, '..', file)));
}

/** The files a process writes itself to in order to be in the groups. */
export function joinFiles(groups: readonly Group[]): string[] {
  return groups.map(({ directory, mountpoint }) =>
    mountpoint === TREE ? join(directory, 'init', 'cgroup.procs') : join(directory, 'cgroup.procs'),
  );
}
