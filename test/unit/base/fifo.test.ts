import assert from 'node:assert/strict';
import { Fifo } from '../../../src/base/fifo.ts';

describe('Fifo', () => {
  it('gives its items back in their order, whatever is added between', () => {
    const fifo = new Fifo<number>();
    const plain: number[] = [];
    let seed = 1;
    for (let at = 0; at < 5000; at++) {
      seed = (seed * 48_271) % 2_147_483_647;
      if (seed % 5 < 3) {
        fifo.push(at);
        plain.push(at);
      } else assert.equal(fifo.shift(), plain.shift());
      assert.equal(fifo.length, plain.length);
      assert.equal(fifo.at(1), plain[1]);
    }
    assert.deepEqual(fifo.items, plain);
    fifo.clear();
    assert.deepEqual([fifo.length, fifo.shift(), fifo.items], [0, undefined, []]);
  });

  it('moves each of its items no more often than twice', () => {
    const fifo = new Fifo<number>();
    const { slice } = Array.prototype;
    let moved = 0;
    Array.prototype.slice = function (...range) {
      const some = slice.apply(this, range) as unknown[];
      moved += some.length;
      return some;
    };
    try {
      for (let at = 0; at < 10_000; at++) fifo.push(at);
      while (fifo.length > 0) fifo.shift();
    } finally {
      Array.prototype.slice = slice;
    }
    assert.ok(moved <= 20_000, String(moved));
  });
});
