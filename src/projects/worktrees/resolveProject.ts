import { oneLine } from '../../base/plainText.ts';
import { sentence } from '../../base/sentence.ts';
import { runCli } from '../../engine/cli/runCli.ts';
import { InputError } from '../../engine/errors.ts';
import { tryParseJson } from '../../engine/wire/parseJson.ts';
import { configArguments, versionArguments, type ComposeRequest } from '../cli/composeArguments.ts';
import type { ComposeCli } from '../cli/composeCli.ts';
import type { ComposeRun } from '../cli/composeRun.ts';
import { readResolvedProject, type ResolvedProject } from './readResolvedProject.ts';

/**
 * Asks Compose for the project that files describe, with all its services, also those of profiles that are not enabled.
 *
 * @throws OldComposeError if it could not be separated from others; RefusedProjectError.
 */
export async function resolveProject(run: Run, signal: AbortSignal): Promise<ResolvedProject> {
  const { request } = run;
  const all = { ...request, services: [], profiles: [...(request.profiles ?? []), '*'] };
  const [isRecent, first] = await Promise.all([hasTags(run, signal), configOf(run, all, signal)]);
  if (!isRecent) {
    throw new OldComposeError(
      sentence('Projects of worktrees need Docker Compose 2.24.4 or later. Update Docker Compose.'),
    );
  }
  let output = first;
  // What a service needs whose profile is not enabled may be missing.
  if (output.code !== 0) output = await configOf(run, { ...request, services: [] }, signal);
  signal.throwIfAborted();
  const { code, errors, text } = output;
  if (code !== 0) throw new RefusedProjectError(errors);
  const project = readResolvedProject(tryParseJson(text));
  if (project) return project;
  throw tooLarge();
}

type Run = Pick<ComposeRun, 'cli' | 'request' | 'callOf'>;

/** The CLI does not know the tags by which a file overrides others. */
export class OldComposeError extends InputError {}

/** Compose does not accept the files. */
export class RefusedProjectError extends InputError {
  readonly output: readonly string[];

  /** @param output the lines of Compose. */
  constructor(output: readonly string[]) {
    super({ text: 'Compose failed: {0}', values: [oneLine(output.join(' '), LONGEST_REASON)] });
    this.output = output;
  }
}

/** In characters. */
const LONGEST_REASON = 1_000;
const LARGEST = 16 * 1024 * 1024;

function tooLarge(): InputError {
  return InputError.of('The project is too large, or this version of Compose is not supported.');
}

async function configOf({ cli, callOf }: Run, asked: ComposeRequest, signal: AbortSignal) {
  const lines: string[] = [];
  const errors: string[] = [];
  let size = 0;
  const onLine = (line: string, isError: boolean): void => {
    size += line.length;
    // Ends the program, which may never end.
    if (size > LARGEST) throw tooLarge();
    (isError ? errors : lines).push(line);
  };
  const { code, spawnError } = await runCli(callOf(configArguments(cli, asked)), onLine, signal);
  if (spawnError !== undefined) errors.push(spawnError);
  return { code, errors, text: lines.join('\n') };
}

/** Those that have the tags. An old one may be updated. */
const recent = new WeakSet<ComposeCli>();

async function hasTags({ cli, callOf }: Run, signal: AbortSignal): Promise<boolean> {
  if (recent.has(cli)) return true;
  const found = new Set<boolean>();
  const onLine = (line: string): void => void found.add(isRecentVersion(line));
  await runCli(callOf(versionArguments(cli)), onLine, signal);
  signal.throwIfAborted();
  const isRecent = found.has(true);
  if (isRecent) recent.add(cli);
  return isRecent;
}

/** Whether it is the version of a Docker Compose that has `!override` and `!reset` without mistakes: 2.24.4. */
function isRecentVersion(line: string): boolean {
  const numbers = /^v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})/.exec(line.trim())?.slice(1) ?? [];
  const [major = 0, minor = 0, patch = 0] = numbers.map(Number);
  return major > 2 || (major === 2 && (minor > 24 || (minor === 24 && patch >= 4)));
}
