import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import {
  parseEndpoint,
  type Endpoint,
  type TlsMaterial,
} from '../../../../src/engine/http/endpoint.ts';
import type { FailureReason } from '../../../../src/engine/errors.ts';
import { connectionFailure } from '../../../../src/engine/http/connectionFailure.ts';
import { tlsConnector } from '../../../../src/engine/http/tlsConnector.ts';

function endpointOf(tls?: TlsMaterial): Endpoint {
  const { transport, ...rest } = parseEndpoint('tcp://engine.example:2376', 'setting');
  return { ...rest, transport: { ...transport, ...(tls && { tls }) } };
}

/** Returns the error of undici for a response that it cannot parse. */
function parserError(data: string): Error {
  return Object.assign(new Error('Expected HTTP/'), { name: 'HTTPParserError', data });
}

const ANONYMOUS: TlsMaterial = { verify: true };
const KNOWN: TlsMaterial = { verify: true, cert: 'a certificate', key: 'its key' };

describe('connectionFailure with TLS', () => {
  // The names of the same alerts in OpenSSL of Node 24 and of Node 22, and in BoringSSL of VS Code on the
  // desktop.
  const codes: [code: string, tls: TlsMaterial | undefined, reason: FailureReason][] = [
    ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', KNOWN, 'clientCertificateNeeded'],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', KNOWN, 'clientCertificateNeeded'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', ANONYMOUS, 'clientCertificateNeeded'],
    ['ERR_SSL_TLSV1_CERTIFICATE_REQUIRED', ANONYMOUS, 'clientCertificateNeeded'],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', KNOWN, 'clientCertificateNeeded'],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', KNOWN, 'clientCertificateNeeded'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', ANONYMOUS, 'clientCertificateNeeded'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', KNOWN, 'unreachable'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', ANONYMOUS, 'unreachable'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', ANONYMOUS, 'tlsNotSpoken'],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', ANONYMOUS, 'tlsNotSpoken'],
    ['ERR_SSL_HTTP_REQUEST', ANONYMOUS, 'tlsNotSpoken'],
    ['CERT_HAS_EXPIRED', ANONYMOUS, 'certificateUntrusted'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', KNOWN, 'certificateUntrusted'],
    ['ECONNRESET', KNOWN, 'cut'],
    ['CERT_HAS_EXPIRED', undefined, 'unreachable'],
  ];
  for (const [code, tls, reason] of codes) {
    const who = tls
      ? tls.cert === undefined
        ? 'without a client certificate'
        : 'with a client certificate'
      : 'without TLS';
    it(`maps ${code} to ${reason} ${who}`, async () => {
      const thrown = Object.assign(new Error('line 918'), { code });
      const error = await connectionFailure(thrown, endpointOf(tls), 'GET /x');
      assert.equal(error.reason, reason);
      assert.equal(error.cause, thrown);
    });
  }

  for (const [text, reason] of [
    [
      'write EPROTO 1:error:0A000412:SSL routines::sslv3 alert bad certificate',
      'clientCertificateNeeded',
    ],
    [
      'write EPROTO 1:error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER',
      'tlsNotSpoken',
    ],
    ['write EPROTO', 'unreachable'],
  ] as const) {
    it(`maps a failed write with "${text}" to ${reason}`, async () => {
      const thrown = Object.assign(new Error(text), { code: 'EPROTO' });
      const error = await connectionFailure(thrown, endpointOf(KNOWN), 'GET /x');
      assert.equal(error.reason, reason);
    });
  }

  it('maps a TLS alert instead of a response to tlsNeeded', async () => {
    const alert = parserError('\x15\x03\x01\x00\x02\x02\x46');
    assert.equal((await connectionFailure(alert, endpointOf(), 'GET /x')).reason, 'tlsNeeded');
    const other = parserError('SSH-2.0-OpenSSH');
    assert.equal((await connectionFailure(other, endpointOf(), 'GET /x')).reason, 'notAnEngine');
  });

  it('uses the reason of the library, not its source line, as message', async () => {
    const facts = { code: 'ERR_SSL_X', library: 'SSL routines', reason: 'a few words' };
    const thrown = Object.assign(new Error('1:error:0A:rec_layer.c:918:'), facts);
    const error = await connectionFailure(thrown, endpointOf(KNOWN), 'GET /x');
    assert.equal(error.engineMessage, 'a few words');
  });
});

describe('tlsConnector', () => {
  let server: Server;
  let port: number;
  beforeEach(async () => {
    // The server accepts connections and sends nothing.
    server = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as { port: number });
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('times out if a host accepts the connection and never answers', async () => {
    const transport = { kind: 'tcp', host: '127.0.0.1', port, base: '' } as const;
    const connect = tlsConnector(transport, { verify: false }, 20);
    const thrown = await new Promise((resolve) => connect({}, (...[error]) => resolve(error)));
    const error = await connectionFailure(thrown, endpointOf(ANONYMOUS), 'GET /x');
    assert.equal(error.reason, 'connectTimeout');
  });
});
