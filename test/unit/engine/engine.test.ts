import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Engine } from '../../../src/engine/engine.ts';
import { discoverEndpoints } from '../../../src/engine/discovery/discoverEndpoints.ts';
import type { RequestRecord } from '../../../src/engine/http/requestRecord.ts';
import { startFakeEngine, type FakeEngine } from '../support/fakeEngine.ts';
import { failure, when } from '../support/lab.ts';
import { startRawEngine } from '../support/rawEngine.ts';

// Two well-known sockets below the home folder, in the order of the search. Those before them in the list belong
// to the system, so these tests cannot run on a machine with its own engine.
const FIRST = '.docker/run/docker.sock';
const SECOND = '.colima/default/docker.sock';

/** A machine whose only engines are those added by a test. */
class House {
  readonly home = mkdtempSync(join(tmpdir(), 'gantry-home-'));
  readonly records: RequestRecord[] = [];
  readonly env: Record<string, string | undefined> = {};
  setting = '';
  now = 0;
  readonly engine: Engine;
  readonly #fakes: FakeEngine[] = [];

  constructor() {
    this.engine = new Engine({
      discover: () =>
        discoverEndpoints(this.setting, { platform: 'linux', home: this.home, env: this.env }),
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
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('is used alone, and the setting precedes DOCKER_HOST and all well-known sockets', async () => {
    const chosen = await house.put();
    const others = [await house.put(FIRST), await house.put()];
    house.setting = chosen.url;
    house.env['DOCKER_HOST'] = others[1]?.url;
    const { endpoint } = await house.engine.connect();
    assert.deepEqual([endpoint.url, endpoint.source], [chosen.url, 'setting']);
    assert.deepEqual(
      others.map((one) => one.pings()),
      [0, 0],
    );
  });

  it('is used alone even if it does not respond', async () => {
    const other = await house.put(FIRST);
    house.setting = '/nowhere/engine.sock';
    const error = await failure(house.engine.connect(), 'socketAbsent');
    assert.equal(error.endpoint, 'unix:///nowhere/engine.sock');
    house.setting = '';
    house.env['DOCKER_HOST'] = 'unix:///nowhere/else.sock';
    house.engine.reset();
    assert.equal(
      (await failure(house.engine.connect(), 'socketAbsent')).endpoint,
      'unix:///nowhere/else.sock',
    );
    assert.equal(other.pings(), 0);
    assert.deepEqual(
      house.engine.attempts.map((one) => one.candidate.endpoint?.url),
      ['unix:///nowhere/else.sock'],
    );
  });

  it('is rejected if it is invalid, and no other address is tried', async () => {
    house.setting = '/nowhere/engine.sock';
    await failure(house.engine.connect(), 'socketAbsent');
    house.setting = 'docker.sock';
    house.engine.reset();
    await failure(house.engine.connect(), 'badEndpoint');
    assert.deepEqual(
      house.engine.attempts.map(({ error }) => error.reason),
      ['badEndpoint'],
    );
    assert.equal(house.engine.endpoint, undefined);
  });
});

describe('the search of well-known sockets', () => {
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('uses the first that responds and records the failed attempts', async () => {
    const second = await house.put(SECOND);
    writeFileSync(house.at(FIRST), 'no socket');
    const { endpoint } = await house.engine.connect();
    assert.equal(endpoint.url, `unix://${house.at(SECOND)}`);
    assert.equal(house.engine.endpoint, endpoint);
    assert.equal(second.pings(), 1);
    const inVain = house.engine.attempts.map((one) => [
      one.candidate.endpoint?.url,
      one.error.reason,
    ]);
    assert.deepEqual(
      inVain.find(([url]) => url === `unix://${house.at(FIRST)}`),
      [`unix://${house.at(FIRST)}`, 'notASocket'],
    );
  });

  it('skips a server that is not an engine', async () => {
    const first = await house.put(FIRST);
    first.ping((_, response) => {
      response.writeHead(200).end('<html></html>');
    });
    await house.put(SECOND);
    assert.equal((await house.engine.connect()).endpoint.url, `unix://${house.at(SECOND)}`);
  });

  it('fails with the most informative error, not with an absent socket', async () => {
    writeFileSync(house.at(SECOND), 'no socket');
    const error = await failure(house.engine.connect(), 'notASocket');
    assert.equal(error.endpoint, `unix://${house.at(SECOND)}`);
    assert(house.engine.attempts.length > 2);
  });

  it('fails with an absent socket if there are no sockets', async () => {
    const error = await failure(house.engine.connect(), 'socketAbsent');
    assert.equal(error.endpoint, 'unix:///var/run/docker.sock');
  });

  it('runs once for concurrent callers and not again for later ones', async () => {
    const fake = await house.put(FIRST);
    const [a, b] = await Promise.all([house.engine.connect(), house.engine.connect()]);
    assert.equal(a, b);
    assert.equal(await house.engine.connect(), a);
    assert.equal(fake.pings(), 1);
  });

  it('finds an engine that starts after a failed search', async () => {
    await failure(house.engine.connect(), 'socketAbsent');
    const fake = await house.put(FIRST);
    await house.engine.connect();
    assert.equal(fake.pings(), 1);
  });
});

describe('a connected engine', () => {
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('is checked again after a failed request, and kept if it is back', async () => {
    const fake = await house.put(FIRST);
    const connection = await house.engine.connect();
    fake.answer((_, response) => {
      response.destroy();
    });
    await failure(connection.send({ method: 'POST', path: '/x' }), 'cut');
    assert.equal(await house.engine.connect(), connection);
    assert.equal(fake.pings(), 2);
    assert.equal(await house.engine.connect(), connection);
    assert.equal(fake.pings(), 2);
  });

  it('is not checked again after an error status or a cancellation', async () => {
    const fake = await house.put(FIRST);
    const connection = await house.engine.connect();
    await failure(connection.send(list), 'notFound');
    fake.answer(() => undefined);
    const controller = new AbortController();
    const asked = connection.send({ ...list, signal: controller.signal });
    await when(() => fake.seen.length === 2);
    controller.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    await house.engine.connect();
    assert.equal(fake.pings(), 1);
  });

  it('is not checked again after a timeout set by the caller or an unreadable upload', async () => {
    const fake = await house.put(FIRST);
    fake.answer(() => undefined);
    const connection = await house.engine.connect();
    const post = { method: 'POST', path: '/x' } as const;
    await failure(connection.send({ ...post, limitMs: 1 }), 'timeout');
    const upload = {
      type: 'application/x-tar',
      open: () => {
        throw new Error('not readable');
      },
    };
    await assert.rejects(connection.send({ ...post, upload }), { message: 'not readable' });
    await house.engine.connect();
    assert.equal(fake.pings(), 1);
  });

  it('fails its pending requests once it has been unreachable for 30 s', async () => {
    const fake = await house.put();
    house.setting = fake.url;
    fake.answer((request, response) => {
      if (request.path === '/gone') response.destroy();
    });
    const connection = await house.engine.connect();
    let ended = false;
    const starting = failure(connection.send({ method: 'POST', path: '/x', limitMs: 0 }), 'cut');
    void starting.then(() => (ended = true));
    await when(() => fake.seen.length === 1);
    fake.ping((_, response) => {
      response.destroy();
    });
    await failure(house.engine.check(), 'cut');
    house.now = 29_000;
    await failure(house.engine.check(), 'cut');
    assert.equal(ended, false);
    house.now = 30_000;
    await failure(house.engine.check(), 'cut');
    await starting;
  });

  it('keeps its pending requests if it has recently responded to another one', async () => {
    const fake = await house.put();
    house.setting = fake.url;
    const { promise: end, resolve: allow } = Promise.withResolvers<undefined>();
    fake.answer(async (request, response) => {
      if (request.path === '/long') await end;
      response.end('{}');
    });
    const connection = await house.engine.connect();
    const long = connection.send({ method: 'POST', path: '/long', limitMs: 0 });
    await when(() => fake.seen.length === 1);
    const vanish = async (): Promise<void> => {
      fake.ping((_, response) => {
        response.destroy();
      });
      await failure(house.engine.check(), 'cut');
    };
    await vanish();
    house.now = 25_000;
    fake.ping((_, response) => {
      response.setHeader('api-version', '1.41').end('OK');
    });
    await connection.send(list);
    house.now = 31_000;
    await vanish();
    allow(undefined);
    await long;
  });

  it('is replaced by another one if it stays unreachable', async () => {
    const first = await house.put(FIRST);
    await house.put(SECOND);
    const gone = await house.engine.connect();
    await first.stop();
    await failure(gone.send(list), 'socketAbsent');
    await failure(house.engine.connect(), 'socketAbsent');
    house.now += 20_000;
    let changes = 0;
    house.engine.onDidChangeEndpoint(() => changes++);
    const connection = await house.engine.connect();
    assert.equal(changes, 1);
    assert.equal(connection.endpoint.url, `unix://${house.at(SECOND)}`);
    await failure(gone.send(list), 'cut');
    assert.equal(await house.engine.connect(), connection);
  });

  it('is waited for while it restarts, even if another one would respond', async () => {
    const first = await house.put(FIRST);
    await house.put(SECOND);
    const connection = await house.engine.connect();
    await first.stop();
    for (let second = 0; second < 19; second++) {
      await failure(house.engine.check(), 'socketAbsent');
      house.now += 1000;
    }
    rmSync(house.at(FIRST));
    const again = await house.put(FIRST);
    assert.equal(await house.engine.check(), connection);
    assert.equal(again.pings(), 1);
  });

  it('is asked for its version again by check', async () => {
    const fake = await house.put(FIRST);
    const connection = await house.engine.connect();
    fake.ping((_, response) => {
      response.setHeader('api-version', '1.44').end('OK');
    });
    assert.equal(await house.engine.check(), connection);
    assert.equal((await connection.info()).api, '1.44');
  });
});

describe('changing the setting', () => {
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('takes effect at the next request and fires onDidChangeEndpoint', async () => {
    const [before, after] = [await house.put(), await house.put()];
    house.setting = before.url;
    const old = await house.engine.connect();
    let heard = 0;
    house.engine.onDidChangeEndpoint(() => heard++);
    house.setting = after.url;
    house.engine.reset();
    assert.deepEqual([heard, house.engine.endpoint], [1, undefined]);
    assert.equal((await house.engine.connect()).endpoint.url, after.url);
    await failure(old.send(list), 'cut');
  });

  it('ends a running search and connects its callers to the new engine', async () => {
    const [silent, after] = [await house.put(), await house.put()];
    silent.ping(() => undefined);
    house.setting = silent.url;
    const waiting = [house.engine.connect(), house.engine.check()];
    await when(() => silent.pings() === 1);
    house.setting = after.url;
    house.engine.reset();
    const next = await house.engine.connect();
    assert.equal(next.endpoint.url, after.url);
    assert.deepEqual(await Promise.all(waiting), [next, next]);
    assert.equal(after.pings(), 1);
    await failure(next.send(list), 'notFound');
  });

  it('does not doubt the new engine because of failed requests to the old one', async () => {
    const [before, after] = [await house.put(), await house.put()];
    before.answer(() => undefined);
    house.setting = before.url;
    const old = await house.engine.connect();
    const asked = old.send(list);
    await when(() => before.seen.length === 1);
    house.setting = after.url;
    house.engine.reset();
    const [next] = await Promise.all([house.engine.connect(), failure(asked, 'cut')]);
    await failure(old.send(list), 'cut');
    assert.equal(await house.engine.connect(), next);
    assert.equal(after.pings(), 1);
  });
});

describe('ending', () => {
  it('a single wait does not end the search', async () => {
    const house = new House();
    const fake = await house.put(FIRST);
    let answer = (): void => undefined;
    fake.ping((_, response) => {
      answer = () => response.setHeader('api-version', '1.41').end('OK');
    });
    const controller = new AbortController();
    const left = house.engine.connect(controller.signal);
    const kept = house.engine.connect();
    await when(() => fake.pings() === 1);
    controller.abort();
    await assert.rejects(left, { name: 'AbortError' });
    await assert.rejects(house.engine.connect(AbortSignal.abort()), { name: 'AbortError' });
    answer();
    assert.equal(await house.engine.connect(), await kept);
    await house.leave();
  });

  it('the window ends the search and leaves no connection open', async () => {
    const house = new House();
    const raw = await startRawEngine(
      () => undefined,
      () => undefined,
    );
    house.setting = raw.url;
    const asked = house.engine.connect();
    await when(() => raw.open() === 1);
    house.engine.dispose();
    await assert.rejects(asked, { name: 'AbortError' });
    await when(() => raw.open() === 0);
    await assert.rejects(house.engine.connect(), { name: 'AbortError' });
    await raw.stop();
    await house.leave();
  });
});

describe('reconsider', () => {
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('switches if the discovery leads elsewhere, and only then', async () => {
    const [before, after] = [await house.put(), await house.put()];
    house.env['DOCKER_HOST'] = before.url;
    await house.engine.connect();
    let moves = 0;
    house.engine.onDidChangeEndpoint(() => moves++);
    await house.engine.reconsider();
    assert.equal(moves, 0);
    house.env['DOCKER_HOST'] = after.url;
    await house.engine.reconsider();
    assert.equal(moves, 1);
    assert.equal((await house.engine.connect()).endpoint.url, after.url);
    assert.deepEqual([before.pings(), after.pings()], [1, 1]);
  });

  it('keeps the well-known socket in use as long as none is selected', async () => {
    await house.put(SECOND);
    const connection = await house.engine.connect();
    await house.put(FIRST);
    await house.engine.reconsider();
    assert.equal(await house.engine.connect(), connection);
  });

  it('sends nothing before the first search', async () => {
    const fake = await house.put(FIRST);
    await house.engine.reconsider();
    assert.equal(fake.pings(), 0);
  });
});

describe('disconnecting', () => {
  it('ends the search and rejects its callers, until connections are allowed again', async () => {
    const house = new House();
    const fake = await house.put(FIRST);
    let answer = (): void => undefined;
    fake.ping((_, response) => {
      answer = () => response.setHeader('api-version', '1.41').end('OK');
    });
    const waiting = house.engine.connect();
    await when(() => fake.pings() === 1);
    house.engine.disconnect();
    await failure(waiting, 'disconnected');
    await failure(house.engine.connect(), 'disconnected');
    assert.equal(fake.pings(), 1);
    house.engine.allow();
    const again = house.engine.connect();
    await when(() => fake.pings() === 2);
    answer();
    assert.equal((await again).endpoint.url, `unix://${house.at(FIRST)}`);
    await house.leave();
  });

  it('rejects pending requests with disconnected', async () => {
    const house = new House();
    const fake = await house.put(FIRST);
    fake.answer(() => undefined);
    const connection = await house.engine.connect();
    const asked = connection.send(list);
    await when(() => fake.seen.length === 1);
    house.engine.disconnect();
    await failure(asked, 'disconnected');
    await house.leave();
  });
});
