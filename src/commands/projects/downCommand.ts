import * as l10n from '@vscode/l10n';
import { listContainers } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { sameEngineOnly } from '../../engine/http/sameEngineOnly.ts';
import { listVolumes } from '../../engine/volumes/volumes.ts';
import { isCancellation } from '../../base/lifetime.ts';
import { listResources, planDown, type DownPlan } from '../../projects/downPlan.ts';
import { composeNameOf, isOfPod, isOfStack, projectOf } from '../../projects/projectLabels.ts';
import {
  runDown,
  type DownFailure,
  type DownOptions,
  type DownRun,
  type RemovalOutcome,
} from '../../projects/runDown.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import type { CommandId } from '../ui/ui.ts';
import { errorMessage, keptImageMessage } from '../ui/errorMessage.ts';
import { formatName, formatUsers } from '../ui/formatNames.ts';
import { askDown } from './askDown.ts';
import {
  failedMessage,
  joinResults,
  showReport,
  type ProjectReport,
  type ProjectResult,
} from './projectOutcome.ts';
import { worktreeProjectOf } from './worktreeProjectOf.ts';
import { chooseProjects, onProjects, type ProjectTarget } from './projectTarget.ts';
import { worldOf } from './runProject.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';

const DOWN: CommandId = 'gantry.projects.down';

interface DownArguments {
  /** Required unless it is that of a worktree. */
  readonly project?: string;
  /** Whether it is the project of the worktree that the files, or the workspace, are in. */
  readonly worktree?: boolean;
  /** The compose files of the worktree; by default those of the workspace folder. */
  readonly files?: readonly string[];
  readonly volumes?: boolean;
  readonly images?: boolean;
}

/** Removes projects: their containers and networks, and if chosen its volumes and images. */
export const downCommand = (): PlainCommand<DownArguments, ProjectResult<RemovalOutcome>> => ({
  id: 'gantry.projects.down',
  schema: {
    project: { kind: 'text' },
    worktree: { kind: 'boolean' },
    files: { kind: 'texts' },
    volumes: { kind: 'boolean' },
    images: { kind: 'boolean' },
  },
  ...onProjects(DOWN, (one) => !one.isStack && !one.isPod),
  failureTitle: l10n.t('Could not take down the project'),
  run: removeProject,
  runInteractive: async (context, nodes) => {
    return downOnEach(chooseProjects(context, nodes), l10n.t('Could not take down the project'));
  },
});

/**
 * Removes a project without a question.
 *
 * @throws NoProjectError if there is nothing of the project; InputError if it is a swarm stack or a pod.
 */
export async function removeProject(
  args: DownArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<ProjectResult<RemovalOutcome>> {
  const projects = [await projectToRemove(args, context, signal)];
  const plan = await loadPlan(projects, context, signal);
  const volumes = args.volumes === true ? plan.volumes : [];
  const images = args.images === true ? plan.images : [];
  const kept = plan.kept.filter(
    ({ kind }) =>
      kind === 'network' ||
      (kind === 'volume' && args.volumes === true) ||
      (kind === 'image' && args.images === true),
  );
  const agreed = { ...plan, volumes, images, kept, isFresh: true };
  return (await down(projects, agreed, context, signal)).result;
}

async function projectToRemove(
  { project, files, worktree }: DownArguments,
  context: CommandContext,
  signal: AbortSignal,
): Promise<string> {
  if (worktree === true) {
    const connection = await context.engine.connect(signal);
    const containers = await listContainers(connection, { all: true }, signal);
    return (await worktreeProjectOf({ project, files }, containers, context)).project;
  }
  if (project !== undefined) return project;
  throw new InputError(l10n.t('Set "project" or "worktree".'));
}

/** The error if there is nothing of a project. */
export class NoProjectError extends InputError {}

/** Asks once for each engine: about the next also after an error, but not after the user canceled. */
async function downOnEach(
  targets: readonly ProjectTarget[],
  failureTitle: string,
): Promise<ProjectResult<RemovalOutcome> | undefined> {
  const results: ProjectResult<RemovalOutcome>[] = [];
  for (const [context, own] of Map.groupBy(targets, (target) => target.context)) {
    const projects = [...new Set(own.map(({ project }) => project))];
    const end = await withErrorMessage(failureTitle, context, async () => ({
      report: await downInteractively(projects, context).catch(undefinedIfCanceled),
    }));
    if (!end) continue;
    if (end.report) results.push(end.report.result);
    if (end.report?.isCanceled !== false) break;
  }
  return results.length === 0 ? undefined : joinResults(results);
}

function undefinedIfCanceled(error: unknown): undefined {
  if (!isCancellation(error)) throw error;
}

/** Resolves to undefined if the user cancels a question. */
async function downInteractively(
  projects: readonly string[],
  context: CommandContext,
): Promise<ProjectReport<RemovalOutcome> | undefined> {
  const [first = ''] = projects;
  const name = context.titleOf(
    projects.length === 1 ? formatName(first) : l10n.t('{0} projects', projects.length),
  );
  const plan = await context.ui.progress(l10n.t('Inspecting {0}', name), 'late', (signal) =>
    loadPlan(projects, context, signal),
  );
  const agreed = await askDown(name, plan, context);
  if (!agreed) return undefined;
  const report = await context.ui.progress(l10n.t('Taking down {0}', name), 'late', (signal) =>
    down(projects, agreed, context, signal),
  );
  const again = {
    title: l10n.t('Try Again...'),
    run: () => downInteractively(projects, context),
  };
  showReport(context, l10n.t('Could not take down {0} completely', name), report, {
    help: [again],
  });
  return report;
}

/** @throws InputError if there is nothing of the project, or if it is a swarm stack. */
async function loadPlan(
  projects: readonly string[],
  context: CommandContext,
  signal: AbortSignal,
): Promise<DownPlan> {
  const all = await listResources(await context.engine.connect(signal), signal);
  const plan = planDown(projects, all);
  const members = plan.containers.length + plan.networks.length + plan.volumes.length;
  if (members + plan.kept.length > 0) return plan;
  const [project = ''] = projects;
  const isStack = all.containers.some((one) => projectOf(one) === project && isOfStack(one));
  if (all.containers.some((one) => projectOf(one) === project && isOfPod(one)))
    throw new InputError(
      l10n.t('{0} is a pod. Remove it with podman pod rm.', formatName(project)),
    );
  if (isStack)
    throw new InputError(
      l10n.t('{0} is a swarm stack. Remove it with docker stack rm.', formatName(project)),
    );
  throw new NoProjectError(
    l10n.t('The project {0} does not exist on this engine.', formatName(project)),
  );
}

/** @param agreed what to remove; of `kept`, what would be removed if it was not in use. */
async function down(
  projects: readonly string[],
  { isFresh, ...agreed }: DownPlan & Pick<DownOptions, 'isFresh'>,
  context: CommandContext,
  signal: AbortSignal,
): Promise<ProjectReport<RemovalOutcome>> {
  const world = worldOf(context, 'remove');
  const connection = await context.engine.connect(signal);
  const connect = sameEngineOnly(connection, (later) => context.engine.connect(later));
  const run = await runDown(projects, agreed, { ...world, connection, connect, signal, isFresh });
  // Not every engine sends events of networks.
  context.inventory.networks.markStale();
  if (run.failed.length === 0 && !run.isCanceled)
    await forgetWorktrees(projects, connection, context, signal);
  const kept = agreed.kept.map(({ users, ...one }) => ({
    ...one,
    why: { kind: 'used', users } as const,
  }));
  return reportOfDown({ ...run, failed: [...run.failed, ...kept] }, kept.length);
}

/** Removes what separates projects, except for those that have volumes: with it, the next Up finds them. */
async function forgetWorktrees(
  projects: readonly string[],
  connection: Connection,
  { window }: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const overrides = await window.worktrees();
  const known = (await Promise.all(projects.map((one) => overrides.read(one)))).filter(
    (one) => one !== undefined,
  );
  if (known.length === 0) return;
  const volumes = await listVolumes(connection, {}, signal).catch(() => undefined);
  if (!volumes) return;
  const used = new Set(volumes.map(({ labels }) => composeNameOf(labels, 'volume').project));
  for (const { project } of known) if (!used.has(project)) await overrides.remove(project);
}

function reportOfDown(run: DownRun, kept: number): ProjectReport<RemovalOutcome> {
  const failed = run.failed.map(({ kind, id, name, why }) => {
    return { kind, id, name, message: downFailureMessage(why) };
  });
  const [error] = run.failed.flatMap(({ why }) => (why.kind === 'error' ? [why.error] : []));
  const { done, isCanceled, total } = run;
  return { result: { done, failed }, isCanceled, total: total + kept, error };
}

/** Formats why something stays. */
function downFailureMessage(why: DownFailure): string {
  if (why.kind === 'used') return formatUsers(why.users);
  if (why.kind !== 'image') return failedMessage(why);
  const { kept } = why;
  return kept.why === 'refused' ? errorMessage(kept.error) : keptImageMessage(kept);
}
