import assert from 'node:assert/strict';
import type { EngineEvent } from '../../../../src/engine/model.ts';
import { engineTime, followEvents, readEvent } from '../../../../src/engine/system/system.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, when, type Lab } from '../../support/lab.ts';

function event(Type: string, Action: string, ID: string): string {
  return `${JSON.stringify({ Type, Action, Actor: { ID, Attributes: { name: 'x' } } })}\n`;
}

describe('engine/system', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('requests container and image events under the names of all engines, since a time', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      response.end();
    });
    const { signal } = new AbortController();
    await followEvents(connection, { since: '1700000000.000000001' }, signal);
    await followEvents(connection, {}, signal);
    const [first, second] = engine.seen;
    assert.equal(first?.path, '/events');
    assert.equal(first.query.get('since'), '1700000000.000000001');
    assert.equal(second?.query.has('since'), false);
    const filters = JSON.parse(first.query.get('filters') ?? '') as Record<string, string[]>;
    assert.deepEqual(filters['type'], ['container', 'image', 'volume', 'network']);
    for (const name of ['create', 'start', 'die', 'died', 'destroy', 'remove', 'commit', 'untag']) {
      assert(filters['event']?.includes(name), name);
    }
    for (const name of ['oom', 'kill']) assert(filters['event']?.includes(name), name);
    for (const name of ['exec_create', 'exec_start', 'exec_die', 'attach', 'top']) {
      assert(!filters['event']?.includes(name), name);
    }
  });

  it('yields events as they arrive, wherever chunks are split, until the stream ends', async () => {
    const text = event('container', 'start', 'ü1') + event('image', 'pull', 'busybox:1');
    const { connection } = await lab.fake(async (_, response) => {
      for (const byte of Buffer.from(text)) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const events: EngineEvent[] = [];
    const { signal } = new AbortController();
    for await (const one of await followEvents(connection, {}, signal)) events.push(one);
    assert.deepEqual(events, [
      { type: 'container', action: 'start', id: 'ü1' },
      { type: 'image', action: 'pull', id: 'busybox:1' },
    ]);
  });

  it('throws when its signal aborts, and when the connection breaks', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      response.writeHead(200).flushHeaders();
    });
    const controller = new AbortController();
    const cancelled = await followEvents(connection, {}, controller.signal);
    const broken = await followEvents(connection, {}, new AbortController().signal);
    const next = cancelled[Symbol.asyncIterator]().next();
    controller.abort();
    await assert.rejects(next, { name: 'AbortError' });
    const last = failure(broken[Symbol.asyncIterator]().next(), 'cut');
    engine.cut();
    await last;
  });

  it("fails with the engine's message", async () => {
    const { connection } = await lab.fake((_, r) => json(r, 400, { message: 'invalid filter' }));
    const error = await failure(
      followEvents(connection, {}, new AbortController().signal),
      'badRequest',
    );
    assert.equal(error.message, 'invalid filter');
  });

  it('closes the connection when the reader stops', async () => {
    const { engine, connection } = await lab.raw((socket) => {
      const body = event('container', 'start', 'a');
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n`);
      socket.write(`${body.length.toString(16)}\r\n${body}\r\n`);
    });
    for await (const one of await followEvents(connection, {}, new AbortController().signal)) {
      assert.equal(one.id, 'a');
      break;
    }
    await when(() => engine.open() === 1);
  });

  const of = (Type: string, Action: string, more: object = { Actor: { ID: 'a' } }): object => {
    return { Type, Action, ...more };
  };
  const health = (HealthStatus: string): object =>
    of('container', 'health_status', { Actor: { ID: 'a' }, HealthStatus });
  const ofNetwork = (ID: string, Attributes: object): object => ({ Actor: { ID, Attributes } });
  const exit = (Action: string, Attributes: object, times: object = {}): object =>
    of('container', Action, { Actor: { ID: 'a', Attributes }, ...times });
  const status = { type: 'container', action: 'health_status', id: 'a' };
  const die = { type: 'container', action: 'die', id: 'a' };
  const network = { type: 'network', container: 'a' };
  const records: [record: unknown, expected: EngineEvent | undefined][] = [
    [of('container', 'health_status: healthy'), { ...status, health: 'healthy' }],
    [health('unhealthy'), { ...status, health: 'unhealthy' }],
    [health('stopped'), status],
    [of('container', 'exec_create: healthy'), { ...status, action: 'exec_create' }],
    [of('image', 'pull', {}), { type: 'image', action: 'pull', id: '' }],
    [of('image', 'x', { Actor: null }), { type: 'image', action: 'x', id: '' }],
    [
      of('network', 'connect', ofNetwork('n', { container: 'a', name: 'web' })),
      { ...network, action: 'connect', id: 'n' },
    ],
    [
      of('network', 'disconnect', ofNetwork('a', { name: 'c' })),
      { ...network, action: 'disconnect', id: 'a' },
    ],
    [
      exit(
        'die',
        { exitCode: '137' },
        { time: 1_700_000_000, timeNano: 1_700_000_000_250_000_000 },
      ),
      { ...die, exitCode: 137, at: 1_700_000_000_250 },
    ],
    [
      exit('died', { containerExitCode: '-1' }, { time: 1_700_000_000 }),
      { ...die, action: 'died', exitCode: -1, at: 1_700_000_000_000 },
    ],
    [exit('die', { exitCode: '1e308' }, { timeNano: 1e308 }), die],
    [exit('die', {}, { timeNano: -1 }), die],
    [exit('kill', { signal: '15', exitCode: '1' }), { ...die, action: 'kill', signal: '15' }],
    [exit('kill', { signal: '\u001b[31m' }), { ...die, action: 'kill' }],
    [
      of('image', 'die', { Actor: { ID: 'a', Attributes: { exitCode: '1' } } }),
      { ...die, type: 'image' },
    ],
    [{ Type: 'container', Actor: { ID: 'a' } }, undefined],
    [{ Action: 'start', Actor: { ID: 'a' } }, undefined],
    [null, undefined],
    [[], undefined],
  ];
  for (const [record, expected] of records) {
    it(`reads ${JSON.stringify(record)} as ${expected ? expected.action : 'no event'}`, () => {
      assert.deepEqual(readEvent(record), expected);
    });
  }

  it('limits the length of all texts of an event', () => {
    const long = 'x'.repeat(1_000_000);
    const event = readEvent({ Type: long, Action: `${long}: ${long}`, Actor: { ID: long } });
    assert(event);
    for (const text of [event.type, event.action, event.id]) assert(text.length <= 513);
  });

  it("returns the engine's time in whole seconds, or undefined", async () => {
    const { connection, engine } = await lab.fake();
    const dates: (string | undefined)[] = ['Tue, 14 Nov 2023 22:13:20 GMT', 'soon', undefined];
    engine.ping((_, response) => {
      const date = dates.shift();
      response.setHeader('api-version', '1.41').sendDate = false;
      if (date !== undefined) response.setHeader('date', date);
      response.end('OK');
    });
    await connection.info();
    dates.unshift('Tue, 14 Nov 2023 22:13:20 GMT');
    assert.equal(await engineTime(connection), '1700000000');
    assert.equal(await engineTime(connection), undefined);
    assert.equal(await engineTime(connection), undefined);
  });
});
