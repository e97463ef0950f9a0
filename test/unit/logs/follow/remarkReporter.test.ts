import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import { RemarkReporter } from '../../../../src/logs/follow/remarkReporter.ts';

describe('what a log says of a failure', () => {
  for (const [reason, kind] of [
    ['sshFull', 'sshFull'],
    ['disconnected', 'disconnected'],
    ['engineRemoved', 'engineRemoved'],
    ['cut', 'lost'],
    ['failed', 'failed'],
  ] as const) {
    it(`is ${kind} once for ${reason}, until a reading succeeds`, async () => {
      const said: string[] = [];
      const told = new RemarkReporter({
        lines: () => Promise.resolve(),
        remark: (remark) => {
          said.push(remark.kind);
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
