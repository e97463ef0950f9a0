import * as l10n from '@vscode/l10n';
import { basename } from 'node:path';
import type { CliCall, ReadLine } from '../../engine/cli/cliCall.ts';
import { BuildFailedError } from '../../engine/builds/buildFailedError.ts';
import type { BuildEvent, BuildFailure } from '../../engine/builds/model.ts';
import { EngineError } from '../../engine/errors.ts';
import { readLocalText } from '../../base/readLocalFile.ts';
import { StepYielder } from '../../base/stepYielder.ts';
import type { Excerpt } from './buildxFailure.ts';
import { BuildxOutput } from './buildxOutput.ts';

/**
 * Runs buildx until it has built.
 *
 * @throws BuildFailedError if the build fails; another EngineError if it was refused; AbortError if the user terminated
 *   the program; the abort reason of the signal.
 */
export async function runBuildx(job: BuildxJob): Promise<void> {
  const { call, title, run, onEvent, signal } = job;
  const output = new BuildxOutput(onEvent, new StepYielder(signal));
  try {
    const linesOf: ShownOptions['linesOf'] = (line) => output.process(line);
    const code = await run(call, { title, linesOf, signal });
    signal.throwIfAborted();
    if (code !== 0) throw await errorOf(output, code, job);
  } finally {
    output.end();
  }
}

/** Runs a program where the user sees the command and its output. Resolves to the exit code. */
export type RunShown = (call: CliCall, options: ShownOptions) => Promise<number>;

/** Options for showing and stopping a run. */
export interface ShownOptions {
  readonly title: string;
  readonly linesOf: ReadLine;
  readonly signal: AbortSignal;
}

/** A run of buildx that reports its progress as JSON. */
export interface BuildxJob {
  readonly call: CliCall;
  /** The name of the run. */
  readonly title: string;
  readonly run: RunShown;
  readonly onEvent: (event: BuildEvent) => void;
  readonly signal: AbortSignal;
  /** Returns the absolute path of a Dockerfile: of a target, if the message of the failure names one. */
  readonly dockerfileOf: (target: string | undefined) => string | undefined;
}

async function errorOf(
  { failure, failed }: BuildxOutput,
  code: number,
  { dockerfileOf }: BuildxJob,
): Promise<Error> {
  const { message, target, excerpt } = failure;
  const isTerminated = !failed && (message === '' || /\bcontext canceled$/.test(message));
  if (isTerminated && TERMINATED.includes(code))
    return new DOMException('This operation was canceled', 'AbortError');
  const location = await locationOf(dockerfileOf(target), excerpt);
  const details = {
    operation: 'docker buildx',
    engineMessage: message || l10n.t('exit code {0}', code),
  };
  // Without a step or a line, nothing was built.
  if (!failed && location.dockerfile === undefined) return new EngineError('failed', details);
  const known = { ...(failed && { step: failed.id }), ...location };
  return new BuildFailedError(known, 'failed', details);
}

/** The exit codes after Ctrl+C: of buildx, of a terminal, and of a shell. */
const TERMINATED: readonly number[] = [1, 125, 130, 143];

/** Returns the location of a failure if the file still has the lines that buildx shows. */
async function locationOf(
  dockerfile: string | undefined,
  excerpt: Excerpt | undefined,
): Promise<Pick<BuildFailure, 'dockerfile' | 'source'>> {
  if (dockerfile === undefined || !excerpt) return {};
  const text = await readLocalText(dockerfile);
  if (text === undefined) return {};
  const { lines } = excerpt;
  const now = text.split(/\r?\n/).slice(lines.start - 1, lines.end);
  const isSame = now.join('\n') === excerpt.text.join('\n');
  return {
    dockerfile,
    ...(isSame && { source: { file: basename(dockerfile), text, lines } }),
  };
}
