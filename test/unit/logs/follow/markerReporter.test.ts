import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import { MarkerReporter } from '../../../../src/logs/follow/recovery.ts';

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
});
