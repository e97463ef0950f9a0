import assert from 'node:assert/strict';
import { BuildTrace } from '../../../src/builds/buildTrace.ts';
import type { BuildStep } from '../../../src/engine/builds/model.ts';

describe('the trace of a build', () => {
  it('counts the steps of the Dockerfile as they change', () => {
    const trace = new BuildTrace();
    const report = (at: number, state: BuildStep['state'], text = 'RUN x'): void => {
      trace.add({
        kind: 'step',
        step: { id: `s${at}`, name: `[${at}/9] ${text}`, inputs: [], state },
      });
    };
    report(1, 'done', 'FROM x');
    report(2, 'running');
    report(3, 'cached');
    trace.add({
      kind: 'step',
      step: { id: 'x', name: '[internal] load', inputs: [], state: 'done' },
    });
    assert.deepEqual(trace.counts, { all: 2, cached: 1, finished: 1 });
    report(2, 'done');
    report(2, 'done');
    assert.deepEqual(trace.counts, { all: 2, cached: 1, finished: 2 });
    assert.equal(trace.step('3'), trace.step('s3'));
    assert.equal(trace.step('0'), undefined);
    assert.equal(trace.step('03'), undefined);
    assert.equal(trace.step('9'), undefined);
  });

  it('does not look at all steps after each event', () => {
    const trace = new BuildTrace();
    let names = 0;
    for (let at = 0; at < 5000; at++) {
      const step = {
        id: `s${at}`,
        inputs: [],
        state: 'running' as const,
        get name() {
          names++;
          return `[${at}/9] RUN x`;
        },
      };
      trace.add({ kind: 'step', step });
      assert.equal(trace.counts.all, at + 1);
      assert.equal(trace.step(String(at + 1))?.step, step);
    }
    assert.ok(names <= 20_000, String(names));
  });
});
