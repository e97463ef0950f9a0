import assert from 'node:assert/strict';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import * as operations from '../../../../src/engine/containers/containers.ts';
import * as containerVerbs from '../../../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../../../src/engine/containers/waitForContainer.ts';
import { json, type Answer, type FakeEngine, type SeenRequest } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

const verbs = { ...operations, ...containerVerbs, waitForContainer };

const ID = '0123456789abcdef'.repeat(4);

/** Returns a request as one line: method, path, query. */
function line({ method, path, query }: SeenRequest): string {
  return `${method} ${path}${query.size === 0 ? '' : `?${decodeURIComponent(query.toString())}`}`;
}

const status =
  (code: number): Answer =>
  (_, response) => {
    response.writeHead(code).end();
  };

describe('requests on containers', () => {
  let lab: Lab;
  let engine: FakeEngine;
  let connection: Connection;
  beforeEach(async () => {
    lab = openLab();
    ({ engine, connection } = await lab.fake((request, response) => {
      if (request.path.endsWith('/json')) json(response, 200, { Id: ID, Config: {}, State: {} });
      else if (request.path === '/containers/create') json(response, 201, { Id: ID });
      else if (request.path === '/commit') json(response, 201, { Id: ID });
      else if (request.path.endsWith('/wait')) json(response, 200, { StatusCode: 3 });
      else response.writeHead(204).end();
    }));
  });
  afterEach(() => lab.close());

  const asked: [expected: string, run: (connection: Connection) => Promise<unknown>][] = [
    ['GET /containers/abc/json', (c) => verbs.inspectContainer(c, 'abc')],
    ['POST /containers/abc/start', (c) => verbs.startContainer(c, 'abc')],
    ['POST /containers/abc/stop?t=3', (c) => verbs.stopContainer(c, 'abc', { timeoutSeconds: 3 })],
    [
      'POST /containers/abc/stop?t=-1',
      (c) => verbs.stopContainer(c, 'abc', { timeoutSeconds: -1 }),
    ],
    [
      'POST /containers/abc/restart?t=0',
      (c) => verbs.restartContainer(c, 'abc', { timeoutSeconds: 0 }),
    ],
    ['POST /containers/abc/kill', (c) => verbs.killContainer(c, 'abc')],
    [
      'POST /containers/abc/kill?signal=HUP',
      (c) => verbs.killContainer(c, 'abc', { signal: 'HUP' }),
    ],
    ['POST /containers/abc/pause', (c) => verbs.pauseContainer(c, 'abc')],
    ['POST /containers/abc/unpause', (c) => verbs.unpauseContainer(c, 'abc')],
    ['POST /containers/abc/rename?name=new', (c) => verbs.renameContainer(c, 'abc', 'new')],
    ['DELETE /containers/abc', (c) => verbs.removeContainer(c, 'abc')],
    ['POST /containers/abc/stop', (c) => verbs.stopContainer(c, 'abc')],
    ['POST /containers/abc/restart', (c) => verbs.restartContainer(c, 'abc')],
    [
      'DELETE /containers/abc?force=1&v=1',
      (c) => verbs.removeContainer(c, 'abc', { force: true, volumes: true }),
    ],
    [
      'POST /containers/abc/wait?condition=next-exit',
      (c) => verbs.waitForContainer(c, 'abc', 'next-exit'),
    ],
    [
      'POST /containers/create?name=n&platform=linux/arm64',
      (c) => verbs.createContainer(c, { name: 'n', platform: 'linux/arm64', body: {} }),
    ],
    ['POST /containers/a%2F..%3Fb/start', (c) => verbs.startContainer(c, 'a/..?b')],
  ];
  for (const [expected, run] of asked) {
    it(`sends ${expected}`, async () => {
      await run(connection);
      assert.deepEqual(engine.seen.map(line), [expected]);
      assert.equal(engine.seen[0]?.version, '1.41');
    });
  }

  it('commits with all options, a default tag and an empty body', async () => {
    await verbs.commitContainer(connection, {
      id: 'abc',
      repository: 'r',
      message: 'm & n',
      author: 'a',
      pause: false,
      changes: ['ENV A=1', 'CMD x'],
    });
    const [seen] = engine.seen;
    assert.equal(
      line(seen!),
      'POST /commit?container=abc&repo=r&tag=latest&comment=m+&+n&author=a&pause=0&changes=ENV+A=1&changes=CMD+x',
    );
    assert.equal(seen?.body, '{}');
  });

  it('sends the body of a create request unchanged', async () => {
    await verbs.createContainer(connection, { body: { Image: 'x', Env: ['Ü=1'] } });
    assert.deepEqual(JSON.parse(engine.seen[0]!.body), { Image: 'x', Env: ['Ü=1'] });
  });
});

describe('listContainers', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());
  const empty: Answer = (_, r) => json(r, 200, []);

  it('requests running containers, all containers, or some', async () => {
    const { engine, connection } = await lab.fake(empty);
    await verbs.listContainers(connection, {});
    await verbs.listContainers(connection, { all: true });
    await verbs.listContainers(connection, { all: true, ids: ['a', 'b'] });
    assert.deepEqual(engine.seen.map(line), [
      'GET /containers/json',
      'GET /containers/json?all=1',
      'GET /containers/json?all=1&filters={"id":["a","b"]}',
    ]);
  });

  it('filters for running and paused containers on Podman', async () => {
    const { engine, connection } = await lab.fake(empty);
    engine.ping((_, response) => {
      response
        .setHeader('server', 'Libpod/4.3.1 (linux)')
        .setHeader('api-version', '1.41')
        .end('OK');
    });
    await verbs.listContainers(connection, {});
    assert.deepEqual(engine.seen.map(line), [
      'GET /containers/json?filters={"status":["running","paused"]}',
    ]);
  });

  it('sends no request for an empty list of IDs, because an empty filter would list all', async () => {
    const { engine, connection } = await lab.fake(empty);
    assert.deepEqual(await verbs.listContainers(connection, { all: true, ids: [] }), []);
    assert.equal(engine.seen.length, 0);
  });

  for (const answer of [null, {}, 'text']) {
    it(`rejects with badAnswer if the response is ${JSON.stringify(answer)}`, async () => {
      const { connection } = await lab.fake((_, r) => json(r, 200, answer));
      await failure(verbs.listContainers(connection, {}), 'badAnswer');
    });
  }

  it('skips only elements without an ID', async () => {
    const { connection } = await lab.fake((_, r) => {
      json(r, 200, [null, 7, {}, { Id: '' }, { Id: ID }, { Id: 'b', Names: 1, Ports: 'x' }]);
    });
    const list = await verbs.listContainers(connection, {});
    assert.deepEqual(
      list.map((one) => [one.id, one.name]),
      [
        [ID, ID.slice(0, 12)],
        ['b', 'b'],
      ],
    );
  });
});

describe('container operations', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('report status 304 as already done', async () => {
    const { connection } = await lab.fake(status(304));
    assert.equal((await verbs.startContainer(connection, ID)).outcome, 'alreadyStarted');
    const stop = await verbs.stopContainer(connection, ID, { timeoutSeconds: 1 });
    assert.equal(stop.outcome, 'alreadyStopped');
  });

  const so: [what: string, state: object, run: (c: Connection) => Promise<{ outcome: string }>][] =
    [
      ['alreadyStopped', { Status: 'exited', Running: false }, (c) => verbs.killContainer(c, ID)],
      ['alreadyPaused', { Status: 'paused', Running: true }, (c) => verbs.pauseContainer(c, ID)],
      [
        'alreadyUnpaused',
        { Status: 'running', Running: true },
        (c) => verbs.unpauseContainer(c, ID),
      ],
      ['alreadyNamed', {}, (c) => verbs.renameContainer(c, ID, 'web')],
    ];
  for (const [outcome, State, run] of so) {
    for (const code of [400, 409, 500]) {
      it(`report ${outcome} after status ${code} if the container is in that state, and fail otherwise`, async () => {
        let name = '/web';
        let state = State;
        const { connection } = await lab.fake((request, response) => {
          if (request.method === 'GET') json(response, 200, { Id: ID, Name: name, State: state });
          else json(response, code, { message: 'no' });
        });
        assert.equal((await run(connection)).outcome, outcome);
        name = '/other';
        state = { Status: 'dead', Running: true };
        await assert.rejects(run(connection), { message: 'no' });
      });
    }
  }

  for (const [holder, reason, words] of [
    ['/web', 'conflict', 'The container name "web" is already in use.'],
    ['/other', 'failed', 'UNIQUE constraint failed: ContainerConfig.Name'],
    [undefined, 'failed', 'UNIQUE constraint failed: ContainerConfig.Name'],
  ] as const) {
    it(`reject a rename with ${reason} if inspecting the new name finds ${holder ?? 'no container'}`, async () => {
      const { connection } = await lab.fake((request, response) => {
        if (request.method === 'POST')
          json(response, 500, { message: 'UNIQUE constraint failed: ContainerConfig.Name' });
        else if (!request.path.includes('/web/')) json(response, 200, { Id: ID, Name: '/old' });
        else if (holder === undefined) json(response, 404, { message: 'no such container' });
        else json(response, 200, { Id: 'b'.repeat(64), Name: holder });
      });
      const error = await failure(verbs.renameContainer(connection, ID, 'web'), reason);
      assert.equal(error.engineMessage, words);
    });
  }

  it('fail if the container cannot be inspected', async () => {
    const { connection } = await lab.fake((_, r) => json(r, 500, { message: 'broken' }));
    await failure(verbs.pauseContainer(connection, ID), 'failed');
  });

  it('treat 404 as already removed for a removal only', async () => {
    const { engine, connection } = await lab.fake((_, r) => {
      json(r, 404, { message: 'No such container' });
    });
    assert.equal((await verbs.removeContainer(connection, ID)).outcome, 'alreadyGone');
    await failure(verbs.killContainer(connection, ID), 'notFound');
    assert.equal(engine.seen.length, 2);
  });

  it('return the warnings of a create, or none if they are null or missing', async () => {
    for (const [Warnings, expected] of [
      [
        ['a', 7, 'b'],
        ['a', 'b'],
      ],
      [null, []],
      [undefined, []],
    ]) {
      const { connection } = await lab.fake((_, r) => json(r, 201, { Id: ID, Warnings }));
      assert.deepEqual(await verbs.createContainer(connection, { body: {} }), {
        id: ID,
        warnings: expected,
      });
    }
  });

  it('reject a response without an ID', async () => {
    const { connection } = await lab.fake((_, r) => json(r, 200, { Warnings: [] }));
    const request = { id: ID, repository: 'r', pause: true };
    await failure(verbs.createContainer(connection, { body: {} }), 'badAnswer');
    await failure(verbs.commitContainer(connection, request), 'badAnswer');
    await failure(verbs.inspectContainer(connection, ID), 'badAnswer');
  });

  it('return the normalized image ID of a commit', async () => {
    const { connection } = await lab.fake((_, r) => json(r, 201, { Id: ID }));
    const { imageId } = await verbs.commitContainer(connection, {
      id: 'a',
      repository: 'r',
      pause: true,
    });
    assert.equal(imageId, `sha256:${ID}`);
  });
});

describe('creating a container for a platform', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** @param image the response to the inspect of the image. */
  async function onPodman(image: Answer): ReturnType<Lab['fake']> {
    const at = await lab.fake((request, response) => {
      if (request.method === 'GET') return image(request, response);
      json(response, 201, { Id: ID });
    });
    at.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', server: 'Libpod/4.3.1 (linux)' }).end('OK');
    });
    return at;
  }
  const amd64: Answer = (_, r) => json(r, 200, { Id: ID, Os: 'linux', Architecture: 'amd64' });
  const body = { Image: 'me/app:1' };

  it('is refused if Podman would use an image of another platform', async () => {
    const { engine, connection } = await onPodman(amd64);
    const create = verbs.createContainer(connection, { body, platform: 'linux/arm64' });
    const error = await failure(create, 'notFound');
    assert.equal(error.message, 'me/app:1: linux/amd64, not linux/arm64');
    assert.deepEqual(engine.seen.map(line), ['GET /images/me/app%3A1/json']);
  });

  it('is sent if the image has that platform, or if none is given', async () => {
    const { engine, connection } = await onPodman(amd64);
    await verbs.createContainer(connection, { body, platform: 'linux/x86_64' });
    await verbs.createContainer(connection, { body });
    assert.deepEqual(engine.seen.map(line), [
      'GET /images/me/app%3A1/json',
      'POST /containers/create?platform=linux/x86_64',
      'POST /containers/create',
    ]);
  });

  it('fails like any other create if the image is missing', async () => {
    const { connection } = await onPodman((_, r) => json(r, 404, { message: 'no such image' }));
    await failure(verbs.createContainer(connection, { body, platform: 'linux/arm64' }), 'notFound');
  });
});

describe('removing a container', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /**
   * Returns a connection whose engine refuses the removal; the container has this state, and a wait has this
   * result.
   */
  async function refusing(
    code: number,
    state: string | undefined,
    end: object,
  ): Promise<Connection> {
    const { connection } = await lab.fake((request, response) => {
      if (request.method === 'DELETE') json(response, code, { message: 'in progress' });
      else if (request.method === 'POST') json(response, 200, end);
      else if (state === undefined) json(response, 404, { message: 'No such container' });
      else json(response, 200, { Id: ID, State: { Status: state } });
    });
    return connection;
  }

  for (const code of [409, 500]) {
    it(`waits for a removal by another client that is in progress, after status ${code}`, async () => {
      const connection = await refusing(code, 'removing', { StatusCode: 0 });
      assert.equal((await verbs.removeContainer(connection, ID)).outcome, 'alreadyGone');
    });

    it(`does not fail if another client has removed the container, after status ${code}`, async () => {
      const connection = await refusing(code, undefined, {});
      assert.equal((await verbs.removeContainer(connection, ID)).outcome, 'alreadyGone');
    });

    it(`rejects with the message of the engine if the container stays, after status ${code}`, async () => {
      for (const [state, end] of [
        ['running', {}],
        ['removing', { StatusCode: 0, Error: { Message: 'device busy' } }],
      ] as const) {
        const connection = await refusing(code, state, end);
        await assert.rejects(verbs.removeContainer(connection, ID), { message: 'in progress' });
      }
    });
  }

  it('waits on for the removal by another client if only the connection ends', async () => {
    let waits = 0;
    const { connection } = await lab.fake((request, response) => {
      if (request.method === 'DELETE') json(response, 409, { message: 'in progress' });
      else if (request.method === 'GET')
        json(response, 200, { Id: ID, State: { Status: 'removing' } });
      else if (waits++ > 0) json(response, 404, { message: 'No such container' });
      else response.writeHead(200).write('{', () => response.destroy());
    });
    assert.equal((await verbs.removeContainer(connection, ID)).outcome, 'alreadyGone');
    assert.equal(waits, 2);
  });

  it('rejects with the error of the inspect if the inspect fails', async () => {
    const { connection } = await lab.fake((request, response) => {
      json(response, request.method === 'DELETE' ? 409 : 500, { message: request.method });
    });
    await assert.rejects(verbs.removeContainer(connection, ID), { message: 'GET' });
  });
});

describe('stopping or restarting a paused container', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  for (const code of [400, 409, 500]) {
    it(`unpauses it first if the engine refuses with status ${code}`, async () => {
      let state = 'paused';
      const { engine, connection } = await lab.fake((request, response) => {
        if (request.method === 'GET') json(response, 200, { Id: ID, State: { Status: state } });
        else if (request.path.endsWith('/unpause')) {
          state = 'running';
          response.writeHead(204).end();
        } else if (state === 'paused') json(response, code, { message: 'is paused' });
        else response.writeHead(204).end();
      });
      const options = { timeoutSeconds: 1 };
      assert.equal((await verbs.stopContainer(connection, ID, options)).outcome, 'stopped');
      state = 'paused';
      assert.equal((await verbs.restartContainer(connection, ID, options)).outcome, 'restarted');
      assert.deepEqual(
        engine.seen.map((one) => one.path.split('/').at(-1)),
        ['stop', 'json', 'unpause', 'stop', 'restart', 'json', 'unpause', 'restart'],
      );
    });
  }
});

describe('an unlimited stop timeout', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  for (const [server, t] of [
    ['Docker/28.5.2 (linux)', '-1'],
    ['Libpod/4.3.1 (linux)', '2147483647'],
  ] as const) {
    it(`is sent as ${t} to ${server}`, async () => {
      const { engine, connection } = await lab.fake(status(204));
      engine.ping((_, response) => {
        response.writeHead(200, { 'api-version': '1.41', server }).end('OK');
      });
      await verbs.stopContainer(connection, ID, { timeoutSeconds: -1 });
      await verbs.restartContainer(connection, ID, { timeoutSeconds: -1 });
      await verbs.stopContainer(connection, ID, { timeoutSeconds: 0 });
      assert.deepEqual(
        engine.seen.map(({ query }) => query.get('t')),
        [t, t, '0'],
      );
    });
  }
});

describe('inspecting a container whose process just ended', () => {
  const refusal = 'read /proc/4711/cgroup: no such process';
  let lab: Lab;
  let engine: FakeEngine;
  let connection: Connection;

  /** Lets the engine refuse each inspect with these messages in turn, and then respond. */
  const prepare = async (server: string, ...refusals: readonly string[]): Promise<void> => {
    const left = [...refusals];
    ({ engine, connection } = await lab.fake((_, response) => {
      const message = left.shift();
      if (message === undefined) json(response, 200, { Id: ID });
      else json(response, 500, { cause: 'no such process', message, response: 500 });
    }));
    engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', server }).end('OK');
    });
  };

  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('is repeated for a Podman that reads the file of the process', async () => {
    await prepare('Libpod/4.3.1 (linux)', refusal);
    assert.equal((await verbs.inspectContainer(connection, ID)).id, ID);
    assert.equal(engine.seen.length, 2);
  });

  it('is repeated only once', async () => {
    await prepare('Libpod/4.3.1 (linux)', refusal, refusal, refusal);
    const error = await failure(verbs.inspectContainer(connection, ID), 'failed');
    assert.deepEqual([error.engineMessage, engine.seen.length], [refusal, 2]);
  });

  for (const [server, message] of [
    ['Libpod/4.3.1 (linux)', 'no space left on device'],
    ['Libpod/5.8.6 (linux)', refusal],
    ['Docker/28.5.2 (linux)', refusal],
  ] as const) {
    it(`is not repeated for ${server} and "${message}"`, async () => {
      await prepare(server, message);
      await failure(verbs.inspectContainer(connection, ID), 'failed');
      assert.equal(engine.seen.length, 1);
    });
  }
});
