import assert from 'node:assert/strict';
import { Engine } from '../../../src/engine/engine.ts';
import { parseEndpoint } from '../../../src/engine/http/endpoint.ts';
import { EngineUnit } from '../../../src/engines/engineUnit.ts';
import { Engines, type EngineSpec } from '../../../src/engines/engines.ts';
import { Watcher } from '../../../src/inventory/watcher.ts';
import { delay, wallClock } from '../../../src/base/time.ts';
import { ContainerLog } from '../../../src/logs/follow/containerLog.ts';
import type { LogSink } from '../../../src/logs/follow/logMarker.ts';
import { FakeContainer } from '../support/fakeContainer.ts';
import { json, startFakeEngine, type FakeEngine } from '../support/fakeEngine.ts';
import { failure, when } from '../support/lab.ts';
import { FOLLOW } from '../support/logLab.ts';

/** Resolves once the fake has no more connections. */
async function whenLeft(fake: FakeEngine): Promise<void> {
  while ((await fake.connections()) > 0) await delay(5);
}

/** Fake engines and the specs that the window's engines are opened from. */
class EnginesFixture {
  readonly fakes: FakeEngine[] = [];
  readonly memory = new Map<string, unknown>();
  readonly opened: string[] = [];
  wanted: EngineSpec[] = [];
  #engines: Engines | undefined;

  get engines(): Engines {
    return (this.#engines ??= new Engines({
      specs: () => this.wanted,
      open: (spec) => this.#open(spec),
      memory: {
        get: (key: string) => this.memory.get(key),
        update: (key, value) => Promise.resolve(void this.memory.set(key, value)),
      },
    }));
  }

  /** Adds a spec for one more engine and starts a fake for it. */
  async want(id: string): Promise<FakeEngine> {
    const fake = await startFakeEngine((request, response) => {
      if (request.path === '/events') response.writeHead(200).flushHeaders();
      else json(response, 200, []);
    });
    this.fakes.push(fake);
    this.wanted.push({ id, name: id.toUpperCase(), identity: fake.url });
    return fake;
  }

  async leave(): Promise<void> {
    this.#engines?.dispose();
    for (const fake of this.fakes) await fake.stop();
  }

  #open({ id, name, identity }: EngineSpec): EngineUnit {
    this.opened.push(id);
    const endpoint = parseEndpoint(identity, 'setting');
    const candidate = { name, found: { kind: 'setting' }, endpoint, error: undefined } as const;
    return new EngineUnit({
      id,
      name,
      engine: new Engine({
        discover: () => Promise.resolve({ candidates: [candidate], isChosen: true, steps: [] }),
      }),
      watch: (engine, inventory) =>
        new Watcher({
          inventory,
          clock: wallClock,
          connect: (signal) => engine.check(signal),
        }),
    });
  }
}

/** Lets a fake serve one container, which its lists leave out. */
function answerWith(fake: FakeEngine, container: FakeContainer): void {
  fake.answer((request, response) => {
    if (request.path === '/events') response.writeHead(200).flushHeaders();
    else if (/^\/(containers|images)\/json$/.test(request.path)) json(response, 200, []);
    else void container.answer(request, response);
  });
}

/** Follows a container's log. Records lines and the kinds of markers in order. */
function follow({ engine, inventory }: EngineUnit, id: string, said: string[]): ContainerLog {
  const sink: LogSink = {
    lines: (lines) => {
      said.push(...lines.map(({ text }) => text));
      return Promise.resolve();
    },
    marker: ({ kind }) => {
      said.push(kind);
      return Promise.resolve();
    },
  };
  return new ContainerLog(id, FOLLOW, sink, {
    connect: (signal) => engine.connect(signal),
    onDidChangeContainers: inventory.onDidChange,
    watch: () => undefined,
  });
}

describe('engines/engines', () => {
  let fixture: EnginesFixture;
  beforeEach(() => (fixture = new EnginesFixture()));
  afterEach(() => fixture.leave());

  const phaseOf = (id: string): string | undefined => fixture.engines.get(id)?.inventory.phase.kind;

  /** Adds one engine and waits until it is live. */
  async function oneLive(): Promise<{ readonly a: FakeEngine; readonly unit: EngineUnit }> {
    const a = await fixture.want('a');
    const unit = fixture.engines.all[0];
    assert(unit);
    fixture.engines.start();
    await when(() => phaseOf('a') === 'live');
    return { a, unit };
  }

  it('sends no request to an engine before it is started', async () => {
    const fake = await fixture.want('a');
    assert.equal(fixture.engines.all.length, 1);
    assert.equal(phaseOf('a'), 'idle');
    assert.equal(fake.pings(), 0);
  });

  it('requests the lists again if the user retries, on renew, and after a failed command', async () => {
    const { a, unit } = await oneLive();
    const lists = () => a.seen.filter(({ path }) => path === '/containers/json').length;
    for (const verb of ['retry', 'renew', 'recheck'] as const) {
      const before = lists();
      if (verb === 'retry') unit.retry();
      else unit.requests[verb]('c'.repeat(64));
      await when(() => lists() > before);
    }
  });

  it('watches each engine separately: one is live while another is lost', async () => {
    await fixture.want('a');
    const b = await fixture.want('b');
    await b.stop();
    fixture.engines.start();
    await when(() => phaseOf('a') === 'live' && phaseOf('b') === 'lost');
    assert.equal(fixture.engines.areSeveral, true);
    assert.equal(fixture.engines.named('B')?.id, 'b');
    assert.equal(fixture.engines.named('b')?.id, 'b');
    assert.equal(fixture.engines.named('c'), undefined);
  });

  it('starts an added engine and leaves the others connected', async () => {
    const a = await fixture.want('a');
    fixture.engines.start();
    await when(() => phaseOf('a') === 'live');
    const [unit] = fixture.engines.all;
    await fixture.want('b');
    let changes = 0;
    fixture.engines.onDidChange(() => changes++);
    fixture.engines.update();
    await when(() => phaseOf('b') === 'live');
    assert.deepEqual([changes, fixture.engines.all[0]], [1, unit]);
    assert.equal(a.pings(), 2);
    fixture.engines.update();
    assert.equal(changes, 1);
  });

  it('closes a removed engine, and reopens one whose address changed', async () => {
    await fixture.want('a');
    const b = await fixture.want('b');
    const c = await fixture.want('c');
    fixture.engines.start();
    await when(() => ['a', 'b', 'c'].every((id) => phaseOf(id) === 'live'));
    const [first, , third] = fixture.wanted;
    assert(first && third);
    fixture.wanted = [first, { ...third, identity: b.url }];
    fixture.engines.update();
    assert.deepEqual(fixture.opened, ['a', 'b', 'c', 'c']);
    await when(() => phaseOf('c') === 'live');
    await whenLeft(c);
    assert.equal(fixture.engines.get('b'), undefined);
  });

  it('clears a disconnected engine, and keeps it disconnected in the next window', async () => {
    const { a, unit } = await oneLive();
    fixture.engines.disconnect(unit);
    assert.equal(unit.isOff, true);
    await whenLeft(a);
    for (const unit of fixture.engines.all) unit.requests.renew();
    unit.retry();
    unit.start();
    assert.equal(phaseOf('a'), 'off');
    const pings = a.pings();

    const next = new EnginesFixture();
    next.wanted = fixture.wanted;
    for (const [key, value] of fixture.memory) next.memory.set(key, value);
    next.engines.start();
    assert.equal(next.engines.all[0]?.isOff, true);
    next.engines.dispose();
    assert.equal(a.pings(), pings);

    fixture.engines.connect(unit);
    await when(() => phaseOf('a') === 'live');
    assert.deepEqual([...fixture.memory.values()], [[]]);
  });

  it('keeps a disconnected engine off if its entry changes, but not if it is removed and added', async () => {
    const { a, unit } = await oneLive();
    const { engines } = fixture;
    const [spec] = fixture.wanted;
    assert(spec);
    engines.disconnect(unit);
    fixture.wanted = [{ ...spec, name: 'B' }];
    engines.update();
    assert.equal(phaseOf('a'), 'off');
    fixture.wanted = [];
    engines.update();
    fixture.wanted = [spec];
    const pings = a.pings();
    engines.update();
    await when(() => phaseOf('a') === 'live');
    assert(a.pings() > pings);
  });

  it('sends no request to a disconnected engine, not even for an open log, until it is connected', async () => {
    const { a, unit } = await oneLive();
    const container = new FakeContainer();
    container.start();
    container.write('one\n');
    answerWith(a, container);
    const said: string[] = [];
    const log = follow(unit, container.id, said);
    await log.open();
    await when(() => said.includes('one'));
    const pings = a.pings();
    fixture.engines.disconnect(unit);
    await when(() => said.includes('disconnected'));
    await whenLeft(a);
    assert.deepEqual([a.pings(), said], [pings, ['one', 'disconnected']]);
    fixture.engines.connect(unit);
    container.write('two\n');
    await when(() => said.includes('two'));
    log.dispose();
  });

  it('ends a log that waits for its container when the engine is removed from the settings', async () => {
    const { a, unit } = await oneLive();
    const container = new FakeContainer();
    container.start();
    container.exit(0);
    answerWith(a, container);
    const said: string[] = [];
    const log = follow(unit, container.id, said);
    await log.open();
    await when(() => said.includes('exited'));
    fixture.wanted = [];
    fixture.engines.update();
    await when(() => said.includes('engineRemoved'));
    log.dispose();
  });

  it('rejects requests to an engine that was removed from the settings', async () => {
    await fixture.want('a');
    const unit = fixture.engines.all[0];
    assert(unit);
    const connection = await unit.engine.connect();
    const removed: (string | undefined)[] = [];
    fixture.engines.onDidRemove(({ engine }) => removed.push(engine.lastUrl));
    fixture.wanted = [];
    fixture.engines.update();
    assert.deepEqual(removed, [connection.endpoint.url]);
    await failure(connection.send({ method: 'GET', path: '/x' }), 'engineRemoved');
    await failure(unit.engine.connect(), 'engineRemoved');
  });

  it("fires for all engines after the listeners of the engine's own inventory", async () => {
    await fixture.want('a');
    const heard: string[] = [];
    const { engines } = fixture;
    engines.onDidChangeInventory(() => heard.push('all'));
    engines.all[0]?.inventory.onDidChange(() => heard.push('own'));
    engines.start();
    assert.deepEqual(heard, ['own']);
    await when(() => phaseOf('a') === 'live');
    assert.deepEqual(heard.slice(0, 2), ['own', 'all']);
  });
});
