import { archiveContainer, wholePath, type ArchiveRoot } from '../archive/archive.ts';
import type { TarOwner } from '../archive/readTar.ts';
import { EngineError } from '../errors.ts';
import { runExec } from '../exec/runExec.ts';
import { SYSTEM_ENV } from '../exec/systemEnv.ts';
import type { Connection } from '../http/connection.ts';
import { FileReadOnlyError } from './fileErrors.ts';
import type { WriteJudgement } from './judgeWrite.ts';

/**
 * Writes a file by a process in its container, so that it stays the same file.
 *
 * @throws FileReadOnlyError if no process can run in the container; EngineError.
 */
export async function writeInPlace(
  connection: Connection,
  root: ArchiveRoot,
  { path, target, contents, owner }: InPlaceWrite,
  signal: AbortSignal | undefined,
): Promise<void> {
  const id = archiveContainer(root);
  const whole = wholePath(root, target.path);
  const run = (command: readonly string[], input?: Uint8Array) =>
    runExec(
      connection,
      id,
      { command, user: '0', env: SYSTEM_ENV, ...(input && { input }) },
      { limitMs: IN_PLACE_LIMIT_MS },
      signal,
    );
  const command = ['sh', '-c', IN_PLACE, 'sh', whole, String(contents.length)];
  const result = await run(command, contents);
  const reason = (target.facts?.links ?? 1) > 1 ? 'hardLinks' : 'fileMount';
  if (!result) throw new FileReadOnlyError(path, reason, target.mount?.target);
  if (result.exitCode !== 0) throw failed(connection, result);
  if (owner.mode === target.facts?.mode) return;
  const changed = await run(['chmod', owner.mode.toString(8), whole]);
  if (changed?.exitCode !== 0) throw failed(connection, changed);
}

export interface InPlaceWrite {
  /** As it was given. */
  readonly path: string;
  readonly target: Pick<WriteJudgement, 'path' | 'mount' | 'facts'>;
  readonly contents: Uint8Array;
  readonly owner: Pick<TarOwner, 'mode'>;
}

/**
 * Takes the contents completely before it changes the file, where it can keep them: the connection may be cut in the
 * middle. `$1` is the file, `$2` its new size.
 */
const IN_PLACE = `
t=$(mktemp 2>/dev/null) || t=
if [ -n "$t" ]; then
  trap 'rm -f "$t"' EXIT
  cat >"$t" && [ "$(wc -c <"$t")" -eq "$2" ] && cat "$t" >"$1"
else
  cat >"$1"
fi`;

const IN_PLACE_LIMIT_MS = 120_000;

function failed(
  { endpoint }: Connection,
  result: Pick<NonNullable<Awaited<ReturnType<typeof runExec>>>, 'stderr' | 'exitCode'> | undefined,
): EngineError {
  const words = result?.stderr.toString('utf8').trim().slice(0, PROBLEM_LIMIT) ?? '';
  const engineMessage = words === '' ? `exit code ${result?.exitCode ?? '?'}` : words;
  return new EngineError('failed', { endpoint: endpoint.url, operation: 'exec', engineMessage });
}

/** In characters. */
const PROBLEM_LIMIT = 2000;
