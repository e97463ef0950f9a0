// Encrypted ways to the bed's engines, with certificates made here by openssl, good for one day.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectPlain, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { promisify } from 'node:util';
import type { BedEngine } from './engines.ts';

/** A certificate and its key as PEM, and where they are. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** All certificates of a test. */
export interface Certificates {
  /** The authority of servers and clients. */
  readonly ca: Pair;
  /** An authority nobody here trusts. */
  readonly otherCa: Pair;
  /** For 127.0.0.1 and localhost. */
  readonly server: Pair;
  /** The same, but it ended the moment it was made. */
  readonly expired: Pair;
  /** The server's of another machine. */
  readonly elsewhere: Pair;
  readonly client: Pair;
  /** A client's by the other authority. */
  readonly stranger: Pair;
  /** The client's key under a passphrase: as PKCS #8, and in the older format. */
  readonly lockedKeys: readonly string[];
}

const HERE = 'DNS:localhost,IP:127.0.0.1';
const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes the certificates in a folder that is the caller's to remove. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const forge = new Forge(folder);
  const ca = await forge.authority('ca');
  const otherCa = await forge.authority('other-ca');
  const client = await forge.leaf('client', ca, 'DNS:client', 'clientAuth');
  return {
    ca,
    otherCa,
    server: await forge.leaf('server', ca, HERE, 'serverAuth'),
    expired: await forge.leaf('expired', ca, HERE, 'serverAuth', 0),
    elsewhere: await forge.leaf('elsewhere', ca, 'DNS:elsewhere.invalid', 'serverAuth'),
    client,
    stranger: await forge.leaf('stranger', otherCa, 'DNS:client', 'clientAuth'),
    lockedKeys: [
      await forge.locked('locked-8', ['pkcs8', '-topk8', '-in', client.keyFile]),
      await forge.locked('locked', ['ec', '-aes256', '-in', client.keyFile]),
    ],
  };
}

class Forge {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async authority(name: string): Promise<Pair> {
    const { certFile, keyFile } = this.#files(name);
    const out = ['-keyout', keyFile, '-out', certFile];
    await openssl(['req', '-x509', ...CURVE, '-days', '1', '-subj', `/CN=${name}`, ...out]);
    return readPair(certFile, keyFile);
  }

  /** One that `issuer` signed. @param days how long it is good; 0 for one that is no longer. */
  async leaf(name: string, issuer: Pair, names: string, usage: string, days = 1): Promise<Pair> {
    const { certFile, keyFile } = this.#files(name);
    const asked = join(this.#folder, `${name}.csr`);
    const extensions = join(this.#folder, `${name}.ext`);
    writeFileSync(extensions, `subjectAltName=${names}\nextendedKeyUsage=${usage}\n`);
    await openssl(['req', ...CURVE, '-subj', `/CN=${name}`, '-keyout', keyFile, '-out', asked]);
    const by = ['-CA', issuer.certFile, '-CAkey', issuer.keyFile, '-CAcreateserial'];
    const how = ['-days', String(days), '-extfile', extensions, '-out', certFile];
    await openssl(['x509', '-req', '-in', asked, ...by, ...how]);
    return readPair(certFile, keyFile);
  }

  async locked(name: string, how: readonly string[]): Promise<string> {
    const out = join(this.#folder, `${name}.pem`);
    await openssl([...how, '-passout', 'pass:of-the-test', '-out', out]);
    return readFileSync(out, 'utf8');
  }

  #files(name: string): { readonly certFile: string; readonly keyFile: string } {
    return {
      certFile: join(this.#folder, `${name}.crt`),
      keyFile: join(this.#folder, `${name}.key`),
    };
  }
}

async function openssl(args: readonly string[]): Promise<void> {
  await promisify(execFile)('openssl', args);
}

function readPair(certFile: string, keyFile: string): Pair {
  const [cert, key] = [certFile, keyFile].map((file) => readFileSync(file, 'utf8')) as [
    string,
    string,
  ];
  return { cert, key, certFile, keyFile };
}

/** Where Docker's daemon listens in its own network. */
const DAEMON_PORT = '2376';

/** What makes Docker's daemon listen encrypted and let in only whom the authority signed. */
export function tlsArguments({ ca, server }: Certificates): readonly string[] {
  const files = ['--tlscacert', ca.certFile, '--tlscert', server.certFile];
  const address = ['-H', `tcp://127.0.0.1:${DAEMON_PORT}`];
  return [...address, '--tlsverify', ...files, '--tlskey', server.keyFile];
}

/** A listener on 127.0.0.1. */
export interface Listener {
  readonly port: number;
  stop(): Promise<void>;
}

/** Leads to the encrypted port of a Docker engine that has {@link tlsArguments}: a process for each connection. */
export function forwardToDaemon(engine: BedEngine): Promise<Listener> {
  return listen(
    (onConnect) => createServer(onConnect),
    (socket) => {
      const nc = engine.spawn(['busybox', 'nc', '127.0.0.1', DAEMON_PORT], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      nc.stdin?.on('error', () => undefined);
      if (nc.stdin) socket.pipe(nc.stdin);
      nc.stdout?.pipe(socket);
      socket.on('close', () => nc.kill());
    },
  );
}

/** Ends encryption before an engine's socket, as a proxy does. */
export function encrypt(socketPath: string, options: TlsOptions): Promise<Listener> {
  return listen(
    (onConnect) => createTlsServer(options, onConnect).on('tlsClientError', () => undefined),
    (socket) => {
      const behind = connectPlain(socketPath);
      behind.on('error', () => socket.destroy());
      socket.on('close', () => behind.destroy());
      socket.pipe(behind).pipe(socket);
    },
  );
}

async function listen(
  make: (onConnect: (socket: Socket) => void) => Server,
  serve: (socket: Socket) => void,
): Promise<Listener> {
  const open = new Set<Socket>();
  const server = make((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  // The bare ones: of those that never get through the handshake no other is told.
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  return {
    port,
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
