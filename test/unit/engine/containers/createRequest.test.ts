import assert from 'node:assert/strict';

import { createContainer } from '../../../../src/engine/containers/containers.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

const ID = '0123456789abcdef'.repeat(4);
const PODMAN = 'Libpod/4.3.1 (linux)';
const DOCKER = 'Docker/20.10.24 (linux)';

/** Returns the health check in the body of the create request that is sent to an engine. */
async function healthOn(
  lab: Lab,
  server: string,
  Healthcheck: object,
  image: Answer = (_, response) => json(response, 404, { message: 'no such image' }),
): Promise<unknown> {
  const { engine, connection } = await lab.fake((request, response) => {
    if (request.method === 'GET') return image(request, response);
    json(response, 201, { Id: ID });
  });
  engine.ping((_, response) => {
    response.writeHead(200, { 'api-version': '1.41', server }).end('OK');
  });
  await createContainer(connection, { body: { Image: 'me/app:1', Healthcheck } });
  const sent = JSON.parse(engine.seen.at(-1)?.body ?? '{}') as Record<string, unknown>;
  return sent['Healthcheck'];
}

describe('engine/createRequest', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('rejects a variable without a value if the engine would use its own value', async () => {
    const { engine, connection } = await lab.fake((_, response) => json(response, 201, { Id: ID }));
    engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', server: PODMAN }).end('OK');
    });
    const create = createContainer(connection, { body: { Image: 'x', Env: ['A=1', 'PATH'] } });
    assert.equal((await failure(create, 'badRequest')).message, 'cannot unset PATH');
    assert.deepEqual(engine.seen, []);
  });

  it('leaves a health check unchanged if the engine reads it correctly', async () => {
    const check = { Test: ['CMD', 'sh', '-c', 'echo a b'], Retries: 3 };
    assert.deepEqual(await healthOn(lab, DOCKER, check), check);
  });

  it('joins the words of a health check to one line if the engine would split them again', async () => {
    const sent = (Test: readonly string[]): Promise<unknown> => healthOn(lab, PODMAN, { Test });
    assert.deepEqual(await sent(['CMD', 'sh', '-c', 'echo a b']), {
      Test: ['CMD-SHELL', "sh -c 'echo a b'"],
    });
    assert.deepEqual(await sent(['CMD', '/app', 'check']), { Test: ['CMD', '/app', 'check'] });
    assert.deepEqual(await sent(['CMD-SHELL', 'a  b']), { Test: ['CMD-SHELL', 'a  b'] });
    assert.deepEqual(await sent(['NONE']), { Test: ['NONE'] });
  });

  it('fills in unset fields of a health check from the image if the engine would not', async () => {
    const image: Answer = (_, response) => {
      const Healthcheck = { Test: ['CMD', 'a b', 'c'], Interval: 7, Retries: 2 };
      json(response, 200, { Id: ID, Config: { Healthcheck } });
    };
    assert.deepEqual(await healthOn(lab, PODMAN, { Retries: 9 }, image), {
      Test: ['CMD-SHELL', "'a b' c"],
      Interval: 7,
      Retries: 9,
    });
    assert.deepEqual(await healthOn(lab, PODMAN, { Retries: 9 }), { Retries: 9 });
  });
});
