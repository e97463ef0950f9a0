// An OpenSSH server on the loopback interface with its own keys and configuration. Neither the machine's ssh
// service nor any ~/.ssh folder is read or written.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

/** Options of a new server. */
export interface SshdOptions {
  /** Whether the server allows forwarding; default true. */
  readonly isForwarding?: boolean;
  /** Passphrase of the user's key; default none. */
  readonly passphrase?: string;
  /** Whether the client knows the server's host key; default true. */
  readonly isKnown?: boolean;
  /** Environment variables of every session. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A running server, and what a client needs to connect. */
export interface BedSshd {
  readonly host: string;
  readonly port: number;
  /** Everything that the server stores on disk; removed by `stop`. */
  readonly folder: string;
  /** First arguments of `ssh`: select the bed's client configuration instead of the user's. */
  readonly clientArguments: readonly string[];
  /** Path of the client's known hosts file. */
  readonly knownHosts: string;
  /** Returns the number of accepted logins since the server was created. */
  logins(): number;
  /** Replaces the host key, as if it were another host. Takes effect at the next start. */
  changeHostKey(): void;
  /** Fault: kills the server and all its connections. */
  kill(): Promise<void>;
  /** Starts the server again at the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Below the range of ephemeral ports, so that the port is still free at a restart. */
const PORTS = [20_000, 32_000] as const;
const TRIES = 10;

/** Starts a server. */
export async function startSshd(options: SshdOptions = {}): Promise<BedSshd> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-sshd-'));
  makeKey(join(folder, 'user'), options.passphrase);
  makeKey(join(folder, 'host'));
  writeFileSync(join(folder, 'client'), clientConfig(folder));
  for (let tries = 1; ; tries++) {
    const server = new Server(folder, randomInt(...PORTS), options);
    try {
      await server.start();
      return server;
    } catch (error) {
      // Another process may use that port.
      if (tries < TRIES) continue;
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
}

class Server implements BedSshd {
  readonly host = HOST;
  readonly port: number;
  readonly folder: string;
  readonly clientArguments: readonly string[];
  readonly knownHosts: string;
  #child: ChildProcess | undefined;

  constructor(folder: string, port: number, options: SshdOptions) {
    this.folder = folder;
    this.port = port;
    this.clientArguments = ['-F', join(folder, 'client')];
    this.knownHosts = join(folder, 'known');
    writeFileSync(join(folder, 'sshd'), serverConfig(folder, port, options));
    const key = readFileSync(join(folder, 'host.pub'), 'utf8');
    writeFileSync(this.knownHosts, options.isKnown !== false ? `[${HOST}]:${port} ${key}` : '');
  }

  logins(): number {
    const log = readFileSync(join(this.folder, 'log'), 'utf8');
    return log.split('\n').filter((line) => line.startsWith('Accepted ')).length;
  }

  changeHostKey(): void {
    for (const name of ['host', 'host.pub']) rmSync(join(this.folder, name));
    makeKey(join(this.folder, 'host'));
  }

  async start(): Promise<void> {
    // sshd requires this folder; normally the system service creates it.
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const log = join(this.folder, 'log');
    appendFileSync(log, '');
    const child = spawn(program(), ['-D', '-E', log, '-f', join(this.folder, 'sshd')], {
      stdio: 'ignore',
    });
    this.#child = child;
    await until(
      () => child.exitCode !== null || answers(this.port),
      `sshd responds on port ${this.port}`,
    );
    if (child.exitCode !== null) throw new Error(`sshd ended: ${readFileSync(log, 'utf8')}`);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    const all = [child.pid, ...descendants(child.pid)];
    for (const pid of all) killHard(pid);
    await gone;
    await until(() => !all.some(isRunning), 'all processes of sshd have exited');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function program(): string {
  return existsSync('/usr/sbin/sshd') ? '/usr/sbin/sshd' : '/usr/bin/sshd';
}

function makeKey(file: string, passphrase = ''): void {
  // One round of the key derivation: more would only take time, at every question for the passphrase.
  const how = ['-q', '-t', 'ed25519', '-a', '1', '-C', 'bed'];
  execFileSync('ssh-keygen', [...how, '-N', passphrase, '-f', file]);
}

function serverConfig(folder: string, port: number, options: SshdOptions): string {
  const word = options.isForwarding === false ? 'no' : 'yes';
  const variables = Object.entries(options.variables ?? {});
  return `
ListenAddress ${HOST}:${port}
HostKey ${join(folder, 'host')}
AuthorizedKeysFile ${join(folder, 'user.pub')}
PidFile none
UsePAM no
StrictModes no
PermitUserRC no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
AllowTcpForwarding ${word}
AllowStreamLocalForwarding ${word}
${variables.map(([name, value]) => `SetEnv ${name}=${value}`).join('\n')}
`;
}

function clientConfig(folder: string): string {
  return `
IdentityFile ${join(folder, 'user')}
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile ${join(folder, 'known')}
GlobalKnownHostsFile /dev/null
UpdateHostKeys no
`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

function descendants(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const parents = pids.map((one) => [one, parentOf(one)] as const);
  const below = (parent: number): number[] =>
    parents.flatMap(([one, its]) => (its === parent ? [one, ...below(one)] : []));
  return below(pid);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(statusOf(pid))?.[1]);
}

/** A zombie does not count as running. */
function isRunning(pid: number): boolean {
  return /^State:\s*[^ZX]/m.test(statusOf(pid));
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    // Gone by now.
    return '';
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone by now.
  }
}
