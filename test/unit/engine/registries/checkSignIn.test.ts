import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { RequestRecord } from '../../../../src/engine/http/requestRecord.ts';
import { Secret } from '../../../../src/base/secret.ts';
import { checkSignIn, type SignInCheck } from '../../../../src/engine/registries/checkSignIn.ts';
import { json, startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';

const PASSWORD = 'canary-password';
const TOKEN = 'canary-token';

describe('engine/checkSignIn', () => {
  let engine: FakeEngine;
  let connection: Connection;
  let records: RequestRecord[];

  beforeEach(async () => {
    engine = await startFakeEngine();
    records = [];
    const endpoint = {
      url: engine.url,
      transport: { kind: 'socket', path: engine.socket },
      source: 'setting',
    } as const;
    connection = openConnection(endpoint, { onRequest: (record) => records.push(record) });
  });
  afterEach(async () => {
    connection.dispose();
    await engine.stop();
  });

  const check = (signal?: AbortSignal): Promise<SignInCheck> => {
    const password = new Secret(PASSWORD);
    return checkSignIn(connection, { username: 'alice', password, serveraddress: 'r.io' }, signal);
  };
  const failure = async (): Promise<EngineError> => {
    const error: unknown = await check().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof EngineError, String(error));
    return error;
  };
  const shown = (value: unknown): string =>
    `${JSON.stringify(value)} ${inspect(value, { depth: null, showHidden: true })} ${value instanceof Error ? value.stack : ''}`;

  it('sends the credentials in the body, and returns the token that replaces the password', async () => {
    engine.answer((_, response) => {
      json(response, 200, { Status: 'Login Succeeded', IdentityToken: TOKEN });
    });
    const checked = await check();
    assert.equal(checked.isChecked, true);
    assert.equal(checked.identityToken?.reveal(), TOKEN);
    const [seen] = engine.seen;
    assert.deepEqual([seen?.method, seen?.path], ['POST', '/auth']);
    const expected = { username: 'alice', password: PASSWORD, serveraddress: 'r.io' };
    assert.deepEqual(JSON.parse(seen?.body ?? ''), expected);
    assert.doesNotMatch(shown([checked, records]), /canary/);
  });

  for (const answer of [{}, { IdentityToken: '' }, { IdentityToken: 7 }, [], null]) {
    it(`returns no token for ${JSON.stringify(answer)}`, async () => {
      engine.answer((_, response) => json(response, 200, answer));
      assert.deepEqual(await check(), { isChecked: true });
    });
  }

  const refusals: [status: number, message: string][] = [
    [401, 'who are you'],
    [500, `login attempt to r.io failed with status: 401 Unauthorized (${PASSWORD})`],
    [500, `unauthorized: incorrect username or password ${PASSWORD}`],
    [500, 'Get "https://r.io/v2/": no basic auth credentials'],
  ];
  for (const [status, message] of refusals) {
    it(`fails with unauthorized for status ${status} and "${message.slice(0, 40)}"`, async () => {
      engine.answer((_, response) => json(response, status, { message }));
      const error = await failure();
      assert.equal(error.reason, 'unauthorized');
      assert.doesNotMatch(shown(error), /canary/);
    });
  }

  it('reports the credentials as unchecked if the engine cannot contact the registry', async () => {
    const message =
      'pinging container registry r.io: Get "https://r.io/v2/": http: server gave HTTP response to HTTPS client';
    engine.answer((_, response) => json(response, 500, { message }));
    assert.deepEqual(await check(), { isChecked: false });
  });

  it('keeps no secret of an invalid response, or of a failure that repeats the request', async () => {
    engine.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`"${TOKEN}`);
    });
    const rubbish = await failure();
    assert.equal(rubbish.reason, 'badAnswer');
    assert.doesNotMatch(shown(rubbish), /canary/);
    engine.answer((request, response) => {
      json(response, 500, { message: `no such registry: ${request.body}` });
    });
    const echo = await failure();
    assert.match(echo.message, /no such registry/);
    assert.doesNotMatch(shown(echo), /canary/);
  });

  it("fails with the engine's message, and aborts with its signal", async () => {
    engine.answer((_, response) => {
      json(response, 500, { message: 'dial tcp 127.0.0.1:1: connect: connection refused' });
    });
    const error = await failure();
    assert.deepEqual([error.reason, error.status], ['failed', 500]);
    assert.match(error.message, /connection refused/);
    await assert.rejects(check(AbortSignal.abort()), { name: 'AbortError' });
  });
});
