// TLS connections to the bed's engines, with certificates created by openssl that are valid for one day.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectPlain, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { promisify } from 'node:util';
import type { BedEngine } from './engines.ts';

/** A certificate and its private key as PEM, and the paths of their files. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** All certificates of a test. */
export interface Certificates {
  /** The CA of the servers and clients. */
  readonly ca: Pair;
  /** A CA that neither side trusts. */
  readonly otherCa: Pair;
  /** For 127.0.0.1 and localhost. */
  readonly server: Pair;
  /** The same, but expired since its creation. */
  readonly expired: Pair;
  /** A server certificate of another host. */
  readonly elsewhere: Pair;
  readonly client: Pair;
  /** A client certificate signed by the other CA. */
  readonly stranger: Pair;
  /** The client's private key encrypted with a passphrase: as PKCS #8, and in the older format. */
  readonly lockedKeys: readonly string[];
}

const HERE = 'DNS:localhost,IP:127.0.0.1';
const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Creates the certificates in a folder that the caller removes. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const maker = new CertificateMaker(folder);
  const ca = await maker.authority('ca');
  const otherCa = await maker.authority('other-ca');
  const client = await maker.leaf('client', ca, 'DNS:client', 'clientAuth');
  return {
    ca,
    otherCa,
    server: await maker.leaf('server', ca, HERE, 'serverAuth'),
    expired: await maker.leaf('expired', ca, HERE, 'serverAuth', 0),
    elsewhere: await maker.leaf('elsewhere', ca, 'DNS:elsewhere.invalid', 'serverAuth'),
    client,
    stranger: await maker.leaf('stranger', otherCa, 'DNS:client', 'clientAuth'),
    lockedKeys: [
      await maker.locked('locked-8', ['pkcs8', '-topk8', '-in', client.keyFile]),
      await maker.locked('locked', ['ec', '-aes256', '-in', client.keyFile]),
    ],
  };
}

class CertificateMaker {
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

  /** Creates a certificate signed by `issuer`. @param days validity in days; 0 for an expired certificate. */
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

/** The port of Docker's daemon in its own network. */
const DAEMON_PORT = '2376';

/**
 * Returns the arguments that make Docker's daemon listen with TLS and require client certificates signed by the
 * CA.
 */
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

/**
 * Forwards to the TLS port of a Docker engine started with {@link tlsArguments}; uses one process per
 * connection.
 */
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

/** Terminates TLS in front of an engine's socket, as a proxy does. */
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
  // The raw sockets: connections that fail in the handshake raise no other event.
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
