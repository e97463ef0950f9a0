/** Opens a shell where a build failed: in a container of the state before the failed step. */

import * as l10n from '@vscode/l10n';
import { lstat, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { BuildRun } from '../../builds/buildRun.ts';
import { stepToOpen, type StepToOpen } from '../../builds/stepToOpen.ts';
import { removeContainer, startContainer } from '../../engine/containers/containerLifecycle.ts';
import { createContainer } from '../../engine/containers/containers.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { inspectImage, listImages, removeImage } from '../../engine/images/images.ts';
import { stepContainer } from '../../engine/containers/stepContainer.ts';
import { readLocalText } from '../../base/readLocalFile.ts';
import { DisposableStore } from '../../base/lifetime.ts';
import { oneLine } from '../../base/plainText.ts';
import { BuildNode, StepNode } from '../../views/builds/buildNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import type { BuildsAccess } from '../../builds/buildsAccess.ts';
import { REF, type RefArguments } from './buildListCommands.ts';
import { refuseUntrusted } from './buildTrust.ts';
import { removeBuild } from '../../engine/builds/buildHistory.ts';
import { newBuildRef } from '../../engine/builds/solve.ts';

interface Opened {
  readonly terminal: string;
}

/** Opens a shell at the failed step of a build of this window. Its command is typed, but not entered. */
export const stepShellCommand = (): PlainCommand<RefArguments, Opened> => ({
  id: 'gantry.builds.openShell',
  schema: REF,
  failureTitle: l10n.t('Could not open a shell at the failed step'),
  run: async ({ ref }, context, signal) => {
    const access = await context.window.builds();
    // It may build.
    refuseUntrusted(context.ui);
    return openStepShell(context, access, access.builds.get(context.unit.id, ref), signal);
  },
  runInteractive: async (context, [node]) => {
    const { builds } = await context.window.builds();
    const build = node instanceof StepNode ? node.node.build : undefined;
    const shown = node instanceof BuildNode ? node.build : build;
    const failed = builds.all.findLast((one) => one.engine === context.unit.id && stepToOpen(one));
    const run = shown ? builds.get(shown.engine, shown.ref) : failed;
    return showStepShell(context, run);
  },
});

/** Opens the shell for the user, with a notification while it takes long. */
export async function showStepShell(
  context: CommandContext,
  run: BuildRun | undefined,
): Promise<Opened> {
  const { ui } = context;
  const access = await context.window.builds();
  const title = l10n.t('Opening a shell at the failed step');
  return ui.progress(title, 'late', (signal) => openStepShell(context, access, run, signal));
}

async function openStepShell(
  context: CommandContext,
  { owner, hide }: BuildsAccess,
  given: BuildRun | undefined,
  signal: AbortSignal,
): Promise<Opened> {
  const { run, ...step } = requireStep(given);
  await requireOwnText(run, step);
  const connection = await context.engine.connect(signal);
  const hidden = new DisposableStore();
  const conceal = (id: string): void => {
    const shown = hide?.(context.unit.id, id);
    if (shown) hidden.add(shown);
  };
  const forget = (ref: string): Promise<void> => removeBuild(connection, ref).catch(ignore);
  const image = await imageBefore(connection, run, step, { hide: conceal, forget }, signal);
  if (image.isOurs) conceal(image.id);
  let container: string | undefined;
  const whenOver = async (): Promise<void> => {
    if (container !== undefined)
      await removeContainer(connection, container, { force: true, volumes: true }).catch(ignore);
    if (image.isOurs) await removeUnused(connection, image.id).catch(ignore);
    hidden.dispose();
  };
  try {
    const request = stepContainer(image.id, owner(), hostOf(run));
    // Without the signal: after an aborted create it would be unknown whether the container exists.
    ({ id: container } = await createContainer(connection, request));
    conceal(container);
    await startContainer(connection, container, signal);
    const shellOwner = { id: container, name: formatName(request.name) };
    const { command, variables } = step;
    const typed = command === undefined ? undefined : oneLine(command, LONGEST_COMMAND);
    const terminals = await context.terminals();
    return await terminals.openShell(shellOwner, undefined, signal, { typed, variables, whenOver });
  } catch (error) {
    await whenOver();
    throw error;
  }
}

/** @throws InputError if a build has no step to open. */
function requireStep(run: BuildRun | undefined): StepToOpen & { readonly run: BuildRun } {
  const step = run && stepToOpen(run);
  if (step) return { ...step, run };
  throw new InputError(
    l10n.t('A shell is only available for a RUN, COPY, or ADD that failed in this window.'),
  );
}

/**
 * The engine reports the Dockerfile with the failure, and what is built from it gets credentials: it must be the one of
 * this machine.
 *
 * @throws InputError if it is not.
 */
async function requireOwnText(
  { spec: { request } }: BuildRun,
  { image, text }: StepToOpen,
): Promise<void> {
  if (image !== undefined) return;
  const { dockerfile } = request;
  if ((await readLocalText(dockerfile)) !== text)
    throw new InputError(
      l10n.t('{0} is not the file that the engine has built. Build again.', formatName(dockerfile)),
    );
  // Without its rules, the build would send what they exclude.
  for (const { path, ignored } of await ignoreFilesOf(dockerfile))
    if (ignored === undefined)
      throw new InputError(
        l10n.t(
          '{0} is not a file of its folder. Replace the link with a file to open a shell.',
          formatName(path),
        ),
      );
}

/** Returns the ignore files of a Dockerfile with their texts, which are undefined for what is not read. */
async function ignoreFilesOf(dockerfile: string) {
  const all = ['.dockerignore', '.containerignore'].map(async (ending) => {
    const path = dockerfile + ending;
    const isThere = await lstat(path).then(
      () => true,
      () => false,
    );
    return isThere ? [{ path, ending, ignored: await readLocalText(path) }] : [];
  });
  return (await Promise.all(all)).flat();
}

/** A command that is longer is cut, in code points. */
const LONGEST_COMMAND = 4000;

/** An image, and whether it is there only because of us. */
interface StateImage {
  readonly id: string;
  readonly isOurs: boolean;
}

/** Returns the image of the state before a step: the builder's own, or one that is built up to there from its cache. */
async function imageBefore(
  connection: Connection,
  { spec: { request, rebuild } }: BuildRun,
  { image, dockerfile: text }: StepToOpen,
  history: {
    readonly hide: (ref: string) => void;
    readonly forget: (ref: string) => Promise<void>;
  },
  signal: AbortSignal,
): Promise<StateImage> {
  if (image !== undefined || !rebuild) return { id: image ?? '', isOurs: false };
  const known = new Set((await listImages(connection, { all: true }, signal)).map(({ id }) => id));
  const folder = await mkdtemp(join(tmpdir(), 'gantry-step-'));
  const ref = newBuildRef();
  history.hide(ref);
  try {
    const dockerfile = join(folder, basename(request.dockerfile));
    await writeFile(dockerfile, text);
    for (const { ending, ignored } of await ignoreFilesOf(request.dockerfile))
      await writeFile(dockerfile + ending, ignored ?? '*');
    // The user has allowed the agent for the other build. What used it is in the cache.
    const { target: _target, ssh: _ssh, ...rest } = request;
    // With the cache that the failed build has filled.
    const wanted = { ...rest, dockerfile, tags: [], noCache: false, pull: false };
    const { imageId } = await rebuild(wanted, { ref, onEvent: ignore, signal });
    return { id: imageId, isOurs: !known.has(imageId) };
  } finally {
    await rm(folder, { recursive: true, force: true });
    await history.forget(ref);
  }
}

/** Returns what of a build's network its container has. */
function hostOf({ spec: { request } }: BuildRun): object {
  const { network = 'default', addHosts = [] } = request;
  const hosts = addHosts.map((entry) => entry.replace(/^([^:=]+)[:=]/, '$1:'));
  return {
    ...(network !== 'default' && { NetworkMode: network }),
    ...(hosts.length > 0 && { ExtraHosts: hosts }),
  };
}

/** Removes an untagged image. The engine refuses if anything uses it. */
async function removeUnused(connection: Connection, id: string): Promise<void> {
  const { tags } = await inspectImage(connection, id);
  if (tags.length === 0) await removeImage(connection, id);
}

function ignore(): void {
  // What is left is untagged, and pruned with the rest.
}
