import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/errors.ts';
import { backOff, capOf } from '../../../src/inventory/backOff.ts';

describe('inventory/backOff', () => {
  const rests = (cap: 'near' | 'far'): readonly number[] =>
    [0, 1, 2, 3, 4, 7, 8, 2000].map((failures) => backOff(failures, cap, 0, 0));

  const refused = (endpoint?: string): EngineError =>
    new EngineError('refused', endpoint === undefined ? {} : { endpoint });

  it('doubles up to a second near by, and up to fifteen seconds elsewhere', () => {
    assert.deepEqual(rests('near'), [100, 200, 400, 800, 1000, 1000, 1000, 1000]);
    assert.deepEqual(rests('far'), [100, 200, 400, 800, 1600, 12_800, 15_000, 15_000]);
  });

  for (const near of [
    undefined,
    'unix:///var/run/docker.sock',
    'npipe:////./pipe/docker_engine',
    'tcp://localhost:2375',
    'tcp://127.1.2.3:2375',
    'tcp://[::1]:2375',
  ]) {
    it(`is near at ${near ?? 'an unknown place'}`, () => {
      assert.equal(capOf(refused(near)), 'near');
    });
  }

  for (const far of [
    'tcp://192.0.2.7:2375',
    'tcp://engine.example',
    'tcp://[2001:db8::1]:2375',
    'ssh://somebody@engine.example',
    'ssh://localhost',
  ]) {
    it(`is far at ${far}`, () => {
      assert.equal(capOf(refused(far)), 'far');
    });
  }

  it('is far for an engine that answers but refuses, wherever it is', () => {
    const endpoint = 'unix:///var/run/docker.sock';
    assert.equal(capOf(new EngineError('failed', { endpoint, status: 403 })), 'far');
    assert.equal(capOf(new EngineError('proxyPage', { endpoint, status: 503 })), 'far');
  });

  for (const reason of ['tooLarge', 'badAnswer', 'notAnEngine', 'tooOld'] as const) {
    it(`is far for an engine whose answer is of no use: ${reason}`, () => {
      assert.equal(capOf(new EngineError(reason, { endpoint: 'unix:///x.sock' })), 'far');
    });
  }

  it('lets a near engine be that has been lost for a minute', () => {
    assert.equal(backOff(2000, 'near', 59_999, 0), 1000);
    assert.equal(backOff(2000, 'near', 60_000, 0), 20_000);
    assert.equal(backOff(0, 'near', 60_000, 0), 100);
  });

  it('takes off up to a quarter, never adds', () => {
    assert.equal(backOff(0, 'near', 0, 1), 75);
    assert.equal(backOff(9, 'near', 0, 0.5), 875);
  });
});
