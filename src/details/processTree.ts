import type { ContainerProcess } from '../engine/exec/listProcesses.ts';
import { formatSize } from '../views/format.ts';
import type { PageProcess } from './protocol.ts';

/** More processes than somebody reads. */
const MOST_SHOWN = 500;
const DEEPEST = 30;

/**
 * Orders processes as a tree, each below its parent. A parent may be of no process here, or one that an engine makes
 * up: every process is shown once.
 */
export function processTree(processes: readonly ContainerProcess[]): readonly PageProcess[] {
  const byId = new Map(processes.map((one) => [idOf(one), one]));
  const children = Map.groupBy(processes, (one) => {
    const parent = one.parent === undefined ? undefined : byId.get(one.parent);
    return parent && parent !== one ? idOf(parent) : undefined;
  });
  const shown: PageProcess[] = [];
  const seen = new Set<ContainerProcess>();
  const add = (one: ContainerProcess, depth: number): void => {
    if (seen.has(one) || shown.length >= MOST_SHOWN) return;
    seen.add(one);
    shown.push(pageProcess(one, depth));
    const id = idOf(one);
    if (id === undefined || depth >= DEEPEST) return;
    for (const child of children.get(id) ?? []) add(child, depth + 1);
  };
  for (const one of children.get(undefined) ?? []) add(one, 0);
  // Those in a circle of parents, and those that are too deep.
  for (const one of processes) add(one, 0);
  return shown;
}

/** The ID by which others name it as their parent. */
function idOf({ pid, hostPid }: ContainerProcess): number | undefined {
  return pid ?? hostPid;
}

function pageProcess(one: ContainerProcess, depth: number): PageProcess {
  const { pid, hostPid, user, cpuPercent, memoryBytes, command } = one;
  return {
    // Without the ID inside, no signal reaches it there.
    key: pid === undefined ? '' : String(pid),
    depth,
    pid: String(pid ?? hostPid ?? ''),
    user,
    cpu: cpuPercent === undefined ? '' : `${cpuPercent} %`,
    memory: memoryBytes === undefined ? '' : formatSize(memoryBytes),
    command,
  };
}
