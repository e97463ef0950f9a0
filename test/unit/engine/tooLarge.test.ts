import assert from 'node:assert/strict';
import { ByteStore } from '../../../src/engine/wire/byteStore.ts';
import { listContainers, inspectContainer } from '../../../src/engine/containers/containers.ts';
import { openConnection, type Connection } from '../../../src/engine/http/connection.ts';
import { waitForContainer } from '../../../src/engine/containers/waitForContainer.ts';
import { parseEndpoint } from '../../../src/engine/http/endpoint.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { listImages } from '../../../src/engine/images/images.ts';
import { JsonRecords } from '../../../src/engine/wire/jsonRecords.ts';
import { followEvents } from '../../../src/engine/system/system.ts';
import { json, startFakeEngine, type FakeEngine } from '../support/fakeEngine.ts';

const MIB = 1024 * 1024;

describe('a response past the limit', function () {
  this.timeout(20_000);
  let engine: FakeEngine;
  let connection: Connection;

  /** Sends this many MiB of spaces, and then `end`. */
  const long = (mebibytes: number, end = ''): void => {
    engine.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(MIB, ' ');
      let left = mebibytes;
      const more = (): void => {
        if (left-- > 0) response.write(piece, more);
        else response.end(end);
      };
      more();
    });
  };

  const tooLarge = async (work: Promise<unknown>, operation: string): Promise<void> => {
    await assert.rejects(work, (error: unknown) => {
      assert(error instanceof EngineError);
      assert.deepEqual([error.reason, error.operation], ['tooLarge', operation]);
      assert.equal(error.endpoint, engine.url);
      return true;
    });
  };

  beforeEach(async () => {
    engine = await startFakeEngine();
    connection = openConnection(parseEndpoint(engine.url, 'setting'));
  });

  afterEach(async () => {
    connection.dispose();
    await engine.stop();
  });

  it('is rejected for a list of more than 64 MiB', async () => {
    long(65);
    await tooLarge(listContainers(connection, { all: true }), 'GET /containers/json');
  });

  it('is rejected for a list of more than 100,000 entries', async () => {
    engine.answer((_, response) => json(response, 200, Array(100_001).fill(0)));
    await tooLarge(listContainers(connection, { all: true }), 'GET /containers/json');
    await tooLarge(listImages(connection, {}), 'GET /images/json');
  });

  it('does not include a list of 10,000 containers with many labels', async () => {
    const Labels = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`l${i}`, 'x'.repeat(80)]),
    );
    const list = Array.from({ length: 10_000 }, (_, i) => ({
      Id: i.toString(16).padStart(64, '0'),
      Labels,
    }));
    engine.answer((_, response) => json(response, 200, list));
    assert.equal((await listContainers(connection, { all: true })).length, 10_000);
  });

  it('is rejected for anything else of more than 16 MiB', async () => {
    long(17);
    await tooLarge(inspectContainer(connection, 'a'), 'GET /containers/a/json');
  });

  it('does not include a smaller one', async () => {
    long(15, JSON.stringify({ Id: 'a' }));
    assert.equal((await inspectContainer(connection, 'a')).id, 'a');
  });

  it('is rejected for a wait', async () => {
    long(2);
    const { exit } = await waitForContainer(connection, 'a', 'not-running');
    await tooLarge(exit, 'POST /containers/a/wait');
  });

  it('is rejected for an event, with the operation of the stream', async () => {
    long(17);
    const events = await followEvents(connection, {}, new AbortController().signal);
    await tooLarge(events[Symbol.asyncIterator]().next(), 'GET /events');
  });

  it('is rejected for a header', async () => {
    engine.answer((_, response) => {
      response.writeHead(200, { 'x-long': 'x'.repeat(100_000) });
      response.end('{}');
    });
    await tooLarge(inspectContainer(connection, 'a'), 'GET /containers/a/json');
  });

  it('with an error status keeps its reason, without the message', async () => {
    engine.answer((_, response) => {
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: 'x'.repeat(2 * MIB) }));
    });
    await assert.rejects(inspectContainer(connection, 'a'), { reason: 'conflict', status: 409 });
  });
});

describe('ByteStore', () => {
  it('joins many small chunks', () => {
    const store = new ByteStore();
    for (let at = 0; at < 100_000; at++) store.add(Uint8Array.of(at & 0xff));
    assert.equal(store.size, 100_000);
    assert.ok(store.look().buffer.byteLength <= 4 * store.size);
    const taken = store.drain();
    assert.equal(store.size, 0);
    store.add(Buffer.from('next'));
    assert.deepEqual([taken[0], taken[99_999], taken.length], [0, 99_999 & 0xff, 100_000]);
    assert.equal(store.drain().toString(), 'next');
  });

  it('allocates memory as bytes arrive, and up to the expected size', () => {
    const store = new ByteStore(10 * MIB);
    store.add(Buffer.alloc(MIB));
    assert.equal(store.look().buffer.byteLength, MIB);
    store.add(Buffer.alloc(6 * MIB));
    store.add(Buffer.alloc(2 * MIB));
    assert.equal(store.look().buffer.byteLength, 10 * MIB);
    store.add(Buffer.alloc(2 * MIB));
    assert.equal(store.size, 11 * MIB);
  });

  it('copies the chunks, so that they may be overwritten', () => {
    const store = new ByteStore();
    const chunk = Buffer.from('ab');
    store.add(chunk);
    chunk.fill('x');
    assert.equal(store.drain().toString(), 'ab');
  });

  it('supports records that arrive byte by byte', () => {
    const records = new JsonRecords();
    const found = [...Buffer.from('{"a":"ä"}\n[1]\n')].flatMap((byte) =>
      records.push(Uint8Array.of(byte)),
    );
    assert.deepEqual(found, [{ a: 'ä' }, [1]]);
  });
});
