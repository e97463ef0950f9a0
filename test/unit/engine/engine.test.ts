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

// Sockets of two well-known places below a home, the first looked at first. What stands before them in the
// list is of the machine itself, so a machine with an engine of its own cannot run these.
const FIRST = '.docker/run/docker.sock';
const SECOND = '.colima/default/docker.sock';

/** A machine without engines but those a test puts there. */
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

  /** A fake engine, reachable at a place below the home where one is named. */
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

describe('engine/engine: a chosen address', () => {
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('is used alone: a setting before DOCKER_HOST and all well-known sockets', async () => {
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

  it('is used alone even where nothing answers', async () => {
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

  it('that makes no sense is refused, and is the only one that is tried', async () => {
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

describe('engine/engine: the search of well-known sockets', () => {
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('takes the first that answers, and remembers where it looked in vain', async () => {
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

  it('goes on past whoever is no engine', async () => {
    const first = await house.put(FIRST);
    first.ping((_, response) => {
      response.writeHead(200).end('<html></html>');
    });
    await house.put(SECOND);
    assert.equal((await house.engine.connect()).endpoint.url, `unix://${house.at(SECOND)}`);
  });

  it('fails with what says most: not the socket that is absent', async () => {
    writeFileSync(house.at(SECOND), 'no socket');
    const error = await failure(house.engine.connect(), 'notASocket');
    assert.equal(error.endpoint, `unix://${house.at(SECOND)}`);
    assert(house.engine.attempts.length > 2);
  });

  it('fails with an absent socket where there is nothing at all', async () => {
    const error = await failure(house.engine.connect(), 'socketAbsent');
    assert.equal(error.endpoint, 'unix:///var/run/docker.sock');
  });

  it('is one search for all who ask at once, and none for those who ask later', async () => {
    const fake = await house.put(FIRST);
    const [a, b] = await Promise.all([house.engine.connect(), house.engine.connect()]);
    assert.equal(a, b);
    assert.equal(await house.engine.connect(), a);
    assert.equal(fake.pings(), 1);
  });

  it('finds what comes up after a search in vain', async () => {
    await failure(house.engine.connect(), 'socketAbsent');
    const fake = await house.put(FIRST);
    await house.engine.connect();
    assert.equal(fake.pings(), 1);
  });
});

describe('engine/engine: an engine that was found', () => {
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('is looked for again after a request that found nobody, and kept where it is back', async () => {
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

  it('that said no, or was told to stop, is not doubted', async () => {
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

  it('is not doubted for what took its own time, or could not be read here', async () => {
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

  it('has what is under way ended once it has been gone for long', async () => {
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

  it('has nothing under way ended where it answered a request not long ago', async () => {
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

  it('gives way to another where it is gone for good', async () => {
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

  it('is waited for while it restarts, though another would answer', async () => {
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

  it('is asked for its version anew by check', async () => {
    const fake = await house.put(FIRST);
    const connection = await house.engine.connect();
    fake.ping((_, response) => {
      response.setHeader('api-version', '1.44').end('OK');
    });
    assert.equal(await house.engine.check(), connection);
    assert.equal((await connection.info()).api, '1.44');
  });
});

describe('engine/engine: another setting', () => {
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('takes effect at the next request, and whoever knows things of the old engine hears', async () => {
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

  it('answers those who wait for a search under way, and ends that search', async () => {
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

  it('is not doubted for what the old one’s last requests ended in', async () => {
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

describe('engine/engine: the end', () => {
  it('of one who asks ends that wait alone', async () => {
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

  it('of the window ends the search, and leaves no connection open', async () => {
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

describe('engine/engine: reconsidering', () => {
  let house: House;
  beforeEach(() => (house = new House()));
  afterEach(() => house.leave());

  it('goes where the rules lead by now, and nowhere while they lead to the same', async () => {
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

  it('keeps one of the usual sockets in use as long as nobody chooses', async () => {
    await house.put(SECOND);
    const connection = await house.engine.connect();
    await house.put(FIRST);
    await house.engine.reconsider();
    assert.equal(await house.engine.connect(), connection);
  });

  it('asks nothing before anybody has looked for it', async () => {
    const fake = await house.put(FIRST);
    await house.engine.reconsider();
    assert.equal(fake.pings(), 0);
  });
});

describe('engine/engine: disconnecting', () => {
  it('ends the search and those who wait for it, and is found again once that is allowed', async () => {
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

  it('ends what is under way, and says that this is why', async () => {
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
