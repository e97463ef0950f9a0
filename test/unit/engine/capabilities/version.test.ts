import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import {
  compareApi,
  isOfAnotherVersion,
  isVersionRefusal,
  OUR_API,
  readPing,
} from '../../../../src/engine/capabilities/version.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

const WHERE = 'unix:///x.sock';

function ping(headers: Record<string, string>, text = 'OK'): ReturnType<typeof readPing> {
  return readPing(headers, text, WHERE);
}

describe('compareApi', () => {
  const older: [string, string][] = [
    ['1.9', '1.10'],
    ['1.9', '1.41'],
    ['1.41', '1.52'],
    ['1.99', '2.0'],
  ];
  for (const [a, b] of older) {
    it(`orders ${a} before ${b}`, () => {
      assert(compareApi(a, b) < 0);
      assert(compareApi(b, a) > 0);
      assert.equal(compareApi(a, a), 0);
    });
  }
});

describe('readPing', () => {
  it('uses the lower of the two versions', () => {
    assert.equal(ping({ 'api-version': '1.41' }).api, '1.41');
    assert.equal(ping({ 'api-version': OUR_API }).api, OUR_API);
    assert.deepEqual(
      [ping({ 'api-version': '1.99' }).api, ping({ 'api-version': '1.99' }).engineApi],
      [OUR_API, '1.99'],
    );
    assert.equal(ping({ 'api-version': '1.100' }).api, OUR_API);
  });

  it('recognizes Docker and Podman by the server header, which may be missing', () => {
    const of = (server: string): unknown => {
      const { product, version } = ping({ 'api-version': '1.41', server });
      return [product, version];
    };
    assert.deepEqual(of('Docker/20.10.24 (linux)'), ['docker', '20.10.24']);
    assert.deepEqual(of('Libpod/4.3.1 (linux)'), ['podman', '4.3.1']);
    assert.deepEqual(of('Something/1'), ['unknown', '1']);
    assert.deepEqual(of('nginx'), ['unknown', undefined]);
    assert.equal(ping({ 'api-version': '1.41' }).product, 'unknown');
  });

  it('recognizes Podman even if a proxy replaces the server header', () => {
    const { product, version } = ping({
      'api-version': '1.44',
      server: 'nginx/1.27',
      'libpod-api-version': '5.8.6',
    });
    assert.deepEqual([product, version], ['podman', '5.8.6']);
  });

  it('assumes our own version if the engine reports none', () => {
    assert.equal(ping({}).api, OUR_API);
    assert.equal(ping({ 'api-version': 'latest' }, 'OK\n').api, OUR_API);
  });

  for (const version of ['1.40', '1.9', '0.99']) {
    it(`rejects an engine whose newest version is ${version} as too old`, () => {
      assert.throws(
        () => ping({ 'api-version': version }),
        (error) =>
          error instanceof EngineError &&
          error.reason === 'tooOld' &&
          error.message.includes(version) &&
          error.endpoint === WHERE,
      );
    });
  }

  for (const [text, reason] of [
    ['', 'notAnEngine'],
    ['<html>It works!</html>', 'proxyPage'],
    ['PONG', 'notAnEngine'],
  ] as const) {
    it(`rejects ${JSON.stringify(text)} without a version`, () => {
      assert.throws(
        () => ping({}, text),
        (error) => error instanceof EngineError && error.reason === reason,
      );
    });
  }
});

describe('a refusal of the version', () => {
  const info = ping({ 'api-version': '1.41' });
  const refusal = (status: number, engineMessage: string): EngineError =>
    new EngineError('badRequest', { status, engineMessage });

  it('is a 400 with "too new" or "too old", or from an engine of another version', () => {
    const tooNew = 'client version 1.99 is too new. Maximum supported API version is 1.41';
    const tooOld = 'client version 1.41 is too old. Minimum supported API version is 1.44';
    assert(isVersionRefusal(refusal(400, tooNew)));
    assert(isVersionRefusal(refusal(400, tooOld)));
    assert(isOfAnotherVersion(info, refusal(400, ''), { 'api-version': '1.52' }));
  });

  it('is no other failure, which must not be sent twice', () => {
    const same = { 'api-version': '1.41' };
    const other = { 'api-version': '1.52' };
    assert(!isVersionRefusal(refusal(400, 'invalid port')));
    assert(!isOfAnotherVersion(info, refusal(400, 'invalid port'), same));
    assert(!isOfAnotherVersion(info, refusal(400, 'invalid port'), {}));
    assert(!isOfAnotherVersion(info, refusal(500, 'no space'), other));
    assert(!isOfAnotherVersion(info, refusal(404, 'No such image'), other));
  });
});

describe('the version of a connection', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const announce =
    (version: string): Answer =>
    (_, response) => {
      response.setHeader('api-version', version);
      response.setHeader('server', 'Docker/29.0.0 (linux)');
      response.end('OK');
    };
  const ok: Answer = (_, r) => json(r, 200, []);
  const only =
    (version: string, words: string): Answer =>
    (request, response) => {
      response.setHeader('api-version', version);
      if (request.version === version) json(response, 200, []);
      else json(response, 400, { message: `client version ${request.version} is ${words}` });
    };
  const list = { method: 'GET', path: '/containers/json' } as const;

  it('is requested once for concurrent requests', async () => {
    const { engine, connection } = await lab.fake(ok);
    await Promise.all([connection.send(list), connection.send(list), connection.info()]);
    assert.equal(engine.pings(), 1);
    await connection.send(list);
    assert.equal(engine.pings(), 1);
  });

  it('is requested again by renew, and after a failure', async () => {
    const { engine, connection } = await lab.fake(ok);
    assert.equal((await connection.info()).engineApi, '1.41');
    engine.ping(announce('1.44'));
    assert.equal((await connection.renew()).engineApi, '1.44');
    engine.ping((_, response) => {
      response.writeHead(503).end();
    });
    await failure(connection.renew(), 'proxyPage');
    engine.ping(announce('1.52'));
    assert.equal((await connection.info()).engineApi, '1.52');
  });

  for (const [from, to, words] of [
    ['1.41', '1.52', 'too old. Minimum supported API version is 1.44'],
    ['1.52', '1.41', 'too new. Maximum supported API version is 1.41'],
  ] as const) {
    it(`is negotiated again, once, if the engine was replaced by one with API ${to}`, async () => {
      const { engine, connection } = await lab.fake(ok);
      engine.ping(announce(from));
      await connection.send(list);
      engine.ping(announce(to));
      engine.answer(only(to, words));
      await connection.send({ method: 'POST', path: '/x' });
      assert.deepEqual(
        engine.seen.map((one) => one.version),
        [from, from, to],
      );
      assert.equal(engine.pings(), 2);
      await connection.stream(list);
      assert.equal(engine.pings(), 2);
    });
  }

  it('is tooOld or tooNew with the message of the engine if a second negotiation does not help', async () => {
    for (const [newest, words, reason] of [
      ['1.41', 'too old. Minimum supported API version is 1.60', 'tooOld'],
      ['1.70', 'too old. Minimum supported API version is 1.60', 'tooNew'],
    ] as const) {
      const { engine, connection } = await lab.fake(only('1.60', words));
      engine.ping(announce(newest));
      const error = await failure(connection.send(list), reason);
      assert.match(error.message, /Minimum supported API version is 1\.60/);
      assert.equal(engine.seen.length, 2);
    }
  });

  it('is not negotiated again for an ordinary bad request', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      response.setHeader('api-version', '1.41');
      json(response, 400, { message: 'invalid filter' });
    });
    await failure(connection.send(list), 'badRequest');
    assert.deepEqual([engine.seen.length, engine.pings()], [1, 1]);
  });

  it('is negotiated again if the engine was replaced, but only a read is sent again', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      response.setHeader('api-version', '1.52');
      json(response, 400, { message: 'container is not ready' });
    });
    await failure(connection.send({ method: 'POST', path: '/containers/abc/start' }), 'badRequest');
    assert.deepEqual([engine.seen.length, engine.pings()], [1, 1]);
    await failure(connection.send(list), 'badRequest');
    assert.deepEqual([engine.seen.length, engine.pings()], [3, 3]);
  });

  it('is not negotiated again for any other failure', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      response.setHeader('api-version', '1.52');
      json(response, 500, { message: 'no space left' });
    });
    await failure(connection.send({ method: 'POST', path: '/commit' }), 'failed');
    assert.equal(engine.seen.length, 1);
  });
});

describe('a ping', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const html = { 'content-type': 'text/html' };
  const asJson = { 'content-type': 'application/json' };
  type Response = [status: number, headers?: Readonly<Record<string, string>>, body?: string];
  const answers: [what: string, Parameters<typeof failure>[1], ...Response][] = [
    ['an HTML page', 'proxyPage', 200, html, '<html>Hi</html>'],
    ['a redirect', 'proxyPage', 301, { location: 'https://localhost/' }],
    ['status 500 without a body', 'notAnEngine', 500],
    ['plain text', 'notAnEngine', 404, { 'content-type': 'text/plain' }, '404 page not found\n'],
    ['status 404 of another API', 'notAnEngine', 404, asJson, '{"message":"Not Found"}'],
    [
      'text of a TLS port',
      'tlsNeeded',
      400,
      {},
      'Client sent an HTTP request to an HTTPS server.\n',
    ],
    [
      "a web server's TLS port",
      'tlsNeeded',
      400,
      html,
      '<html>The plain HTTP request was sent to HTTPS port</html>',
    ],
    ['status 403 with an HTML page of a proxy', 'proxyPage', 403, html, '<h1>Forbidden</h1>'],
    ['status 401 with an HTML page', 'signInNeeded', 401, html, '<h1>Unauthorized</h1>'],
    ['status 407 of a proxy without a body', 'signInNeeded', 407],
    ['status 302 of a gateway without a body', 'proxyPage', 302],
    ['status 502 of a gateway without a body', 'proxyPage', 502],
    ['status 503 of a gateway without a body', 'proxyPage', 503],
    ['status 500 of an engine', 'failed', 500, asJson, '{"message":"still starting"}'],
    ['status 403 of an engine', 'failed', 403, { 'api-version': '1.41' }, 'denied by plug-in'],
  ];
  for (const [what, reason, status, headers = {}, body] of answers) {
    it(`rejects with ${reason} if the response is ${what}`, async () => {
      const { engine, connection } = await lab.fake();
      engine.ping((_, response) => {
        response.writeHead(status, headers).end(body);
      });
      const error = await failure(connection.info(), reason);
      assert.equal(error.endpoint, engine.url);
      await failure(connection.send({ method: 'GET', path: '/x' }), reason);
      assert.equal(engine.seen.length, 0);
    });
  }
});
