import * as l10n from '@vscode/l10n';

import { isCancellation } from '../../base/lifetime.ts';
import { formatDuration } from '../../builds/formatBuild.ts';
import type { BuildRun } from '../../builds/buildRun.ts';
import { stepToOpen } from '../../builds/stepToOpen.ts';
import { createInteractively } from '../create/createInteractively.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { failureMessage } from '../ui/errorMessage.ts';
import { errorActions } from '../ui/withErrorMessage.ts';
import { readDockerfile } from '../../engine/builds/dockerfile/readDockerfile.ts';
import { NoBuildKitError } from '../../engine/builds/buildImage.ts';
import { signInInteractively } from '../credentials/signInInteractively.ts';
import type { MessageAction, Ui } from '../ui/ui.ts';
import { buildSchema, readBuildArguments, type BuildArguments } from './buildArguments.ts';
import { showBuildForm } from './showBuildForm.ts';
import type { BuildDraft } from '../../builds/buildMemory.ts';
import type { BuildsAccess } from '../../builds/buildsAccess.ts';
import { showStepShell, stepShellCommand } from './stepShellCommand.ts';
import {
  isComposePath,
  pointedRow,
  pointedService,
  serviceInFile,
  serviceOfRow,
} from './composeService.ts';
import {
  confirmAgent,
  confirmClassic,
  confirmUntrusted,
  refuseUntrusted,
  requireAgent,
  requireInside,
} from './buildTrust.ts';
import { builderFor, refuseUnstorable } from './chooseBuilder.ts';
import {
  firstValues,
  pickDockerfile,
  pointedAt,
  withRealDockerfile,
  type PointedBuild,
} from './pointedBuild.ts';
import { BuildMessageError, finishBuild, startBuild, type BuildOutcome } from './startBuild.ts';

export const buildCommand = (
  ui: Ui,
  follow: BuildFollowUps,
): PlainCommand<BuildArguments, BuildOutcome> => ({
  id: 'gantry.images.build',
  schema: buildSchema(),
  failureTitle: l10n.t('Could not build the image'),
  ofUri: pointedAt,
  run: (args, context, signal) => buildForCaller(args, context, ui, signal),
  runInteractive: async (context, [node], args) => {
    const access = await context.window.builds();
    const meant = await meantBuild(context, node, args as PointedBuild | undefined);
    const real = meant && (await withRealDockerfile(meant));
    const pointed = real && (await confirmUntrusted(context, real, 'build'));
    return pointed && askAndBuild(context, access, pointed, follow);
  },
});

/** Builds with an argument, without a question but that for the SSH agent. @throws InputError; as `finishBuild`. */
export async function buildForCaller(
  args: BuildArguments,
  context: CommandContext,
  ui: Ui,
  signal: AbortSignal,
): Promise<BuildOutcome> {
  const access = await context.window.builds();
  refuseUntrusted(context.ui);
  const request = await readBuildArguments(args);
  await refuseUnstorable(context, request, args, signal);
  await requireAgent(context, args, ui);
  const run = startBuild(context, access, request, args, { isInteractive: false });
  return finishBuild(access, run, () => run.join(signal));
}

/** Returns what a row, a file, or a service in a compose file means, or the Dockerfile that the user picks. */
async function meantBuild(
  context: CommandContext,
  node: TreeNode | undefined,
  pointed: PointedBuild | undefined,
): Promise<PointedBuild | undefined> {
  const row = serviceOfRow(node, context);
  if (row) return pointedRow(row, context);
  if (!pointed) return pickDockerfile(context, 'gantry.images.build');
  const { dockerfile: file, target: service } = pointed;
  if (service === undefined || !isComposePath(file)) return pointed;
  return pointedService(await serviceInFile(file, service, context));
}

/** Actions that can follow a build. */
export interface BuildFollowUps {
  /** Returns the button that compares the image with the last one, if there is one. */
  readonly compare: (context: CommandContext, run: BuildRun) => Promise<readonly MessageAction[]>;
}

/** Asks and builds. After a failure, the form opens again with the same values. */
async function askAndBuild(
  context: CommandContext,
  access: BuildsAccess,
  pointed: PointedBuild,
  follow: BuildFollowUps,
  before?: BuildDraft,
): Promise<BuildOutcome | undefined> {
  const { ui } = context;
  const { outline } = await readDockerfile(pointed.dockerfile);
  const values = before ?? firstValues(pointed, access.memory.last(pointed.dockerfile));
  const draft = await showBuildForm(context, { ...pointed, outline }, values);
  if (!draft || (draft.ssh && !(await confirmAgent(context, ui)))) return undefined;
  await access.memory.keep(pointed.dockerfile, draft);
  const builder = await builderFor(context, draft);
  if (!builder) return undefined;
  const args = argumentsOf(pointed, { ...draft, builder: builder.value });
  return buildDraft(context, access, pointed, follow, { draft, args });
}

/**
 * Builds, and reports how it ended.
 *
 * @param asked.draft what the form begins with after a failure; undefined if it does not have all of the arguments.
 */
export async function buildDraft(
  context: CommandContext,
  access: BuildsAccess,
  pointed: PointedBuild,
  follow: BuildFollowUps,
  asked: { readonly draft: BuildDraft | undefined; readonly args: BuildArguments },
  isClassic = false,
): Promise<BuildOutcome | undefined> {
  const { ui } = context;
  const { draft, args } = asked;
  const edit = (): unknown => askAndBuild(context, access, pointed, follow, draft);
  const retry = (): unknown => buildDraft(context, access, pointed, follow, asked, isClassic);
  try {
    // The repository may have changed since the question.
    const request = requireInside(ui, await readBuildArguments(args));
    const run = startBuild(context, access, request, args, { isInteractive: true, isClassic });
    const outcome = await finishBuild(access, run, () => access.output.wait(run));
    const [comparison] = await follow.compare(context, run);
    showBuilt(context, outcome, run, { comparison, log: logAction(access, run) });
    return outcome;
  } catch (error) {
    if (isCancellation(error)) return undefined;
    if (error instanceof NoBuildKitError && (await confirmClassic(ui)))
      return buildDraft(context, access, pointed, follow, asked, true);
    if (error instanceof NoBuildKitError) return undefined;
    showFailed(context, access, error, [
      ...signInAction(context, error, retry),
      ...(draft ? [{ title: l10n.t('Edit...'), run: edit }] : []),
    ]);
    return undefined;
  }
}

function argumentsOf({ dockerfile, context }: PointedBuild, draft: BuildDraft): BuildArguments {
  const { tags, target, args, platforms = [], secrets, ssh, noCache, pull, builder, push } = draft;
  return {
    context: draft.context ?? context,
    dockerfile,
    tags,
    args,
    secrets,
    ...(target !== undefined && { target }),
    ...(platforms.length > 0 && { platform: platforms }),
    ...(ssh && { ssh }),
    ...(noCache && { noCache }),
    ...(pull && { pull }),
    ...(builder !== undefined && { builder, ...(push === true && { push }) }),
  };
}

function showBuilt(
  context: CommandContext,
  { imageId, tags, warnings, steps, cachedSteps }: BuildOutcome,
  run: BuildRun,
  {
    comparison,
    log,
  }: { readonly comparison: MessageAction | undefined; readonly log: MessageAction },
): void {
  const { ui } = context;
  const [tag] = tags;
  const { end } = run;
  const elsewhere = end?.phase === 'done' ? end.result.isElsewhere : undefined;
  if (elsewhere === undefined) context.reveal(imageId, tag);
  const time = formatDuration((run.endedAt ?? run.startedAt) - run.startedAt);
  const built = l10n.t(
    'Built {0} in {1}, {2} of {3} steps cached.',
    run.title,
    time,
    cachedSteps,
    steps,
  );
  const found =
    warnings.length === 1
      ? l10n.t('1 build warning.')
      : l10n.t('{0} build warnings.', warnings.length);
  const create: MessageAction = {
    title: l10n.t('Create Container...'),
    run: () => createInteractively(context, { draft: { image: tag ?? imageId }, isFresh: true }),
  };
  const message = warnings.length > 0 ? `${built} ${found}` : built;
  // VS Code cuts the buttons if there are more. The menus of the build and of its image have the rest.
  if (elsewhere === undefined) ui.info(message, create, comparison ?? log);
  else ui.info(`${message} ${whereabouts(elsewhere)}`, log);
}

/** Returns where an image is that is not on the engine. */
function whereabouts(destination: 'pushed' | 'cached'): string {
  return destination === 'pushed'
    ? l10n.t('The builder pushed the image.')
    : l10n.t('The image is only in the cache of the builder.');
}

function showFailed(
  context: CommandContext,
  access: BuildsAccess,
  error: unknown,
  actions: readonly MessageAction[],
): void {
  const { ui } = context;
  const log =
    error instanceof BuildMessageError
      ? [...shellAction(context, error.run), logAction(access, error.run)]
      : [];
  const message =
    error instanceof BuildMessageError
      ? error.summary
      : failureMessage(l10n.t('Could not build the image'), error);
  ui.error(message, ...log, ...actions, ...errorActions(error, context));
}

/** A registry that refused a base image: sign in, and build again. */
function signInAction(
  context: CommandContext,
  error: unknown,
  retry: () => unknown,
): readonly MessageAction[] {
  const registry = error instanceof BuildMessageError ? error.cause.failure.registry : undefined;
  if (registry === undefined) return [];
  const { ui } = context;
  const signIn = async (): Promise<unknown> => {
    const { signInService } = await context.window.registries();
    const connection = await context.engine.connect(new AbortController().signal);
    return (await signInInteractively(ui, signInService, connection, registry)) && retry();
  };
  return [{ title: l10n.t('Sign In...'), run: signIn }];
}

function shellAction(context: CommandContext, run: BuildRun): readonly MessageAction[] {
  if (!stepToOpen(run)) return [];
  const { ui } = context;
  const { failureTitle } = stepShellCommand();
  const open = (): Promise<unknown> =>
    showStepShell(context, run).catch((error: unknown) => {
      if (!isCancellation(error)) ui.error(failureMessage(failureTitle, error));
    });
  return [{ title: l10n.t('Open Shell at This Step'), run: open }];
}

function logAction({ output }: BuildsAccess, run: BuildRun): MessageAction {
  return {
    title: l10n.t('Show Log'),
    run: () => output.show(run),
  };
}
