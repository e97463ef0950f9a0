import type { SshTransport } from '../http/endpoint.ts';
import { EngineError } from '../errors.ts';

// Only characters that are not special to a shell or ssh: ssh passes host and user on to the user's ProxyCommand.
const HOST = /^[\p{L}\p{N}_.:%[\]-]+$/u;
const USER = /^[\p{L}\p{N}_.@+\\-]+$/u;
// `:`, `[` and `\` separate the fields of -L, and `%` and `$` are expanded there.
const FORWARDED = /^\/[^:[\]\\%$\p{C}]*$/u;
/** Limit of a Unix socket path in bytes, on the platform with the lowest limit. */
const LONGEST_PATH = 100;

/**
 * Rejects values that could become an option, a command or another field. The address was already checked when it
 * was parsed; this is the last check before a process is started.
 *
 * @throws EngineError `badEndpoint`.
 */
export function checkTransport({ host, user, port, socket }: SshTransport, url: string): void {
  const isValid =
    isPlain(host, HOST) &&
    (user === undefined || isPlain(user, USER)) &&
    (port === undefined || (Number.isInteger(port) && port > 0 && port < 65_536)) &&
    (socket === undefined || canForward(socket));
  if (!isValid) throw new EngineError('badEndpoint', { endpoint: url, engineMessage: url });
}

function isPlain(text: string, pattern: RegExp): boolean {
  return pattern.test(text) && !text.startsWith('-');
}

/** Whether a remote path can be used in an argument of `-L`. */
export function canForward(path: string): boolean {
  return FORWARDED.test(path) && Buffer.byteLength(path) <= LONGEST_PATH;
}

/** Formats the target of a login: `user@host:port`. */
export function formatTarget({ host, user, port }: SshTransport): string {
  const at = user === undefined ? host : `${user}@${host}`;
  return port === undefined ? at : `${at}:${port}`;
}

// ssh uses the first value that it finds for an option, so these override the user's configuration.
const OURS = [
  'ConnectTimeout=30',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=2',
  'ExitOnForwardFailure=yes',
  'StreamLocalBindUnlink=yes',
  // Forwards in the user's configuration are for the user's own sessions, and would collide with them.
  'ClearAllForwardings=yes',
  'RemoteCommand=none',
  'PermitLocalCommand=no',
  'ControlPersist=no',
  // Not lower, because the reason of a failure is read from the log; not higher, because nothing else is read.
  'LogLevel=INFO',
];

/** Returns arguments that log in and run `command`. With `control`, the login accepts more sessions at that socket. */
export function loginArguments(
  transport: SshTransport,
  command: string,
  control: string | undefined,
): readonly string[] {
  const { host, user, port, identity } = transport;
  const sharing =
    control === undefined
      ? // The user cannot answer questions of each of many processes.
        ['ControlMaster=no', 'ControlPath=none', 'BatchMode=yes']
      : ['ControlMaster=yes', `ControlPath=${control}`];
  return [
    ...['-T', '-a', '-x'],
    ...options([...OURS, ...sharing]),
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(identity === undefined ? [] : ['-i', identity]),
    ...['--', host, command],
  ];
}

/** Returns arguments that run `command` in a session of an existing login. ssh fails if the login is gone. */
export function sessionArguments(control: string, host: string, command: string): string[] {
  // Without the socket, ssh would log in again, without the user's configuration. The ProxyCommand prevents that.
  const nowhere = ['ControlMaster=no', `ControlPath=${control}`, 'ProxyCommand=exit 1'];
  return [...['-F', '/dev/null', '-T', '-a', '-x'], ...options(nowhere), '--', host, command];
}

/** The two ends of a forward. */
export interface ForwardedSockets {
  readonly local: string;
  readonly remote: string;
}

/** Returns arguments that start or cancel a forward in an existing login. */
export function forwardArguments(
  verb: 'forward' | 'cancel',
  login: { readonly control: string; readonly host: string; readonly sockets: ForwardedSockets },
): string[] {
  const { control, host, sockets } = login;
  const through = options([`ControlPath=${control}`, 'StreamLocalBindUnlink=yes']);
  const what = ['-O', verb, '-L', `${sockets.local}:${sockets.remote}`];
  // The user's configuration could add more forwards, and is not needed here.
  return ['-F', '/dev/null', ...through, ...what, '--', host];
}

function options(values: readonly string[]): string[] {
  return values.flatMap((value) => ['-o', value]);
}
