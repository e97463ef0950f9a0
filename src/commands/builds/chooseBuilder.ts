import * as l10n from '@vscode/l10n';
import { readBuilders, type ListedBuilder } from '../../builds/buildx/readBuilders.ts';
import type { BuildRequest } from '../../engine/builds/model.ts';
import { InputError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { hasContainerdStore } from '../../engine/images/images.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { joinParts } from '../../views/format.ts';
import { askChoice } from '../ui/askChoice.ts';
import { askBuildx, buildxCall, requireBuildx } from '../../builds/buildx/buildxCalls.ts';

/** Whether the engine can store what is built: only containerd's image store holds an image for several platforms. */
export async function canStore(
  connection: Connection,
  { platforms = [] }: Pick<BuildRequest, 'platforms'>,
  signal: AbortSignal,
): Promise<boolean> {
  return platforms.length < 2 || hasContainerdStore(connection, signal);
}

/** @throws InputError if the engine cannot store what is built, and no other builder is named. */
export async function refuseUnstorable(
  { engine }: CommandContext,
  request: BuildRequest,
  { builder, push }: { readonly builder?: string; readonly push?: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (builder !== undefined) return;
  if (push === true) throw new InputError(l10n.t('"push" needs a "builder" of docker buildx.'));
  if ((request.platforms ?? []).length < 2) return;
  if (await canStore(await engine.connect(signal), request, signal)) return;
  throw new InputError(
    l10n.t(
      'This engine cannot store an image for several platforms. Build one, or name a "builder" of docker buildx.',
    ),
  );
}

/**
 * Returns the builder for what the user wants: asks for another one if the engine cannot store it. Resolves to
 * undefined if the user cancels.
 */
export async function builderFor(
  context: CommandContext,
  {
    platforms = [],
    builder,
  }: { readonly platforms?: readonly string[]; readonly builder?: string | undefined },
): Promise<{ readonly value: string | undefined } | undefined> {
  const { signal } = new AbortController();
  if (builder !== undefined || platforms.length < 2) return { value: builder };
  if (await canStore(await context.engine.connect(signal), { platforms }, signal))
    return { value: undefined };
  const placeholder = l10n.t(
    'This engine cannot store an image for several platforms. Select a builder of docker buildx',
  );
  return askBuilder(context, undefined, { placeholder });
}

async function listBuilders(
  { engine, ui, window }: CommandContext,
  signal: AbortSignal,
): Promise<readonly ListedBuilder[]> {
  const cli = await requireBuildx(ui.isTrusted(), window.findBuildx);
  const connection = await engine.connect(signal);
  const call = buildxCall(connection, cli, [...cli.prefix, 'ls', '--format=json']);
  return readBuilders(await askBuildx(call, signal));
}

/**
 * Lets the user pick a builder. Resolves to undefined if the user cancels.
 *
 * @param otherwise offers the builder of the engine.
 */
export async function askBuilder(
  context: CommandContext,
  current: string | undefined,
  { placeholder, otherwise }: { readonly placeholder: string; readonly otherwise?: string },
): Promise<{ readonly value: string | undefined } | undefined> {
  const { ui } = context;
  const all = await ui.progress(l10n.t('Loading builders'), 'late', (signal) =>
    listBuilders(context, signal),
  );
  const choices = all.map(({ name, driver, status, platforms }) => ({
    label: name,
    detail: joinParts(driver, status, platforms.join(', ')),
    value: name as string | undefined,
  }));
  const first = otherwise === undefined ? [] : [{ label: otherwise, value: undefined }];
  const title = { title: l10n.t('Build Image: Builder') };
  return askChoice(ui, title, placeholder, [...first, ...choices], (one) => one === current);
}
