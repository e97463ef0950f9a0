import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import type { DescribedContainer } from '../../../../src/commands/details/describeContainer.ts';
import { containerHead } from '../../../../src/details/sections/containerHead.ts';
import { readContainerFacts } from '../../../../src/engine/facts/readContainerFacts.ts';

const AT = '2026-08-01T10:00:00.000Z';
const LATER = '2026-08-01T10:00:05.000Z';

function facts(parts: Partial<DescribedContainer>): DescribedContainer {
  const { facts: none } = readContainerFacts({}, undefined);
  const times = { createdAt: AT, startedAt: AT, finishedAt: LATER };
  return { ...none, ...times, wasStopped: false, ...parts };
}

describe('the first line of the details of a container', () => {
  const head = (parts: Partial<DescribedContainer>) => containerHead(facts(parts));
  const exited = { state: 'exited' } as const;

  it('says the exit with its signal and what it means, and that it is a failure', () => {
    const { sentence, tone, why } = head({ ...exited, exitCode: 139, signal: 'SIGSEGV' });
    assert.match(sentence, /^Exited on .+ with code 139 \(SIGSEGV\), after 5 s\.$/);
    assert.deepEqual(why, ['The program accessed memory that is not its own.']);
    assert.equal(tone, 'bad');
    assert.deepEqual(head({ ...exited, exitCode: 127 }).why, ['The command was not found.']);
    assert.deepEqual(head({ ...exited, exitCode: 3 }).why, []);
  });

  it('says that nothing is wrong with what succeeded or was stopped', () => {
    assert.equal(head({ ...exited, exitCode: 0 }).tone, 'plain');
    const { sentence, tone, why } = head({
      ...exited,
      ...{ exitCode: 137, signal: 'SIGKILL', wasStopped: true },
    });
    assert.match(sentence, /^Stopped on .+, with exit code 137 \(SIGKILL\)\.$/);
    assert.deepEqual([tone, why], ['plain', []]);
  });

  it('says that it was out of memory, with the limit', () => {
    const limits = [{ what: 'memory', value: 64 * 1024 * 1024 }] as const;
    const { sentence, tone } = head({ ...exited, exitCode: 137, oomKilled: true, limits });
    assert.match(sentence, /^Killed on .+: out of memory at its limit of 64 MiB\.$/);
    assert.equal(tone, 'bad');
  });

  it('says that it restarts again and again, how often, and why', () => {
    const { sentence, tone, why } = head({
      state: 'restarting',
      ...{ exitCode: 1, restartCount: 7, restartPolicy: 'always' },
    });
    assert.match(sentence, /^Restarting again and again\. Exited on .+ with code 1, after 5 s\.$/);
    assert.deepEqual(
      [tone, why],
      ['warning', ['It was restarted 7 times (restart policy: always).']],
    );
  });

  it('says what it waits for, and why it could not be started', () => {
    const { sentence, why } = head({
      state: 'created',
      waitsFor: { service: 'db', condition: 'healthy' },
      error: 'port is already allocated',
    });
    assert.match(sentence, /^Created on .+, never started\.$/);
    assert.deepEqual(why, [
      'It waits for db to be healthy.',
      'The engine could not start it: port is already allocated',
    ]);
  });

  it('has the last probe that failed on one line, only while it is not healthy', () => {
    const probes = [
      { startedAt: AT, exitCode: 1, output: 'a\nb' },
      { startedAt: AT, exitCode: 0, output: 'fine' },
    ];
    const running = { state: 'running', probes } as const;
    const { why } = head({ ...running, health: 'unhealthy', failingStreak: 1 });
    assert.deepEqual(why, ['The last failed health check exited with code 1: a b']);
    assert.deepEqual(head({ ...running, health: 'healthy' }).why, []);
  });

  it('has a sentence for every state', () => {
    for (const state of [
      ...['created', 'running', 'paused', 'restarting', 'removing'],
      ...['exited', 'dead', 'unknown'],
    ] as DescribedContainer['state'][])
      assert.notEqual(head({ state }).sentence, '', state);
  });
});
