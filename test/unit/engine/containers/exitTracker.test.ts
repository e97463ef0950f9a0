import assert from 'node:assert/strict';
import { ExitTracker } from '../../../../src/engine/containers/exitTracker.ts';

const at = (seconds: number): string =>
  `2026-08-01T08:00:${seconds.toFixed(3).padStart(6, '0')}123456Z`;
const run = (
  isRunning: boolean,
  startedAt: string,
  finishedAt: string,
): { isRunning: boolean; startedAt: string; finishedAt: string } => ({
  isRunning,
  startedAt,
  finishedAt,
});

describe('The end of a run', () => {
  it('is known where it is told to be after the start, and nothing runs', () => {
    assert.ok(new ExitTracker().isKnown(run(false, at(1), at(2))));
    assert.ok(!new ExitTracker().isKnown(run(true, at(1), at(2))));
    assert.ok(!new ExitTracker().isKnown(run(false, at(1), '')));
    assert.ok(!new ExitTracker().isKnown(run(false, '', '')));
  });

  it('may be noted a little before the start, of a run that was short', () => {
    assert.ok(new ExitTracker().isKnown(run(false, at(1.005), at(1))));
  });

  it('is not that of a run long before', () => {
    assert.ok(!new ExitTracker().isKnown(run(false, at(30), at(1))));
  });

  it('is not the one that was told while it ran', () => {
    const end = new ExitTracker();
    assert.ok(!end.isKnown(run(true, at(1.1), at(1))));
    assert.ok(!end.isKnown(run(false, at(1.1), at(1))));
    assert.ok(end.isKnown(run(false, at(1.1), at(1.05))));
    assert.ok(end.isKnown(run(false, at(1.1), at(1.05))));
  });

  it('is not the one that was told of the run before', () => {
    const end = new ExitTracker();
    assert.ok(end.isKnown(run(false, at(1), at(2))));
    end.see(run(false, at(2.1), at(2)));
    assert.ok(!end.isKnown(run(false, at(2.1), at(2))));
    assert.ok(end.isKnown(run(false, at(2.1), at(2.2))));
  });
});
