import * as l10n from '@vscode/l10n';
import { inspectContainer } from '../../engine/containers/containers.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { Container } from '../../engine/model.ts';
import { isCancellation } from '../../base/lifetime.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import { mapConcurrently } from '../../base/mapConcurrently.ts';
import { referenceToPull, startPull } from '../registries/pullCommand.ts';
import {
  reportOnEach,
  showReport,
  type ProjectReport,
  type ProjectResult,
} from './projectOutcome.ts';
import {
  chooseProjects,
  onProjects,
  loadProject,
  nameOf,
  projectSchema,
  targetContainers,
  type ProjectArguments,
} from './projectTarget.ts';

/** Pulls at a time. Each has several connections to the registry. */
const AT_ONCE = 3;

/** Pulls the images of a project's containers. The containers stay as they are. */
export const pullProjectCommand = (): PlainCommand<ProjectArguments, ProjectResult<'pulled'>> => ({
  id: 'gantry.projects.pull',
  schema: projectSchema,
  ...onProjects('gantry.projects.pull'),
  failureTitle: l10n.t('Could not pull the images'),
  run: async (args, context, signal) => (await pull(args, context, false, signal)).result,
  runInteractive: async (context, nodes, args) => {
    const targets = args ? [{ ...args, context }] : chooseProjects(context, nodes);
    if (targets.length === 0) return undefined;
    const name = nameOf(targets);
    const report = await context.ui.progress(
      l10n.t('Pulling the images of {0}', name),
      'late',
      (signal) => reportOnEach(1, targets, (one) => pull(one, one.context, true, signal)),
    );
    showReport(context, l10n.t('Could not pull all images of {0}', name), report, {
      message: pulledMessage(report.result.done.length, name),
    });
    return report.result;
  },
});

function pulledMessage(count: number, name: string): string {
  return count === 1
    ? l10n.t('Pulled 1 image of {0}.', name)
    : l10n.t('Pulled {0} images of {1}.', count, name);
}

async function pull(
  target: ProjectArguments,
  context: CommandContext,
  isInteractive: boolean,
  signal: AbortSignal,
): Promise<ProjectReport<'pulled'>> {
  const connection = await context.engine.connect(signal);
  const project = await loadProject(connection, target, signal);
  // What holds a pod together has an image of the engine itself.
  const containers = targetContainers(project, target).filter(({ pod }) => pod?.isInfra !== true);
  const names = await Promise.all(containers.map((one) => imageOf(one, connection, signal)));
  const images = [...new Set(names)];
  const pulls = await mapConcurrently(AT_ONCE, images, (name) =>
    pullOne(name, context, isInteractive, signal),
  );
  const errors = pulls.flatMap(({ failed }) => failed ?? []);
  const failed = errors.map(({ name, error }) => {
    const message = isCancellation(error) ? l10n.t('Canceled.') : errorMessage(error);
    return { kind: 'image', id: name, name, message } as const;
  });
  return {
    result: { done: pulls.flatMap(({ done }) => done ?? []), failed },
    isCanceled: signal.aborted,
    total: images.length,
    error: errors[0]?.error,
  };
}

/** The end of one pull. Empty if the user canceled. */
interface Pulled {
  readonly done?: ProjectResult<'pulled'>['done'][number];
  readonly failed?: { readonly name: string; readonly error: unknown };
}

/** Never rejects. */
async function pullOne(
  name: string,
  context: CommandContext,
  isInteractive: boolean,
  signal: AbortSignal,
): Promise<Pulled> {
  try {
    signal.throwIfAborted();
    const reference = referenceToPull(name);
    const { imageId } = await startPull(context, { reference }, isInteractive).join(signal);
    return { done: { kind: 'image', id: imageId, name, outcome: 'pulled' } };
  } catch (error) {
    return signal.aborted && isCancellation(error) ? {} : { failed: { name, error } };
  }
}

/** A list has an ID once the tag refers to another image. Only the container itself keeps the name. */
async function imageOf(
  { id, image }: Container,
  connection: Connection,
  signal: AbortSignal,
): Promise<string> {
  if (!/^(?:sha256:)?[0-9a-f]{12,64}$/.test(image)) return image;
  return (await inspectContainer(connection, id, signal)).image;
}
