import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/errors.ts';
import { backOff, capOf } from '../../../src/inventory/backOff.ts';

describe('inventory/backOff', () => {
  const rests = (cap: 'near' | 'far'): readonly number[] =>
    [0, 1, 2, 3, 4, 7, 8, 2000].map((failures) => backOff(failures, cap, 0, 0));

  const refused = (endpoint?: string): EngineError =>
    new EngineError('refused', endpoint === undefined ? {} : { endpoint });

  it('doubles up to one second for a local engine, and up to fifteen seconds for a remote one', () => {
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
    it(`treats ${near ?? 'an unknown address'} as local`, () => {
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
    it(`treats ${far} as remote`, () => assert.equal(capOf(refused(far)), 'far'));
  }

  it('treats an engine that responds with an error as remote, whatever its address', () => {
    const endpoint = 'unix:///var/run/docker.sock';
    assert.equal(capOf(new EngineError('failed', { endpoint, status: 403 })), 'far');
    assert.equal(capOf(new EngineError('proxyPage', { endpoint, status: 503 })), 'far');
  });

  for (const reason of ['tooLarge', 'badAnswer', 'notAnEngine', 'tooOld'] as const) {
    it(`treats an engine with an unusable response as remote, for the reason ${reason}`, () => {
      assert.equal(capOf(new EngineError(reason, { endpoint: 'unix:///x.sock' })), 'far');
    });
  }

  it('waits longer for a local engine that has been lost for a minute', () => {
    assert.equal(backOff(2000, 'near', 59_999, 0), 1000);
    assert.equal(backOff(2000, 'near', 60_000, 0), 20_000);
    assert.equal(backOff(0, 'near', 60_000, 0), 100);
  });

  it('subtracts up to a quarter as jitter and never adds', () => {
    assert.equal(backOff(0, 'near', 0, 1), 75);
    assert.equal(backOff(9, 'near', 0, 0.5), 875);
  });
});
