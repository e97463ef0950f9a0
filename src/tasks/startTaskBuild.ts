import * as l10n from '@vscode/l10n';
import { resolve } from 'node:path';
import { isPlainObject, checkArguments } from '../commands/ui/checkArguments.ts';
import {
  buildSchema,
  readBuildArguments,
  type BuildArguments,
} from '../commands/builds/buildArguments.ts';
import { refuseUnstorable } from '../commands/builds/chooseBuilder.ts';
import { refuseUntrusted, requireAgent } from '../commands/builds/buildTrust.ts';
import { finishBuild, startBuild } from '../commands/builds/startBuild.ts';
import type { RunShown } from '../builds/buildx/runBuildx.ts';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import { InputError } from '../engine/errors.ts';
import type { StartBuild } from './buildTerminal.ts';

/**
 * Starts the build of a task: `build` has the argument of `gantry.images.build`, or is the path of the context. Paths
 * are relative to the workspace folder.
 *
 * @throws InputError that describes what is wrong with the definition.
 */
export async function startTaskBuild(
  { build, engine }: Readonly<Record<string, unknown>>,
  folder: string | undefined,
  contextOf: (engine: unknown) => CommandContext,
  signal: AbortSignal,
  runBuildx: RunShown,
): ReturnType<StartBuild> {
  const context = contextOf(engine);
  const given = typeof build === 'string' ? { context: build } : build;
  if (!isPlainObject(given))
    throw new InputError(l10n.t('"{0}" must be a path or an object.', 'build'));
  checkArguments(given, buildSchema(), l10n.t('The task'));
  const args = given as unknown as BuildArguments;
  const { context: path } = args;
  const isRelative = typeof path === 'string' && folder !== undefined;
  const placed = isRelative ? { ...args, context: resolve(folder, path) } : args;
  const access = await context.window.builds();
  refuseUntrusted(context.ui);
  const request = await readBuildArguments(placed);
  await refuseUnstorable(context, request, placed, signal);
  await requireAgent(context, placed, context.ui);
  const options = { isInteractive: false, run: runBuildx };
  const run = startBuild(context, access, request, placed, options);
  const finished = finishBuild(access, run, () => run.join(signal));
  return { builds: access.builds, run, finished };
}
