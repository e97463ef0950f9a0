import { oneLine } from '../../plainText.ts';
import { EngineError, type FailureReason } from '../errors.ts';

/**
 * Why ssh itself failed.
 *
 * @param url of the endpoint, fit to show.
 */
export function sshFailure({ code, spawnError, stderr }: ProgramEnd, url: string): EngineError {
  if (spawnError === 'ENOENT') return new EngineError('sshMissing', { endpoint: url });
  const lines = linesOf(stderr);
  const known = lines.map(reasonOf).findLast((reason) => reason !== undefined);
  const reason = known ?? 'sshFailed';
  // Of the lines that tell the same, the last that says more.
  const telling = lines.filter((line) => known === undefined || reasonOf(line) === known);
  const line = telling.findLast((one) => !BARE.test(one)) ?? telling.at(-1);
  const fallback = spawnError ?? (code === null ? undefined : `ssh: ${code}`);
  return failure(reason, url, line ?? fallback);
}

/** How a program ended. */
export interface ProgramEnd {
  /** Null where a signal ended it. */
  readonly code: number | null;
  /** Of a program that could not be started, why: `ENOENT`. */
  readonly spawnError?: string;
  /** The end of what it said on its error output. */
  readonly stderr: string;
}

// What OpenSSH says. It has one language.
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

/** Says the least of all that may come last. */
const BARE = /^Host key verification failed|^Connection (?:to \S+ )?closed\.?$/i;

function reasonOf(line: string): FailureReason | undefined {
  return BY_LINE.find(([pattern]) => pattern.test(line))?.[1];
}

// What the command lines of Docker and Podman, and a shell, say.
const BY_DIAL_LINE: readonly (readonly [RegExp, FailureReason])[] = [
  [/permission denied/i, 'permissionDenied'],
  [/no such file or directory/i, 'sshSocketMissing'],
  [/connection refused|is the docker daemon running/i, 'refused'],
];

/** Why `docker system dial-stdio` led nowhere. `refused` and the like only where it says so itself. */
export function dialFailure(end: ProgramEnd, url: string): EngineError {
  // 255 is ssh's own: most often there are no more sessions to be had.
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
