import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Engine } from '../../../src/engine/engine.ts';
import { discoverEndpoints } from '../../../src/engine/discovery/discoverEndpoints.ts';
import { readEngineConfig } from '../../../src/engine/discovery/engineConfig.ts';
import type { DiscoveryResult } from '../../../src/engine/discovery/endpointCandidate.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import type { RequestRecord } from '../../../src/engine/http/requestRecord.ts';
import type { OpenTunnel } from '../../../src/engine/http/tunnel.ts';
import { startFakeEngine, type FakeEngine } from '../support/fakeEngine.ts';
import { failure, when } from '../support/lab.ts';
import { startRawEngine } from '../support/rawEngine.ts';

// Two well-known sockets below the home folder, in the order of the search. Those before them in the list belong
// to the system, so these tests cannot run on a machine with its own engine.
const FIRST = '.docker/run/docker.sock';
const SECOND = '.colima/default/docker.sock';

/** A machine whose only engines are those added by a test. */
class FakeMachine {
  readonly home = mkdtempSync(join(tmpdir(), 'gantry-home-'));
  readonly records: RequestRecord[] = [];
  readonly env: Record<string, string | undefined> = {};
  setting = '';
  now = 0;
  readonly engine: Engine;
  readonly #fakes: FakeEngine[] = [];

  constructor() {
    this.engine = new Engine({
      discover: async () => {
        const machine = { platform: 'linux', home: this.home, env: this.env } as const;
        return discoverEndpoints(this.setting, await readEngineConfig(machine));
      },
      now: () => this.now,
      onRequest: (record) => this.records.push(record),
    });
  }

  /** Adds a fake engine, reachable at a path below the home folder if one is given. */
  async put(place?: string): Promise<FakeEngine> {
    const fake = await startFakeEngine();
    this.#fakes.push(fake);
    if (place !== undefined) symlinkSync(fake.socket, this.at(place));
    return fake;
  }

  at(place: string): string {
    const path = join(this.home, place);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  }

  async leave(): Promise<void> {
    this.engine.dispose();
    await Promise.all(this.#fakes.map((fake) => fake.stop()));
    rmSync(this.home, { recursive: true });
  }
}

const list = { method: 'GET', path: '/containers/json' } as const;

describe('a selected address', () => {
  let machine: FakeMachine;
  beforeEach(() => (machine = new FakeMachine()));
  afterEach(() => machine.leave());

  it('is used alone, and the setting precedes DOCKER_HOST and all well-known sockets', async () => {
    const chosen = await machine.put();
    const others = [await machine.put(FIRST), await machine.put()];
    machine.setting = chosen.url;
    machine.env['DOCKER_HOST'] = others[1]?.url;
    const { endpoint } = await machine.engine.connect();
    assert.deepEqual([endpoint.url, endpoint.source], [chosen.url, 'setting']);
    assert.deepEqual(
      others.map((one) => one.pings()),
      [0, 0],
    );
  });

  it('is used alone even if it does not respond', async () => {
    const other = await machine.put(FIRST);
    machine.setting = '/nowhere/engine.sock';
    const error = await failure(machine.engine.connect(), 'socketAbsent');
    assert.equal(error.endpoint, 'unix:///nowhere/engine.sock');
    machine.setting = '';
    machine.env['DOCKER_HOST'] = 'unix:///nowhere/else.sock';
    machine.engine.reset();
    assert.equal(
      (await failure(machine.engine.connect(), 'socketAbsent')).endpoint,
      'unix:///nowhere/else.sock',
    );
    assert.equal(other.pings(), 0);
    assert.deepEqual(
      machine.engine.attempts.map((one) => one.candidate.endpoint?.url),
      ['unix:///nowhere/else.sock'],
    );
  });

  it('is rejected if it is invalid, and no other address is tried', async () => {
    machine.setting = '/nowhere/engine.sock';
    await failure(machine.engine.connect(), 'socketAbsent');
    machine.setting = 'docker.sock';
    machine.engine.reset();
    await failure(machine.engine.connect(), 'badEndpoint');
    assert.deepEqual(
      machine.engine.attempts.map(({ error }) => error.reason),
      ['badEndpoint'],
    );
    assert.equal(machine.engine.endpoint, undefined);
  });
});

describe('the search of well-known sockets', () => {
  let machine: FakeMachine;
  beforeEach(() => (machine = new FakeMachine()));
  afterEach(() => machine.leave());

  it('uses the first that responds and records the failed attempts', async () => {
    const second = await machine.put(SECOND);
    writeFileSync(machine.at(FIRST), 'no socket');
    const { endpoint } = await machine.engine.connect();
    assert.equal(endpoint.url, `unix://${machine.at(SECOND)}`);
    assert.equal(machine.engine.endpoint, endpoint);
    assert.equal(second.pings(), 1);
    const inVain = machine.engine.attempts.map((one) => [
      one.candidate.endpoint?.url,
      one.error.reason,
    ]);
    assert.deepEqual(
      inVain.find(([url]) => url === `unix://${machine.at(FIRST)}`),
      [`unix://${machine.at(FIRST)}`, 'notASocket'],
    );
  });

  it('skips a server that is not an engine', async () => {
    const first = await machine.put(FIRST);
    first.ping((_, response) => {
      response.writeHead(200).end('<html></html>');
    });
    await machine.put(SECOND);
    assert.equal((await machine.engine.connect()).endpoint.url, `unix://${machine.at(SECOND)}`);
  });

  it('fails with the most informative error, not with an absent socket', async () => {
    writeFileSync(machine.at(SECOND), 'no socket');
    const error = await failure(machine.engine.connect(), 'notASocket');
    assert.equal(error.endpoint, `unix://${machine.at(SECOND)}`);
    assert(machine.engine.attempts.length > 2);
  });

  it('fails with an absent socket if there are no sockets', async () => {
    const error = await failure(machine.engine.connect(), 'socketAbsent');
    assert.equal(error.endpoint, 'unix:///var/run/docker.sock');
  });

  it('runs once for concurrent callers and not again for later ones', async () => {
    const fake = await machine.put(FIRST);
    const [a, b] = await Promise.all([machine.engine.connect(), machine.engine.connect()]);
    assert.equal(a, b);
    assert.equal(await machine.engine.connect(), a);
    assert.equal(fake.pings(), 1);
  });

  it('finds an engine that starts after a failed search', async () => {
    await failure(machine.engine.connect(), 'socketAbsent');
    const fake = await machine.put(FIRST);
    await machine.engine.connect();
    assert.equal(fake.pings(), 1);
  });
});

describe('a connected engine', () => {
  let machine: FakeMachine;
  beforeEach(() => (machine = new FakeMachine()));
  afterEach(() => machine.leave());

  it('is checked again after a failed request, and kept if it is back', async () => {
    const fake = await machine.put(FIRST);
    const connection = await machine.engine.connect();
    fake.answer((_, response) => {
      response.destroy();
    });
    await failure(connection.send({ method: 'POST', path: '/x' }), 'cut');
    assert.equal(await machine.engine.connect(), connection);
    assert.equal(fake.pings(), 2);
    assert.equal(await machine.engine.connect(), connection);
    assert.equal(fake.pings(), 2);
  });

  it('is not checked again after an error status or a cancellation', async () => {
    const fake = await machine.put(FIRST);
    const connection = await machine.engine.connect();
    await failure(connection.send(list), 'notFound');
    fake.answer(() => undefined);
    const controller = new AbortController();
    const asked = connection.send({ ...list, signal: controller.signal });
    await when(() => fake.seen.length === 2);
    controller.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    await machine.engine.connect();
    assert.equal(fake.pings(), 1);
  });

  it('is not checked again after a timeout set by the caller or an unreadable upload', async () => {
    const fake = await machine.put(FIRST);
    fake.answer(() => undefined);
    const connection = await machine.engine.connect();
    const post = { method: 'POST', path: '/x' } as const;
    await failure(connection.send({ ...post, limitMs: 1 }), 'timeout');
    const upload = {
      type: 'application/x-tar',
      open: () => {
        throw new Error('not readable');
      },
    };
    await assert.rejects(connection.send({ ...post, upload }), { message: 'not readable' });
    await machine.engine.connect();
    assert.equal(fake.pings(), 1);
  });

  it('fails its pending requests once it has been unreachable for 30 s', async () => {
    const fake = await machine.put();
    machine.setting = fake.url;
    fake.answer((request, response) => {
      if (request.path === '/gone') response.destroy();
    });
    const connection = await machine.engine.connect();
    let ended = false;
    const starting = failure(connection.send({ method: 'POST', path: '/x', limitMs: 0 }), 'cut');
    void starting.then(() => (ended = true));
    await when(() => fake.seen.length === 1);
    fake.ping((_, response) => {
      response.destroy();
    });
    await failure(machine.engine.check(), 'cut');
    machine.now = 29_000;
    await failure(machine.engine.check(), 'cut');
    assert.equal(ended, false);
    machine.now = 30_000;
    await failure(machine.engine.check(), 'cut');
    await starting;
  });

  it('keeps its pending requests if it has recently responded to another one', async () => {
    const fake = await machine.put();
    machine.setting = fake.url;
    const { promise: end, resolve: allow } = Promise.withResolvers<undefined>();
    fake.answer(async (request, response) => {
      if (request.path === '/long') await end;
      response.end('{}');
    });
    const connection = await machine.engine.connect();
    const long = connection.send({ method: 'POST', path: '/long', limitMs: 0 });
    await when(() => fake.seen.length === 1);
    const vanish = async (): Promise<void> => {
      fake.ping((_, response) => {
        response.destroy();
      });
      await failure(machine.engine.check(), 'cut');
    };
    await vanish();
    machine.now = 25_000;
    fake.ping((_, response) => {
      response.setHeader('api-version', '1.41').end('OK');
    });
    await connection.send(list);
    machine.now = 31_000;
    await vanish();
    allow(undefined);
    await long;
  });

  it('is replaced by another one if it stays unreachable', async () => {
    const first = await machine.put(FIRST);
    await machine.put(SECOND);
    const gone = await machine.engine.connect();
    await first.stop();
    await failure(gone.send(list), 'socketAbsent');
    await failure(machine.engine.connect(), 'socketAbsent');
    machine.now += 20_000;
    let changes = 0;
    machine.engine.onDidChangeEndpoint(() => changes++);
    const connection = await machine.engine.connect();
    assert.equal(changes, 1);
    assert.equal(connection.endpoint.url, `unix://${machine.at(SECOND)}`);
    await failure(gone.send(list), 'cut');
    assert.equal(await machine.engine.connect(), connection);
  });

  it('is waited for while it restarts, even if another one would respond', async () => {
    const first = await machine.put(FIRST);
    await machine.put(SECOND);
    const connection = await machine.engine.connect();
    await first.stop();
    for (let second = 0; second < 19; second++) {
      await failure(machine.engine.check(), 'socketAbsent');
      machine.now += 1000;
    }
    rmSync(machine.at(FIRST));
    const again = await machine.put(FIRST);
    assert.equal(await machine.engine.check(), connection);
    assert.equal(again.pings(), 1);
  });

  it('is asked for its version again by check', async () => {
    const fake = await machine.put(FIRST);
    const connection = await machine.engine.connect();
    fake.ping((_, response) => {
      response.setHeader('api-version', '1.44').end('OK');
    });
    assert.equal(await machine.engine.check(), connection);
    assert.equal((await connection.info()).api, '1.44');
  });
});

describe('changing the setting', () => {
  let machine: FakeMachine;
  beforeEach(() => (machine = new FakeMachine()));
  afterEach(() => machine.leave());

  it('takes effect at the next request and fires onDidChangeEndpoint', async () => {
    const before = await machine.put();
    const after = await machine.put();
    machine.setting = before.url;
    const old = await machine.engine.connect();
    let heard = 0;
    machine.engine.onDidChangeEndpoint(() => heard++);
    machine.setting = after.url;
    machine.engine.reset();
    assert.deepEqual([heard, machine.engine.endpoint], [1, undefined]);
    assert.equal((await machine.engine.connect()).endpoint.url, after.url);
    await failure(old.send(list), 'cut');
  });

  it('ends a running search and connects its callers to the new engine', async () => {
    const silent = await machine.put();
    const after = await machine.put();
    silent.ping(() => undefined);
    machine.setting = silent.url;
    const waiting = [machine.engine.connect(), machine.engine.check()];
    await when(() => silent.pings() === 1);
    machine.setting = after.url;
    machine.engine.reset();
    const next = await machine.engine.connect();
    assert.equal(next.endpoint.url, after.url);
    assert.deepEqual(await Promise.all(waiting), [next, next]);
    assert.equal(after.pings(), 1);
    await failure(next.send(list), 'notFound');
  });

  it('does not doubt the new engine because of failed requests to the old one', async () => {
    const before = await machine.put();
    const after = await machine.put();
    before.answer(() => undefined);
    machine.setting = before.url;
    const old = await machine.engine.connect();
    const asked = old.send(list);
    await when(() => before.seen.length === 1);
    machine.setting = after.url;
    machine.engine.reset();
    const [next] = await Promise.all([machine.engine.connect(), failure(asked, 'cut')]);
    await failure(old.send(list), 'cut');
    assert.equal(await machine.engine.connect(), next);
    assert.equal(after.pings(), 1);
  });
});

describe('ending', () => {
  it('a single wait does not end the search', async () => {
    const machine = new FakeMachine();
    const fake = await machine.put(FIRST);
    let answer = (): void => undefined;
    fake.ping((_, response) => {
      answer = () => response.setHeader('api-version', '1.41').end('OK');
    });
    const controller = new AbortController();
    const left = machine.engine.connect(controller.signal);
    const kept = machine.engine.connect();
    await when(() => fake.pings() === 1);
    controller.abort();
    await assert.rejects(left, { name: 'AbortError' });
    await assert.rejects(machine.engine.connect(AbortSignal.abort()), { name: 'AbortError' });
    answer();
    assert.equal(await machine.engine.connect(), await kept);
    await machine.leave();
  });

  it('the window ends the search and leaves no connection open', async () => {
    const machine = new FakeMachine();
    const raw = await startRawEngine(
      () => undefined,
      () => undefined,
    );
    machine.setting = raw.url;
    const asked = machine.engine.connect();
    await when(() => raw.open() === 1);
    machine.engine.dispose();
    await assert.rejects(asked, { name: 'AbortError' });
    await when(() => raw.open() === 0);
    await assert.rejects(machine.engine.connect(), { name: 'AbortError' });
    await raw.stop();
    await machine.leave();
  });
});

describe('an SSH engine that was never reached', () => {
  let events: string[];
  let host: string;
  let open: () => Promise<string>;
  let engine: Engine;

  beforeEach(() => {
    events = [];
    host = 'nas';
    open = () => Promise.reject(new EngineError('sshRefused'));
    const openTunnel: OpenTunnel = (_, url) => {
      events.push(`open ${url}`);
      return {
        open: () => open(),
        enter: async () => ({ path: await open(), leave: () => undefined }),
        isNarrow: false,
        retry: () => events.push('retry'),
        dispose: () => events.push(`dispose ${url}`),
      };
    };
    const discover = (): Promise<DiscoveryResult> => {
      const transport = { kind: 'ssh', host } as const;
      const endpoint = { url: `ssh://${host}`, transport, source: 'setting' } as const;
      const candidate = {
        name: host,
        found: { kind: 'setting' },
        endpoint,
        error: undefined,
      } as const;
      return Promise.resolve({ candidates: [candidate], isChosen: true, steps: [] });
    };
    engine = new Engine({ discover, openTunnel });
  });

  afterEach(() => engine.dispose());

  it('keeps its tunnel, which knows the login or the refusal, until it is reset', async () => {
    await failure(engine.check(), 'sshRefused');
    await failure(engine.check(), 'sshRefused');
    engine.retry();
    await failure(engine.check(), 'sshRefused');
    assert.deepEqual(events, ['open ssh://nas', 'retry']);
    engine.reset();
    await failure(engine.check(), 'sshRefused');
    assert.deepEqual(events.slice(2), ['dispose ssh://nas', 'open ssh://nas']);
  });

  it('gives up its tunnel for that of another address, and at the end', async () => {
    await failure(engine.check(), 'sshRefused');
    host = 'pi';
    await failure(engine.check(), 'sshRefused');
    engine.dispose();
    const first = ['open ssh://nas', 'open ssh://pi', 'dispose ssh://nas'];
    assert.deepEqual(events, [...first, 'dispose ssh://pi']);
  });

  it('uses the same tunnel when it responds', async () => {
    const fake = await startFakeEngine();
    await failure(engine.check(), 'sshRefused');
    open = () => Promise.resolve(fake.socket);
    assert.equal(await engine.check(), await engine.connect());
    assert.deepEqual(events, ['open ssh://nas']);
    engine.dispose();
    assert.deepEqual(events, ['open ssh://nas', 'dispose ssh://nas']);
    await fake.stop();
  });
});

describe('reconsider', () => {
  let machine: FakeMachine;
  beforeEach(() => (machine = new FakeMachine()));
  afterEach(() => machine.leave());

  it('switches if the discovery leads elsewhere, and only then', async () => {
    const before = await machine.put();
    const after = await machine.put();
    machine.env['DOCKER_HOST'] = before.url;
    await machine.engine.connect();
    let moves = 0;
    machine.engine.onDidChangeEndpoint(() => moves++);
    await machine.engine.reconsider();
    assert.equal(moves, 0);
    machine.env['DOCKER_HOST'] = after.url;
    await machine.engine.reconsider();
    assert.equal(moves, 1);
    assert.equal((await machine.engine.connect()).endpoint.url, after.url);
    assert.deepEqual([before.pings(), after.pings()], [1, 1]);
  });

  it('keeps the well-known socket in use as long as none is selected', async () => {
    await machine.put(SECOND);
    const connection = await machine.engine.connect();
    await machine.put(FIRST);
    await machine.engine.reconsider();
    assert.equal(await machine.engine.connect(), connection);
  });

  it('sends nothing before the first search', async () => {
    const fake = await machine.put(FIRST);
    await machine.engine.reconsider();
    assert.equal(fake.pings(), 0);
  });
});

describe('disconnecting', () => {
  it('ends the search and rejects its callers, until connections are allowed again', async () => {
    const machine = new FakeMachine();
    const fake = await machine.put(FIRST);
    let answer = (): void => undefined;
    fake.ping((_, response) => {
      answer = () => response.setHeader('api-version', '1.41').end('OK');
    });
    const waiting = machine.engine.connect();
    await when(() => fake.pings() === 1);
    machine.engine.disconnect();
    await failure(waiting, 'disconnected');
    await failure(machine.engine.connect(), 'disconnected');
    assert.equal(fake.pings(), 1);
    machine.engine.allow();
    const again = machine.engine.connect();
    await when(() => fake.pings() === 2);
    answer();
    assert.equal((await again).endpoint.url, `unix://${machine.at(FIRST)}`);
    await machine.leave();
  });

  it('rejects pending requests with disconnected', async () => {
    const machine = new FakeMachine();
    const fake = await machine.put(FIRST);
    fake.answer(() => undefined);
    const connection = await machine.engine.connect();
    const asked = connection.send(list);
    await when(() => fake.seen.length === 1);
    machine.engine.disconnect();
    await failure(asked, 'disconnected');
    await machine.leave();
  });
});
