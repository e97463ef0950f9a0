import type { SshTransport } from '../discovery/endpoint.ts';
import { EngineError } from '../errors.ts';

// What a shell or ssh would read more into. ssh hands host and user on to the person's ProxyCommand.
const HOST = /^[\p{L}\p{N}_.:%[\]-]+$/u;
const USER = /^[\p{L}\p{N}_.@+\\-]+$/u;
// `:`, `[` and `\` part the fields of -L, and `%` and `$` stand for other things there.
const FORWARDED = /^\/[^:[\]\\%$\p{C}]*$/u;
/** Of a unix socket, on the system with the smallest. */
const LONGEST_PATH = 100;

/**
 * Refuses what could become an option, a command or another field. The address was checked when it was read; this is
 * the last door before a process is started.
 *
 * @throws EngineError `badEndpoint`.
 */
export function checkTransport({ host, user, port, socket }: SshTransport, url: string): void {
  const isGood =
    isPlain(host, HOST) &&
    (user === undefined || isPlain(user, USER)) &&
    (port === undefined || (Number.isInteger(port) && port > 0 && port < 65_536)) &&
    (socket === undefined || canForward(socket));
  if (!isGood) throw new EngineError('badEndpoint', { endpoint: url, engineMessage: url });
}

function isPlain(text: string, pattern: RegExp): boolean {
  return pattern.test(text) && !text.startsWith('-');
}

/** Whether a path on the other machine can stand in an argument of `-L`. */
export function canForward(path: string): boolean {
  return FORWARDED.test(path) && Buffer.byteLength(path) <= LONGEST_PATH;
}

/** Who is logged in to, as a person writes it. */
export function formatTarget({ host, user, port }: SshTransport): string {
  const at = user === undefined ? host : `${user}@${host}`;
  return port === undefined ? at : `${at}:${port}`;
}

// The first word ssh hears on an option counts, so these stand before the person's configuration.
const OURS = [
  'ConnectTimeout=30',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=2',
  'ExitOnForwardFailure=yes',
  'StreamLocalBindUnlink=yes',
  // The person's own forwards belong to their own session, and would collide with it.
  'ClearAllForwardings=yes',
  'RemoteCommand=none',
  'PermitLocalCommand=no',
  'ControlPersist=no',
  // Not less, for the reason of a failure is read there; not more, for nobody reads it.
  'LogLevel=INFO',
];

/** Logs in, runs `command`, and takes further sessions at the socket `control` where one is given. */
export function loginArguments(
  transport: SshTransport,
  command: string,
  control: string | undefined,
): readonly string[] {
  const { host, user, port, identity } = transport;
  const sharing =
    control === undefined
      ? // Nobody could answer for each of many processes.
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

/** Runs `command` within a login; fails where that is gone. */
export function sessionArguments(control: string, host: string, command: string): string[] {
  // Where the socket is gone ssh would log in anew, without the person's configuration.
  const nowhere = ['ControlMaster=no', `ControlPath=${control}`, 'ProxyCommand=exit 1'];
  return [...['-F', '/dev/null', '-T', '-a', '-x'], ...options(nowhere), '--', host, command];
}

/** Both ends of a forward. */
export interface ForwardedSockets {
  readonly local: string;
  readonly remote: string;
}

/** Has a login begin or end a forward. */
export function forwardArguments(
  verb: 'forward' | 'cancel',
  login: { readonly control: string; readonly host: string; readonly sockets: ForwardedSockets },
): string[] {
  const { control, host, sockets } = login;
  const through = options([`ControlPath=${control}`, 'StreamLocalBindUnlink=yes']);
  const what = ['-O', verb, '-L', `${sockets.local}:${sockets.remote}`];
  // The person's configuration may ask for more forwards, and is no matter here.
  return ['-F', '/dev/null', ...through, ...what, '--', host];
}

function options(values: readonly string[]): string[] {
  return values.flatMap((value) => ['-o', value]);
}
