import type { Connection } from '../../engine/http/connection.ts';
import { InputError } from '../../engine/errors.ts';
import type { Container } from '../../engine/model.ts';
import type { ComposeRun } from '../cli/composeRun.ts';
import { projectOf } from '../projectLabels.ts';
import {
  chooseHostPorts,
  isUnusedHere,
  portVariables,
  wantedPorts,
  type HostPort,
} from './hostPorts.ts';
import { isThere } from './findWorktreeState.ts';
import { locateProject } from './locateProject.ts';
import type { ResolvedProject } from './readResolvedProject.ts';
import { resolveProject } from './resolveProject.ts';
import { separate, type OwnVolume, type WorktreeDifference } from './separate.ts';
import type { WorktreeOverrides } from './worktreeOverrides.ts';

/**
 * Turns a run on compose files into one on the project of their worktree: writes the file that separates it from the
 * projects of other worktrees, and adds it to the run.
 *
 * @throws InputError if the files are in no repository, or Compose refuses them; file system errors.
 */
export async function separateProject(
  run: ComposeRun,
  parts: SeparateParts,
  signal: AbortSignal,
): Promise<SeparatedRun> {
  const { overrides, containers, refused = [] } = parts;
  const { worktree, name, record } = await locateProject(run.request, overrides, containers);
  const { project } = name;
  const named = { ...run, request: { ...run.request, project } };
  const known = new Map((record?.ports ?? []).map(({ key, host }) => [key, host]));
  const resolved = await resolveProject(withPorts(named, record?.ports ?? []), signal);
  const ports = await choosePorts(project, resolved, known, { ...parts, signal });
  const complete = withPorts(named, ports);
  const { root, gitFolder, common, below } = worktree;
  let separation = separate(resolved, { name, ports, root });
  // A text that names a port may have it from a variable that was not known.
  const isNewPort = ports.some(({ key, host }) => known.get(key) !== host);
  if (isNewPort && separation.differences.some(({ kind }) => kind === 'portInText'))
    separation = separate(await resolveProject(complete, signal), { name, ports, root });
  const { override, differences, volumes } = separation;
  const { files } = run.request;
  const file = { project, folder: root, gitFolder, base: name.base, ports };
  const path = await overrides.write(file, override);
  const again: SeparatedProject['again'] = async (output) => {
    const more = refusedPorts(output, ports);
    if (more.length === 0) return undefined;
    return separateProject(run, { ...parts, refused: [...refused, ...more] }, signal);
  };
  const own = { project, base: name.base, common, below, volumes };
  const separated = { ...own, ports, differences, again };
  return {
    ...complete,
    request: { ...named.request, files: [...files, path] },
    containers,
    separated,
  };
}

interface SeparateParts {
  readonly connection: Pick<Connection, 'endpoint'>;
  readonly overrides: WorktreeOverrides;
  /** All containers of the engine. */
  readonly containers: readonly Container[];
  /** Ports of the host that Compose could not publish. */
  readonly refused?: readonly number[];
}

/** Run on the project of a worktree. */
export interface SeparatedRun extends ComposeRun {
  readonly separated: SeparatedProject;
}

/** What separates the project of a worktree from those of other worktrees. */
export interface SeparatedProject {
  readonly project: string;
  /** The name of the project in the files. */
  readonly base: string;
  /** See `Checkout`. */
  readonly common: string;
  /** See `Worktree`. */
  readonly below: string;
  readonly ports: readonly HostPort[];
  readonly differences: readonly WorktreeDifference[];
  readonly volumes: readonly OwnVolume[];
  /**
   * Prepares the run again, with other ports in place of those that Compose could not publish; undefined if there are
   * none.
   *
   * @param output of Compose.
   */
  readonly again: (output: readonly string[]) => Promise<SeparatedRun | undefined>;
}

interface Aborting {
  readonly signal: AbortSignal;
}

/** @throws InputError if too few ports are free. */
async function choosePorts(
  project: string,
  resolved: ResolvedProject,
  known: ReadonlyMap<string, number>,
  { connection, containers, overrides, refused = [], signal }: SeparateParts & Aborting,
): Promise<readonly HostPort[]> {
  const [own = [], others = []] = [true, false].map((isOwn) =>
    containers.filter((one) => (projectOf(one) === project) === isOwn),
  );
  const kept = (await overrides.all()).filter((one) => one.project !== project);
  const isLeft = await Promise.all(kept.map(({ gitFolder }) => isThere(gitFolder)));
  const busy = new Set([
    ...refused,
    ...others.flatMap(publishedPorts),
    // Of a worktree that is gone, only what is still up counts.
    ...kept.flatMap(({ ports }, at) => (isLeft[at] ? ports.flatMap(portsOf) : [])),
  ]);
  const owned = new Set(own.flatMap(publishedPorts).filter((port) => !busy.has(port)));
  // What listens on the machine of another engine is not known: Compose says it.
  const isHere = connection.endpoint.transport.kind === 'socket';
  const chosen = await chooseHostPorts(project, wantedPorts(resolved), {
    known,
    signal,
    isFree: (port, wanted) =>
      owned.has(port) || (!busy.has(port) && (!isHere || isUnusedHere(port, wanted))),
  });
  if (chosen) return chosen;
  throw InputError.of('Too few ports of the host are free.');
}

/** As Docker and Podman say it, and Docker Desktop. */
const REFUSAL = /already (?:allocated|in use)|ports are not available/;

/** Returns the ports that could not be published, by what engines say. */
function refusedPorts(output: readonly string[], ports: readonly HostPort[]): readonly number[] {
  const refusals = output.filter((line) => REFUSAL.test(line));
  const named = new Set(refusals.flatMap((line) => line.match(/:\d{4,5}(?!\d)/g) ?? []));
  return ports.flatMap(portsOf).filter((port) => named.has(`:${port}`));
}

function publishedPorts({ ports }: Container): readonly number[] {
  return ports.flatMap(({ publicPort }) => publicPort ?? []);
}

function portsOf({ host, count }: Pick<HostPort, 'host' | 'count'>): readonly number[] {
  return Array.from({ length: Math.min(count, MOST_OF_RANGE) }, (_, at) => host + at);
}

const MOST_OF_RANGE = 1_000;

/** Adds the variables of the ports to the environment of a run. */
function withPorts<Run extends ComposeRun>(
  run: Run,
  ports: Parameters<typeof portVariables>[0],
): Run {
  const added = portVariables(ports);
  const callOf: ComposeRun['callOf'] = (words) => {
    const call = run.callOf(words);
    const variables = { ...call.variables, ...added };
    return { ...call, env: { ...call.env, ...added }, variables };
  };
  return { ...run, callOf };
}
