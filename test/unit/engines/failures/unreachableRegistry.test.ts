import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import { unreachableRegistry } from '../../../../src/engines/failures/unreachableRegistry.ts';

const LOOKUP = 'dial tcp: lookup registry-1.docker.io on 10.0.0.53:53';

describe('an engine that cannot reach a registry', () => {
  const told: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'The engine cannot reach docker.io (no network). Check the network connection of the engine.': {
      'without network (Docker)': `Get "https://registry-1.docker.io/v2/": ${LOOKUP}: dial udp 10.0.0.53:53: connect: network is unreachable`,
      'without network (Podman 5)':
        'lookup registry-1.docker.io on 10.0.0.53:53: dial udp 10.0.0.53:53: connect: network is unreachable',
    },
    'The engine cannot reach docker.io (host not found). Check the name and the DNS settings of the engine.':
      {
        'whose name does not exist': `failed to do request: Head "https://r/v2/x": ${LOOKUP}: no such host`,
        'while its DNS server does not respond': `Get "https://r/v2/": ${LOOKUP}: read udp 10.0.0.2:4->10.0.0.53:53: i/o timeout`,
      },
    'The engine cannot reach docker.io (connection refused). Check that the registry is running.': {
      'that is not running':
        'Get "http://127.0.0.1:59999/v2/": dial tcp 127.0.0.1:59999: connect: connection refused',
      'that is not running (Podman 5)': 'connection refused',
    },
    'docker.io is not responding to the engine. Try again later.': {
      'that does not respond':
        'Get "https://r/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
      'whose TLS handshake does not end': 'Get "https://r/v2/": net/http: TLS handshake timeout',
    },
    'The engine does not trust the TLS certificate of docker.io. Add its CA certificate to the engine.':
      {
        'with an unknown certificate':
          'Get "https://r/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
      },
    'The TLS certificate of docker.io is not valid now. Renew it, or check the clock of the engine.':
      {
        'with an expired certificate':
          'Get "https://r/v2/": x509: certificate has expired or is not yet valid: current time …',
      },
    'docker.io does not use TLS. Add it to the insecure registries of the engine, or check the port.':
      {
        'without TLS': 'Get "https://r/v2/": http: server gave HTTP response to HTTPS client',
      },
    'The engine cannot reach docker.io (TLS error). Check the TLS settings of the registry.': {
      'with another TLS version':
        'Get "https://r/v2/": remote error: tls: protocol version not supported',
    },
    'The engine cannot reach docker.io through its proxy. Check the proxy settings of the engine.':
      {
        'behind a proxy that is not there':
          'Get "https://r/v2/": proxyconnect tcp: dial tcp 10.0.0.9:3128: connect: connection refused',
      },
    'docker.io closed the connection of the engine. Try again.': {
      'that closes the connection':
        'Get "https://r/v2/": read tcp 10.0.0.2:4->10.0.0.3:443: read: connection reset by peer',
      'that closes it early': 'unexpected EOF',
    },
  };
  for (const [expected, messages] of Object.entries(told))
    for (const [what, engineMessage] of Object.entries(messages))
      it(`is described: one ${what}`, () => {
        const error = new EngineError('failed', { engineMessage });
        assert.equal(unreachableRegistry(error, 'docker.io'), expected);
      });

  it('is not confused with other failures, or with an engine that cannot be reached', () => {
    const other = new EngineError('failed', { engineMessage: 'manifest unknown' });
    assert.equal(unreachableRegistry(other, 'docker.io'), undefined);
    const own = new EngineError('unreachable', { engineMessage: 'connection refused' });
    assert.equal(unreachableRegistry(own, 'docker.io'), undefined);
    assert.equal(unreachableRegistry(new Error('EOF'), 'docker.io'), undefined);
  });
});
