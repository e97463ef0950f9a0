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

describe('ExitTracker', () => {
  it('knows the exit if it is later than the start and the container is not running', () => {
    assert.ok(new ExitTracker().isKnown(run(false, at(1), at(2))));
    assert.ok(!new ExitTracker().isKnown(run(true, at(1), at(2))));
    assert.ok(!new ExitTracker().isKnown(run(false, at(1), '')));
    assert.ok(!new ExitTracker().isKnown(run(false, '', '')));
  });

  it('accepts an exit slightly before the start, of a short run', () => {
    assert.ok(new ExitTracker().isKnown(run(false, at(1.005), at(1))));
  });

  it('rejects the exit of a much earlier run', () => {
    assert.ok(!new ExitTracker().isKnown(run(false, at(30), at(1))));
  });

  it('rejects the exit that was reported while the container was running', () => {
    const end = new ExitTracker();
    assert.ok(!end.isKnown(run(true, at(1.1), at(1))));
    assert.ok(!end.isKnown(run(false, at(1.1), at(1))));
    assert.ok(end.isKnown(run(false, at(1.1), at(1.05))));
    assert.ok(end.isKnown(run(false, at(1.1), at(1.05))));
  });

  it('knows the exit of a run during which the clock was set back', () => {
    const end = new ExitTracker();
    end.see(run(true, at(30), at(1)));
    assert.ok(!end.isKnown(run(false, at(30), '')));
    assert.ok(!end.isKnown(run(false, at(30), at(1))));
    assert.ok(end.isKnown(run(false, at(30), at(2))));
    assert.ok(!end.isKnown(run(false, at(50), at(2))));
  });

  it('rejects the exit that was reported for the run before', () => {
    const end = new ExitTracker();
    assert.ok(end.isKnown(run(false, at(1), at(2))));
    end.see(run(false, at(2.1), at(2)));
    assert.ok(!end.isKnown(run(false, at(2.1), at(2))));
    assert.ok(end.isKnown(run(false, at(2.1), at(2.2))));
  });
});
