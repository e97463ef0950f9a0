import { oneLine } from '../../../base/plainText.ts';
import { BuildFailedError } from '../buildFailedError.ts';
import { failedLines, imageIn, refusedBase } from '../failedLines.ts';
import type { BuildFailureReport } from './followBuild.ts';
import type { GivenSecrets } from '../givenSecrets.ts';
import type { StartedRequest } from '../dockerfile/readDockerfile.ts';
import type { BuildFailure } from '../model.ts';
import { sentence } from '../../../base/sentence.ts';

export function tarBuildError(
  { error, step }: BuildFailureReport,
  { request, dockerfile, given, hasSession = false }: FailedBuild,
): BuildFailedError {
  const { text } = request.source;
  const message = given.hide(withoutServerPaths(error.engineMessage ?? ''));
  const lines = failedLines(text, request, { message, ...(step && { step: step.text }) });
  const exitCode = exitCodeIn(message);
  const base = refusedBase(message, text, request);
  const failure: BuildFailure = {
    ...(step && { step: step.id }),
    ...(lines && { source: { file: dockerfile, text, lines } }),
    ...(exitCode !== undefined && { exitCode }),
    ...(base && { base }),
  };
  const details = { ...error.details, operation: OPERATION };
  const missing = hasSession ? undefined : missingImage(message, step?.text);
  if (missing === undefined)
    return new BuildFailedError(failure, error.reason, {
      ...details,
      engineMessage: message === '' ? undefined : message,
    });
  const advice = sentence('Could not read base image {0}. Pull it, then build again.', missing);
  // Without a session, BuildKit reports only that there is none.
  const hasDetail = !message.includes('no active session');
  return new BuildFailedError(failure, 'notFound', {
    ...details,
    engineMessage: hasDetail ? { text: '{0}\n{1}', values: [advice, message] } : advice,
  });
}

export interface FailedBuild {
  readonly request: StartedRequest;
  /** The path of the Dockerfile in the tar. */
  readonly dockerfile: string;
  /** Secrets that must not be shown. */
  readonly given: GivenSecrets;
  /** Whether the builder could ask for credentials, so that pulling the base image first does not help. */
  readonly hasSession?: boolean;
}

const OPERATION = 'POST /build';

/** Returns the base image that the builder could neither find nor pull. */
function missingImage(message: string, step = ''): string | undefined {
  const image = imageIn(message) ?? imageIn(step);
  if (image !== undefined) return oneLine(image);
  const [, base] = /STEP \d+\/\d+: FROM (\S+)/.exec(step) ?? [];
  return base !== undefined && message.includes('creating build container')
    ? oneLine(base)
    : undefined;
}

/** Returns a message without the parts that concern only the inside of the builder. */
function withoutServerPaths(message: string): string {
  const end = message.indexOf('&imagebuilder.Step{');
  return (end < 0 ? message : message.slice(0, end))
    .replaceAll(/\/[^\s":]+/g, withoutServerFolder)
    .trim();
}

/** Returns what follows the builder's own folder in a path; the path if it is somewhere else. */
function withoutServerFolder(path: string): string {
  const parts = path.split('/');
  const at = parts.findLastIndex((part) => /^(?:libpod_builder|buildah)\d+$/.test(part));
  if (at < 0) return path;
  return parts.slice(parts[at + 1] === 'build' ? at + 2 : at + 1).join('/');
}

function exitCodeIn(message: string): number | undefined {
  const [, code] =
    /(?:exit code: |exit status |returned a non-zero code: )(\d{1,3})(?!\d)/.exec(message) ?? [];
  return code === undefined ? undefined : Number(code);
}
