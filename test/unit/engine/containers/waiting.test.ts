import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import * as verbs from '../../../../src/engine/containers/waitForContainer.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, when, type Lab } from '../../support/lab.ts';
import { pingHeadersOf, RECORDINGS } from '../../support/recordings.ts';

const ID = '0123456789abcdef'.repeat(4);

describe('waitForContainer', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('resolves with the headers and exits with the body, in any number of chunks', async () => {
    let end = (): void => undefined;
    const { connection } = await lab.fake((_, response) => {
      response.writeHead(200).flushHeaders();
      end = () => {
        response.write('{"Status');
        setImmediate(() => response.end('Code":7,"Error":null}\n'));
      };
    });
    const { exit } = await verbs.waitForContainer(connection, ID, 'not-running');
    end();
    assert.deepEqual(await exit, { exitCode: 7 });
  });

  it('returns the error message of the engine', async () => {
    const { connection } = await lab.fake((_, r) => {
      json(r, 200, { StatusCode: 127, Error: { Message: 'no such file' } });
    });
    const { exit } = await verbs.waitForContainer(connection, ID, 'not-running');
    assert.deepEqual(await exit, { exitCode: 127, error: 'no such file' });
  });

  for (const body of ['{}', '{"StatusCode":', '{"StatusCode":"7"}']) {
    it(`rejects with badAnswer, and without an unhandled rejection, if the body is ${body}`, async () => {
      const { connection } = await lab.fake((_, response) => {
        response.end(body);
      });
      const { exit } = await verbs.waitForContainer(connection, ID, 'not-running');
      await new Promise((resolve) => setImmediate(resolve));
      await failure(exit, 'badAnswer');
    });
  }

  it('rejects with cut if the body is empty', async () => {
    const { connection } = await lab.fake((_, response) => {
      response.end();
    });
    const { exit } = await verbs.waitForContainer(connection, ID, 'not-running');
    await failure(exit, 'cut');
  });

  it('notices a run that exited before Podman polled the container', async () => {
    let isOver = false;
    let waits = 0;
    let lost = 0;
    const { engine, connection } = await lab.fake(({ path }, response) => {
      // A lost connection says nothing about the container.
      if (isOver && path.endsWith('/json') && lost++ < 2) response.destroy();
      else if (path.endsWith('/wait')) {
        waits++;
        response.writeHead(200).flushHeaders();
        response.on('close', () => waits--);
      } else answer(response);
    });
    const answer = (response: ServerResponse): void => {
      const never = '0001-01-01T00:00:00Z';
      json(response, 200, {
        Id: ID,
        State: isOver
          ? {
              Status: 'exited',
              ExitCode: 3,
              StartedAt: '2026-08-01T08:00:01.02Z',
              FinishedAt: '2026-08-01T08:00:01Z',
            }
          : { Status: 'created', ExitCode: 0, StartedAt: never, FinishedAt: never },
      });
    };
    engine.ping((_, response) => {
      response.writeHead(200, pingHeadersOf(RECORDINGS.podman5)).end('OK');
    });
    const { exit } = await verbs.waitForContainer(connection, ID, 'next-exit');
    isOver = true;
    assert.deepEqual(await exit, { exitCode: 3 });
    await when(() => waits === 0);
  });

  it('uses only the wait of Podman if the container cannot be inspected', async () => {
    const { engine, connection } = await lab.fake(({ path }, response) => {
      if (path.endsWith('/wait')) json(response, 200, { StatusCode: 7 });
      else json(response, 500, { message: 'no' });
    });
    engine.ping((_, response) => {
      response.writeHead(200, pingHeadersOf(RECORDINGS.podman5)).end('OK');
    });
    const { exit } = await verbs.waitForContainer(connection, ID, 'next-exit');
    assert.deepEqual(await exit, { exitCode: 7 });
  });

  it('closes the other wait if that for a removal is refused', async () => {
    let waits = 0;
    const { engine, connection } = await lab.fake(async ({ path, query }, response) => {
      if (path.endsWith('/json')) json(response, 200, { Id: ID, State: { Status: 'created' } });
      else if (query.get('condition') === 'removed') {
        await when(() => waits > 0);
        json(response, 500, { message: 'no' });
      } else {
        waits++;
        response.writeHead(200).flushHeaders();
        response.on('close', () => waits--);
      }
    });
    engine.ping((_, response) => {
      response.writeHead(200, pingHeadersOf({ ...RECORDINGS.podman5, version: '4.3.1' })).end('OK');
    });
    await failure(verbs.waitForRemoval(connection, ID), 'failed');
    await when(() => waits === 0);
  });
});
