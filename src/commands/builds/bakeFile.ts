import * as l10n from '@vscode/l10n';
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { Buildx } from '../../builds/buildx/findBuildx.ts';
import { bakeArguments } from '../../builds/buildx/buildxArguments.ts';
import {
  isTargetName,
  readBakeChoices,
  readBakePlan,
  type BakeChoice,
  type BakePlan,
} from '../../builds/buildx/readBakePlan.ts';
import type { CliCall } from '../../engine/cli/cliCall.ts';
import { InputError } from '../../engine/errors.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { formatName } from '../ui/formatNames.ts';
import { checkEncoding } from './buildArguments.ts';
import type { FileUri } from '../ui/ui.ts';
import { askBuildx, buildxCall, requireBuildx, runIn } from '../../builds/buildx/buildxCalls.ts';

/** A bake file on an engine. Bake runs in the folder of the file, from which its paths lead. */
export interface BakeFile {
  /** Absolute path. */
  readonly path: string;
  readonly folder: string;
  readonly cli: Buildx;
  /** Returns a run of buildx in that folder. */
  readonly callOf: (args: readonly string[]) => CliCall;
}

/** Arguments of a build of a bake file. */
export interface BakeArguments {
  /** An absolute path, or relative to the first workspace folder, or a URI of a file. */
  readonly file: string | FileUri;
  /** Names of targets and groups; the group `default` if there are none. */
  readonly targets?: readonly string[];
  /** The current builder of `docker buildx` by default. */
  readonly builder?: string;
}

/** @throws InputError if there is no such file or no buildx, or the workspace is not trusted. */
export async function openBakeFile(
  { file, targets = [] }: BakeArguments,
  { engine, ui, window }: CommandContext,
  signal: AbortSignal,
): Promise<BakeFile> {
  const cli = await requireBuildx(ui.isTrusted(), window.findBuildx);
  const wrong = targets.find((name) => !isTargetName(name));
  if (wrong !== undefined)
    throw new InputError(l10n.t('"{0}" is not the name of a target.', formatName(wrong)));
  const given = typeof file === 'string' ? file : file.fsPath;
  const path = isAbsolute(given) ? given : resolve(ui.workspaceFolders()[0] ?? '/', given);
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw new InputError(l10n.t('File {0} not found.', path));
  const connection = await engine.connect(signal);
  const folder = dirname(path);
  const own = await runIn(folder, buildxCall(connection, cli, []));
  return { path, folder, cli, callOf: (args) => ({ ...own, args }) };
}

/**
 * Returns what the targets are, as buildx resolves them.
 *
 * @throws EngineError with the words of buildx if the file is not valid; InputError if a file of a target is in UTF-16.
 */
export async function planBake(
  file: BakeFile,
  args: Pick<BakeArguments, 'targets'>,
  signal: AbortSignal,
): Promise<BakePlan> {
  const plan = await readPlan(file, args, signal);
  for (const { dockerfile, folders } of plan.targets.values())
    await checkEncoding(dockerfile, folders, signal);
  return plan;
}

async function readPlan(
  { path, folder, cli, callOf }: BakeFile,
  { targets }: Pick<BakeArguments, 'targets'>,
  signal: AbortSignal,
): Promise<BakePlan> {
  const args = bakeArguments(cli, path, { ...(targets && { targets }), mode: '--print' });
  const lines = await askBuildx(callOf(args), signal);
  return readBakePlan(lines.join('\n'), folder);
}

/** Returns the targets and groups of a file. An older buildx lists those of the group `default` only. */
export async function listBakeTargets(
  file: BakeFile,
  signal: AbortSignal,
): Promise<readonly BakeChoice[]> {
  const { path, cli, callOf } = file;
  const args = bakeArguments(cli, path, { mode: '--list=type=targets,format=json' });
  try {
    return readBakeChoices((await askBuildx(callOf(args), signal)).join('\n'));
  } catch (error) {
    const { targets } = await readPlan(file, {}, signal).catch(() => {
      throw error;
    });
    return [...targets.keys()].map((name) => ({ name, description: '', isGroup: false }));
  }
}
