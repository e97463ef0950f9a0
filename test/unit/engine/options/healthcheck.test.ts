import assert from 'node:assert/strict';
import { isHealthcheck } from '../../../../src/engine/options/healthcheck.ts';

describe('isHealthcheck', () => {
  it('accepts false, and an object of known fields', () => {
    for (const good of [
      false,
      {},
      { test: 'true', interval: '1s', timeout: '1s', startPeriod: '1s', retries: 1 },
      { test: ['a', 'b'], interval: undefined, retries: undefined },
    ]) {
      assert.equal(isHealthcheck(good), true, JSON.stringify(good));
    }
  });

  it('rejects anything else', () => {
    for (const bad of [
      ...[undefined, null, true, 'true', 1, ['true']],
      ...[{ test: 1 }, { test: {} }, { test: ['a', 1] }, { retries: '1' }, { interval: 5 }],
      { test: 'true', disable: 'yes' },
    ]) {
      assert.equal(isHealthcheck(bad), false, JSON.stringify(bad));
    }
  });
});
