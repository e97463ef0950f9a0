import * as l10n from '@vscode/l10n';
import type { CliCall } from '../../engine/cli/cliCall.ts';
import { engineEnvironment, engineVariables } from '../../engine/cli/engineVariables.ts';
import { programPath } from '../../engine/cli/programPath.ts';
import { runCli } from '../../engine/cli/runCli.ts';
import { readBuildxFailure } from './buildxFailure.ts';
import type { Buildx } from './findBuildx.ts';
import { EngineError, InputError, RestrictedModeError } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';

/**
 * Finds buildx.
 *
 * @throws InputError if the workspace is not trusted, or there is no buildx.
 */
export async function requireBuildx(
  isTrusted: boolean,
  find: () => Promise<Buildx | undefined>,
): Promise<Buildx> {
  if (!isTrusted)
    throw new RestrictedModeError(
      l10n.t('This workspace is in Restricted Mode. Trust it to run docker buildx.'),
    );
  const found = await find();
  if (found) return found;
  throw new InputError(
    l10n.t(
      'This needs docker buildx 0.13 or newer. Install it, or build one platform with the builder of the engine.',
    ),
  );
}

/**
 * Returns a run of buildx on an engine.
 *
 * @param more variables for this run that are not shown.
 */
export function buildxCall(
  { endpoint }: Pick<Connection, 'endpoint'>,
  { file }: Buildx,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): CliCall {
  const variables = engineVariables(endpoint);
  // What chooses the engine comes last.
  return { file, args, variables, env: engineEnvironment({ ...process.env, ...more }, variables) };
}

/** Returns the same run in a folder of the workspace. @throws InputError if the program is not found. */
export async function runIn(folder: string, call: CliCall): Promise<CliCall> {
  const file = await programPath(call.file, call.env);
  if (file === undefined)
    throw new InputError(l10n.t('{0} is not in a folder of the PATH.', call.file));
  return { ...call, file, cwd: folder };
}

/** In lines, and in milliseconds. */
const MOST_LINES = 50_000;
const LIMIT_MS = 30_000;

/**
 * Runs buildx without showing it. Resolves to the lines of its stdout.
 *
 * @throws EngineError with the words of its stderr.
 */
export async function askBuildx(call: CliCall, signal: AbortSignal): Promise<readonly string[]> {
  const lines: string[] = [];
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const { code, stderr, spawnError } = await runCli(
    call,
    (line, isError) => {
      if (!isError && lines.length < MOST_LINES) lines.push(line);
    },
    limited,
  );
  signal.throwIfAborted();
  if (code === 0) return lines;
  const { message } = readBuildxFailure(stderr.split('\n'));
  throw new EngineError('failed', {
    operation: 'docker buildx',
    engineMessage: spawnError ?? (message || l10n.t('exit code {0}', code ?? '')),
  });
}
