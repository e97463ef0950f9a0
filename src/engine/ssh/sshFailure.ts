import { oneLine } from '../../base/plainText.ts';
import { EngineError, type FailureReason } from '../errors.ts';
import type { ProgramEnd } from '../../base/program.ts';

/**
 * Converts the end of an ssh process to the error that it reports.
 *
 * @param url URL of the endpoint, safe to show.
 */
export function sshFailure({ code, spawnError, stderr }: ProgramEnd, url: string): EngineError {
  if (spawnError === 'ENOENT') return new EngineError('sshMissing', { endpoint: url });
  const lines = linesOf(stderr);
  const known = lines.map(reasonOf).findLast((reason) => reason !== undefined);
  const reason = known ?? 'sshFailed';
  // Of the lines with the same reason, use the last one with details.
  const telling = lines.filter((line) => known === undefined || reasonOf(line) === known);
  const line = telling.findLast((one) => !BARE.test(one)) ?? telling.at(-1);
  const fallback = spawnError ?? (code === null ? undefined : `ssh: ${code}`);
  return failure(reason, url, line ?? fallback);
}

// Messages of OpenSSH, which are not localized.
const BY_LINE: readonly (readonly [RegExp, FailureReason])[] = [
  [/^ssh: Could not resolve hostname /i, 'hostUnknown'],
  [/: Connection refused$/i, 'refused'],
  [/\btimed out(?: during banner exchange)?$|^Timeout, server /i, 'connectTimeout'],
  [/: (?:No route to host|Network is (?:unreachable|down)|Host is down)$/i, 'unreachable'],
  [/^Host key for .* has changed and you have /i, 'sshHostKey'],
  [/^No .*host key is known for /i, 'sshHostKey'],
  [/^Host key verification failed/i, 'sshHostKey'],
  [/: Permission denied \([^()]*\)\.?$/i, 'sshRefused'],
  [/Too many authentication failures/i, 'sshRefused'],
  [/No (?:more|supported) authentication methods/i, 'sshRefused'],
  [/open failed: administratively prohibited/i, 'sshNoForwarding'],
];

/** Final lines without details. */
const BARE = /^Host key verification failed|^Connection (?:to \S+ )?closed\.?$/i;

function reasonOf(line: string): FailureReason | undefined {
  return BY_LINE.find(([pattern]) => pattern.test(line))?.[1];
}

// Messages of the Docker and Podman CLI, and of a shell.
const BY_DIAL_LINE: readonly (readonly [RegExp, FailureReason])[] = [
  [/permission denied/i, 'permissionDenied'],
  [/no such file or directory/i, 'sshSocketMissing'],
  [/connection refused|is the docker daemon running/i, 'refused'],
];

/**
 * Converts the end of `docker system dial-stdio` to an error. `refused` and the like only if the command reports it.
 */
export function dialFailure(end: ProgramEnd, url: string): EngineError {
  // 255 is an exit code of ssh itself, most often because the server allows no more sessions.
  if (end.code === 255 || end.spawnError !== undefined) return sshFailure(end, url);
  const lines = linesOf(end.stderr);
  for (const [pattern, reason] of BY_DIAL_LINE) {
    const line = lines.findLast((one) => pattern.test(one));
    if (line !== undefined) return failure(reason, url, line);
  }
  return failure('sshNoForwarding', url, lines.at(-1));
}

function failure(reason: FailureReason, url: string, line: string | undefined): EngineError {
  return new EngineError(reason, { endpoint: url, engineMessage: line });
}

function linesOf(stderr: string): readonly string[] {
  return stderr
    .split('\n')
    .map((line) => oneLine(line))
    .filter((line) => line !== '' && !/^@+$/.test(line));
}
