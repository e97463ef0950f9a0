import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { drained, sharedDrain } from '../../../../src/engine/http/drained.ts';

describe('drained', () => {
  const listeners = (sink: Writable): number =>
    sink.listenerCount('drain') + sink.listenerCount('close');

  it('resolves when the stream takes more bytes, and removes its listeners', async () => {
    let take: () => void = () => undefined;
    const sink = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        take = done;
      },
    });
    assert.equal(sink.write('ab'), false);
    const before = listeners(sink);
    const waiting = drained(sink);
    assert.equal(listeners(sink), before + 2);
    take();
    await waiting;
    assert.equal(listeners(sink), before);
  });

  it('resolves when the stream is closed, and immediately if it already is', async () => {
    const sink = new Writable();
    const waiting = drained(sink);
    sink.destroy();
    await waiting;
    if (!sink.closed) await once(sink, 'close');
    const before = listeners(sink);
    await drained(sink);
    assert.equal(listeners(sink), before);
  });

  it('adds one pair of listeners for all that wait at the same time', async () => {
    let take: () => void = () => undefined;
    const sink = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        take = done;
      },
    });
    const before = listeners(sink);
    const drain = sharedDrain(sink);
    for (const _ of [1, 2]) {
      sink.write('ab');
      const waiting = Array.from({ length: 12 }, () => drain());
      assert.equal(listeners(sink), before + 2);
      take();
      await Promise.all(waiting);
      assert.equal(listeners(sink), before);
    }
  });
});
