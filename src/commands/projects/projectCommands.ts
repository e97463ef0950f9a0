import * as l10n from '@vscode/l10n';
import { listContainersInPods } from '../../engine/containers/listContainersInPods.ts';
import { asError, InputError } from '../../engine/errors.ts';
import { isUp, type Container } from '../../engine/model.ts';
import type { ContainerOutcome, ProjectVerb } from '../../projects/operations.ts';
import { readProjects } from '../../projects/project.ts';
import { swarmServiceOf } from '../../projects/projectLabels.ts';
import type { CommandId } from '../ui/ui.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { removeContainerQuestion } from '../containers/removeContainerQuestion.ts';
import { confirmHidden } from './confirmHidden.ts';
import { reportOnEach, showReport, type ProjectResult } from './projectOutcome.ts';
import {
  chooseProjects,
  onProjects,
  loadProject,
  nameOf,
  projectSchema,
  targetContainers,
  type ProjectArguments,
  type ProjectTarget,
} from './projectTarget.ts';
import { runProject, type ConfirmedContainers } from './runProject.ts';

/** The commands that run one verb on all containers of a project or service, in their order. */
export const projectCommands = (): readonly PlainCommand<ProjectArguments, ProjectResult>[] => [
  verbCommand('gantry.projects.start', 'start', {
    failureTitle: l10n.t('Could not start the project'),
    progress: (name) => l10n.t('Starting {0}', name),
    failed: (name) => l10n.t('Could not start {0}', name),
    already: ['alreadyStarted', (name) => l10n.t('{0} is already running.', name)],
  }),
  verbCommand('gantry.projects.stop', 'stop', {
    failureTitle: l10n.t('Could not stop the project'),
    progress: (name) => l10n.t('Stopping {0}', name),
    failed: (name) => l10n.t('Could not stop {0}', name),
    already: ['alreadyStopped', (name) => l10n.t('{0} is already stopped.', name)],
    isReplaced: true,
  }),
  verbCommand('gantry.projects.restart', 'restart', {
    failureTitle: l10n.t('Could not restart the project'),
    progress: (name) => l10n.t('Restarting {0}', name),
    failed: (name) => l10n.t('Could not restart {0}', name),
  }),
  verbCommand('gantry.projects.pause', 'pause', {
    failureTitle: l10n.t('Could not pause the project'),
    progress: (name) => l10n.t('Pausing {0}', name),
    failed: (name) => l10n.t('Could not pause {0}', name),
    already: ['notRunning', (name) => l10n.t('{0} is not running.', name)],
  }),
  verbCommand('gantry.projects.unpause', 'unpause', {
    failureTitle: l10n.t('Could not unpause the project'),
    progress: (name) => l10n.t('Unpausing {0}', name),
    failed: (name) => l10n.t('Could not unpause {0}', name),
    already: ['notRunning', (name) => l10n.t('{0} is not running.', name)],
  }),
  verbCommand('gantry.projects.kill', 'kill', {
    failureTitle: l10n.t('Could not kill the project'),
    progress: (name) => l10n.t('Killing {0}', name),
    failed: (name) => l10n.t('Could not kill {0}', name),
    already: ['alreadyStopped', (name) => l10n.t('{0} is not running.', name)],
    isReplaced: true,
  }),
  verbCommand('gantry.projects.remove', 'remove', {
    failureTitle: l10n.t("Could not remove the project's containers"),
    progress: (name) => l10n.t('Removing the containers of {0}', name),
    failed: (name) => l10n.t('Could not remove the containers of {0}', name),
  }),
];

interface VerbTexts {
  readonly failureTitle: string;
  readonly progress: (name: string) => string;
  readonly failed: (name: string) => string;
  /** The outcome of all containers if nothing had to be done, and the message for it. */
  readonly already?: readonly [outcome: ContainerOutcome, say: (name: string) => string];
  /** Whether swarm replaces the containers afterwards. */
  readonly isReplaced?: true;
}

function verbCommand(
  id: CommandId,
  verb: ProjectVerb,
  texts: VerbTexts,
): PlainCommand<ProjectArguments, ProjectResult> {
  return {
    id,
    schema: projectSchema,
    ...onProjects(id),
    failureTitle: texts.failureTitle,
    run: async (args, context, signal) => (await runProject(verb, args, context, signal)).result,
    runInteractive: async (context, nodes, args) => {
      const targets = args ? [{ ...args, context }] : chooseProjects(context, nodes);
      if (targets.length === 0) return undefined;
      // A removal lists its containers itself.
      const isAsked = verb === 'stop' || verb === 'restart' || verb === 'kill' || verb === 'pause';
      if (isAsked && !(await confirmHidden(context.ui, id, nodes))) return undefined;
      const confirmed = verb === 'remove' ? await confirmRemoval(context, targets) : undefined;
      if (verb === 'remove' && !confirmed) return undefined;
      return runForUser(verb, targets, texts, context, confirmed);
    },
  };
}

async function runForUser(
  verb: ProjectVerb,
  targets: readonly ProjectTarget[],
  texts: VerbTexts,
  context: CommandContext,
  confirmed: ConfirmedContainers | undefined,
): Promise<ProjectResult> {
  const name = nameOf(targets);
  const report = await context.ui.progress(texts.progress(name), 'late', (signal) =>
    reportOnEach(targets.length, targets, (one) =>
      runProject(verb, one, one.context, signal, confirmed),
    ),
  );
  const message = alreadyMessage(report.result, name, texts) ?? replacedMessage(targets, texts);
  showReport(context, texts.failed(name), report, { message });
  return report.result;
}

function alreadyMessage(
  { done }: ProjectResult,
  name: string,
  { already }: VerbTexts,
): string | undefined {
  if (!already) return undefined;
  const [outcome, message] = already;
  return done.every((one) => one.outcome === outcome) ? message(name) : undefined;
}

function replacedMessage(
  targets: readonly ProjectTarget[],
  { isReplaced }: VerbTexts,
): string | undefined {
  if (!isReplaced) return undefined;
  const stack = targets.find(({ project, context }) =>
    readProjects(context.inventory.containers.values()).some(
      ({ name, isStack }) => isStack && name === project,
    ),
  );
  return stack && stackMessage(stack.project);
}

function stackMessage(stack: string): string {
  return l10n.t('{0} is a swarm stack. Swarm replaces its containers.', stack);
}

/** Shows which containers are removed. Resolves to undefined if the user cancels, or if there are none. */
async function confirmRemoval(
  context: CommandContext,
  targets: readonly ProjectTarget[],
): Promise<ConfirmedContainers | undefined> {
  const title = l10n.t('Inspecting {0}', nameOf(targets));
  const containers = await context.ui.progress(title, 'late', (signal) =>
    listForRemoval(targets, signal),
  );
  if (containers.length === 0) {
    context.ui.info(l10n.t('There are no containers to remove.'));
    return undefined;
  }
  const removed = containers.map((one) => ({
    name: one.name,
    isRunning: isUp(one),
    service: swarmServiceOf(one),
  }));
  const { question, detail } = removeContainerQuestion(removed);
  if (!(await context.ui.confirm(question, detail, l10n.t('Remove')))) return undefined;
  return {
    all: new Set(containers.map(({ id }) => id)),
    killed: new Set(containers.filter(isUp).map(({ id }) => id)),
  };
}

/**
 * Lists the containers of projects. If others have containers, a project that no longer exists is left to the run,
 * which reports it.
 *
 * @throws InputError if all are gone; EngineError if the containers of one are unknown.
 */
async function listForRemoval(
  targets: readonly ProjectTarget[],
  signal: AbortSignal,
): Promise<readonly Container[]> {
  const lists = await Promise.allSettled(
    targets.map(async (target) => {
      const connection = await target.context.engine.connect(signal);
      return targetContainers(await loadProject(connection, target, signal), target);
    }),
  );
  signal.throwIfAborted();
  const failures = lists.flatMap((one) => (one.status === 'rejected' ? [asError(one.reason)] : []));
  const unknown = failures.find((error) => !(error instanceof InputError));
  if (unknown) throw unknown;
  const found = lists.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const containers = found.filter(({ pod }) => pod?.isInfra !== true);
  const [gone] = failures;
  if (gone && containers.length === 0) throw gone;
  return containers;
}

/** A project as callers see it. */
interface ListedProject {
  readonly name: string;
  readonly services: readonly {
    readonly name: string;
    /** IDs. */
    readonly containers: readonly string[];
    /** Whether all of them are up. */
    readonly isUp: boolean;
  }[];
  readonly files: readonly string[];
  readonly workingDir?: string;
}

/** Lists the projects. Always asks the engine and never uses what the views show. */
export const listProjectsCommand = (): PlainCommand<object, readonly ListedProject[]> => ({
  id: 'gantry.projects.list',
  schema: {},
  failureTitle: l10n.t('Could not list the projects'),
  run: async (_, { engine }, signal) => {
    const connection = await engine.connect(signal);
    const containers = await listContainersInPods(connection, signal);
    return readProjects(containers).map(({ name, services, files, workingDir }) => ({
      name,
      services: services.map((one) => ({
        name: one.name,
        containers: one.containers.map(({ id }) => id),
        isUp: one.containers.every(isUp),
      })),
      files,
      ...(workingDir !== undefined && { workingDir }),
    }));
  },
});
