import assert from 'node:assert/strict';
import { backOff } from '../../../src/inventory/backOff.ts';

describe('inventory/backOff', () => {
  const rests = (endpoint?: string): readonly number[] =>
    [0, 1, 2, 3, 4, 7, 8, 2000].map((failures) => backOff(failures, endpoint, 0));

  for (const near of [
    undefined,
    'unix:///var/run/docker.sock',
    'npipe:////./pipe/docker_engine',
    'tcp://localhost:2375',
    'tcp://127.1.2.3:2375',
    'tcp://[::1]:2375',
  ]) {
    it(`doubles up to a second at ${near ?? 'an unknown place'}`, () => {
      assert.deepEqual(rests(near), [100, 200, 400, 800, 1000, 1000, 1000, 1000]);
    });
  }

  for (const far of [
    'tcp://192.0.2.7:2375',
    'tcp://engine.example',
    'tcp://[2001:db8::1]:2375',
    'ssh://somebody@engine.example',
    'ssh://localhost',
  ]) {
    it(`doubles up to fifteen seconds at ${far}`, () => {
      assert.deepEqual(rests(far), [100, 200, 400, 800, 1600, 12_800, 15_000, 15_000]);
    });
  }

  it('takes off up to a quarter, never adds', () => {
    assert.equal(backOff(0, undefined, 1), 75);
    assert.equal(backOff(9, undefined, 0.5), 875);
  });
});
