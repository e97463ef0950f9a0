import { readFile } from 'node:fs/promises';
import { isCancellation } from '../../lifetime.ts';
import { formatDuration } from '../../builds/formatBuild.ts';
import type { BuildRun } from '../../builds/buildRun.ts';
import { createInteractively } from '../create/createInteractively.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { failureMessage } from '../errorMessages.ts';
import { errorActions } from '../withErrorMessage.ts';
import type { MessageAction, Ui } from '../ui.ts';
import { BUILD_SCHEMA, readBuildArguments, type BuildArguments } from './buildArguments.ts';
import { showBuildForm } from './buildForm.ts';
import type { BuildDraft } from './buildMemory.ts';
import type { BuildsAccess } from './buildsAccess.ts';
import { confirmAgent, confirmUntrusted, refuseUntrusted } from './buildTrust.ts';
import { pickDockerfile, pointedAt, type PointedBuild } from './pointedBuild.ts';
import { BuildFailedError, finishBuild, startBuild, type BuildOutcome } from './runBuild.ts';

/** Builds an image. */
export const buildCommand = (
  ui: Ui,
  push: PushImage,
): PlainCommand<BuildArguments, BuildOutcome> => ({
  id: 'gantry.images.build',
  schema: BUILD_SCHEMA,
  failureTitle: ui.l10n.t('Could not build the image'),
  ofUri: pointedAt,
  run: async (args, context, signal) => {
    const access = await context.builds();
    refuseUntrusted(access, ui.l10n);
    const request = await readBuildArguments(args, ui.l10n);
    const run = startBuild(context, access, request, args, false);
    return finishBuild(access, run, () => run.join(signal), ui.l10n);
  },
  runInteractive: async (context, _nodes, args) => {
    const access = await context.builds();
    const pointed = (args as PointedBuild | undefined) ?? (await pickDockerfile(context, access));
    if (!pointed || !(await confirmUntrusted(access, pointed.dockerfile, ui))) return undefined;
    return askAndBuild(context, access, pointed, push);
  },
});

/** Pushes an image for the user. */
export type PushImage = (context: CommandContext, reference: string) => unknown;

/** Asks and builds. After a failure, the form opens again with the same values. */
async function askAndBuild(
  context: CommandContext,
  access: BuildsAccess,
  pointed: PointedBuild,
  push: PushImage,
  before?: BuildDraft,
): Promise<BuildOutcome | undefined> {
  const { ui } = context;
  const text = await readFile(pointed.dockerfile, 'utf8').catch(() => '');
  const last = before ?? access.memory.last(pointed.dockerfile);
  const draft = await showBuildForm(context, { ...pointed, text }, last);
  if (!draft || (draft.ssh && !(await confirmAgent(context, ui)))) return undefined;
  await access.memory.keep(pointed.dockerfile, draft);
  const args = argumentsOf(pointed, draft);
  const again = (): unknown => askAndBuild(context, access, pointed, push, draft);
  try {
    const request = await readBuildArguments(args, ui.l10n);
    const run = startBuild(context, access, request, args, true);
    const outcome = await finishBuild(access, run, () => access.output.wait(run), ui.l10n);
    sayBuilt(context, outcome, run, [
      ...pushAction(context, outcome, push),
      logAction(access, run, ui),
    ]);
    return outcome;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    sayFailed(context, access, error, { title: ui.l10n.t('Edit...'), run: again });
    return undefined;
  }
}

function argumentsOf({ dockerfile, context }: PointedBuild, draft: BuildDraft): BuildArguments {
  const { tags, target, args, platform, secrets, ssh, noCache, pull } = draft;
  return {
    ...{ context, dockerfile, tags, args, secrets },
    ...(target !== undefined && { target }),
    ...(platform !== undefined && { platform }),
    ...(ssh && { ssh }),
    ...(noCache && { noCache }),
    ...(pull && { pull }),
  };
}

function sayBuilt(
  context: CommandContext,
  { imageId, tags, warnings, steps, cachedSteps }: BuildOutcome,
  run: BuildRun,
  actions: readonly MessageAction[],
): void {
  const { ui } = context;
  const { l10n } = ui;
  const [tag] = tags;
  context.reveal(imageId, tag);
  const time = formatDuration((run.endedAt ?? run.startedAt) - run.startedAt, l10n);
  const built = l10n.t(
    'Built {0} in {1}, {2} of {3} steps cached.',
    run.title,
    time,
    cachedSteps,
    steps,
  );
  const found =
    warnings.length === 1
      ? l10n.t('The builder has a warning.')
      : l10n.t('The builder has {0} warnings.', warnings.length);
  const create: MessageAction = {
    title: l10n.t('Create Container...'),
    run: () => createInteractively(context, { draft: { image: tag ?? imageId }, isFresh: true }),
  };
  ui.info(warnings.length > 0 ? `${built} ${found}` : built, create, ...actions);
}

/** An image without a name cannot be pushed. */
function pushAction(
  context: CommandContext,
  { tags: [tag] }: BuildOutcome,
  push: PushImage,
): readonly MessageAction[] {
  if (tag === undefined) return [];
  return [{ title: context.ui.l10n.t('Push...'), run: () => push(context, tag) }];
}

function sayFailed(
  context: CommandContext,
  access: BuildsAccess,
  error: unknown,
  edit: MessageAction,
): void {
  const { ui } = context;
  const log = error instanceof BuildFailedError ? [logAction(access, error.run, ui)] : [];
  const message = failureMessage(ui.l10n.t('Could not build the image'), error, ui.l10n);
  ui.error(message, ...log, edit, ...errorActions(error, context));
}

function logAction({ output }: BuildsAccess, run: BuildRun, { l10n }: Ui): MessageAction {
  return {
    title: l10n.t('Show Log'),
    run: () => {
      output.show(run);
    },
  };
}
