import assert from 'node:assert/strict';
import { exitMessage, runDuration } from '../../../../src/commands/containers/exitMessage.ts';
import { signalName } from '../../../../src/engine/containers/signalName.ts';

describe('commands/exitMessage', () => {
  it('names signals by their numbers', () => {
    assert.deepEqual([129, 137, 139, 143, 159].map(signalName), [
      ...['SIGHUP', 'SIGKILL', 'SIGSEGV', 'SIGTERM', 'SIGSYS'],
    ]);
    for (const code of [0, 1, 127, 128, 160, 255]) assert.equal(signalName(code), undefined);
  });

  it('reports only what is known', () => {
    assert.equal(exitMessage('web', { exitCode: 3 }), 'web exited with code 3.');
    assert.equal(
      exitMessage('web', { exitCode: 137, wasOutOfMemory: true, duration: 3000 }),
      'web exited with code 137 (SIGKILL, out of memory) after 3 s.',
    );
    assert.equal(
      exitMessage('web', { exitCode: 1, wasOutOfMemory: true }),
      'web exited with code 1 (out of memory).',
    );
  });

  it('returns the duration of a run that has ended', () => {
    const startedAt = '2026-01-02T03:04:05.5Z';
    assert.equal(runDuration({ startedAt, finishedAt: '2026-01-02T03:04:07Z' }), 1500);
    assert.equal(runDuration({ startedAt, finishedAt: '' }), undefined);
    assert.equal(runDuration({ startedAt, finishedAt: '2026-01-02T03:04:05Z' }), undefined);
  });
});
