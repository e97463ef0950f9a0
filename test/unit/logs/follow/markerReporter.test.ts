import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import { ChangeLatch } from '../../../../src/logs/follow/changeLatch.ts';
import { MarkerReporter, Recovery } from '../../../../src/logs/follow/recovery.ts';

describe('the marker of a failed log', () => {
  for (const [reason, kind] of [
    ['sshFull', 'sshFull'],
    ['disconnected', 'disconnected'],
    ['engineRemoved', 'engineRemoved'],
    ['cut', 'lost'],
    ['failed', 'failed'],
  ] as const) {
    it(`is ${kind} once for ${reason}, until a reading succeeds`, async () => {
      const said: string[] = [];
      const told = new MarkerReporter({
        lines: () => Promise.resolve(),
        marker: (marker) => {
          said.push(marker.kind);
          return Promise.resolve();
        },
      });
      await told.failure(new EngineError(reason));
      await told.failure(new EngineError(reason));
      told.succeeded();
      await told.failure(new EngineError(reason));
      assert.deepEqual(said, [kind, kind]);
    });
  }

  it('has the time of the loss, although it is reported after another try', async () => {
    const times: (string | undefined)[] = [];
    const told = new MarkerReporter({
      lines: () => Promise.resolve(),
      marker: (_, at) => Promise.resolve(void times.push(at)),
    });
    const latch = new ChangeLatch(new Emitter<never>().event, 'id');
    const recovery = new Recovery(told, latch, () => Promise.resolve());
    const { signal } = new AbortController();
    const dates = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:09.000Z'];
    const real = Object.getOwnPropertyDescriptor(Date.prototype, 'toISOString') ?? {};
    Date.prototype.toISOString = () => dates.shift() ?? '';
    try {
      recovery.opened();
      // A proxy may have cut the stream: the next try shows whether the engine is lost.
      await recovery.after(new EngineError('cut'), () => undefined, signal);
      await recovery.after(new EngineError('refused'), () => undefined, signal);
    } finally {
      Object.defineProperty(Date.prototype, 'toISOString', real);
    }
    assert.deepEqual(times, ['2026-01-01T00:00:00.000Z']);
  });
});
