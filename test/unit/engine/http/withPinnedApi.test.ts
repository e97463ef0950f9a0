import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import { withPinnedApi } from '../../../../src/engine/http/readReply.ts';
import { OUR_API, readPing } from '../../../../src/engine/capabilities/version.ts';
import { json, startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';
import { failure } from '../../support/lab.ts';

const WHERE = 'unix:///x.sock';
const DOCKER = readPing({ 'api-version': '1.47', server: 'Docker/27.3.1 (linux)' }, 'OK', WHERE);
const NEWEST = readPing({ 'api-version': '1.56', server: 'Docker/30.0.0 (linux)' }, 'OK', WHERE);
const PODMAN = readPing({ 'api-version': '1.41', server: 'Libpod/4.3.1 (linux)' }, 'OK', WHERE);

describe('withPinnedApi', () => {
  const spoken: [info: typeof DOCKER, pinned: string | undefined, api: string][] = [
    [DOCKER, undefined, '1.47'],
    [DOCKER, '', '1.47'],
    [DOCKER, '1.41', '1.41'],
    [DOCKER, 'v1.44', '1.44'],
    [DOCKER, ' 1.47 ', '1.47'],
    // Its newer versions may have responses that we do not know.
    [NEWEST, '1.55', OUR_API],
    // Podman accepts every version.
    [PODMAN, '1.45', '1.45'],
  ];
  for (const [info, pinned, api] of spoken) {
    it(`uses ${api} if ${JSON.stringify(pinned)} is pinned and the engine reports ${info.engineApi}`, () => {
      assert.deepEqual(withPinnedApi(info, pinned, WHERE), { ...info, api });
    });
  }

  const refused: [pinned: string, words: string][] = [
    ['1.48', '1.48 > 1.47'],
    ['1.100', '1.100 > 1.47'],
    ['1.40', '1.40 < 1.41'],
    ['1.9', '1.9 < 1.41'],
    ['latest', '"latest"'],
  ];
  for (const [pinned, words] of refused) {
    it(`refuses ${pinned} and names the reason`, () => {
      assert.throws(
        () => withPinnedApi(DOCKER, pinned, WHERE),
        (error) =>
          error instanceof EngineError &&
          error.reason === 'pinRefused' &&
          error.message === words &&
          error.endpoint === WHERE,
      );
    });
  }
});

describe('a connection with a pinned version', () => {
  let engine: FakeEngine;
  let connection: Connection;
  const list = { method: 'GET', path: '/containers/json' } as const;

  beforeEach(async () => {
    engine = await startFakeEngine();
    engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.52', server: 'Docker/29.0.0 (linux)' }).end('OK');
    });
    const endpoint = { ...parseEndpoint(engine.url, 'setting'), pinnedApi: '1.43' };
    connection = openConnection(endpoint);
  });

  afterEach(async () => {
    connection.dispose();
    await engine.stop();
  });

  it('uses that version', async () => {
    engine.answer((_, response) => json(response, 200, []));
    await connection.send(list);
    assert.equal((await connection.info()).api, '1.43');
    assert.deepEqual(
      engine.seen.map((one) => one.version),
      ['1.43'],
    );
  });

  it('rejects with pinRefused and the message of the engine if the version is too old for it', async () => {
    const words = 'client version 1.43 is too old. Minimum supported API version is 1.44';
    engine.answer((_, response) => json(response, 400, { message: words }));
    const error = await failure(connection.send(list), 'pinRefused');
    assert.equal(error.message, words);
    assert.equal(error.endpoint, engine.url);
    assert.equal(engine.seen.length, 2);
  });
});
