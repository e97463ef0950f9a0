import assert from 'node:assert/strict';
import { BuildTrace } from '../../../../src/builds/buildTrace.ts';
import type { ShownBuild } from '../../../../src/builds/shownBuild.ts';
import type { BuildStep } from '../../../../src/engine/builds/model.ts';
import { BuildNode, type BuildRow } from '../../../../src/views/builds/buildNode.ts';

const TEXTS = { now: () => 65_000 };

function shownBuild(fields: Partial<ShownBuild> = {}): ShownBuild {
  const trace = fields.trace ?? new BuildTrace();
  const known = {
    ref: 'r',
    engine: 'docker',
    isOwn: true,
    title: 'shop',
    phase: 'running',
    startedAt: 0,
  } as const;
  return { ...known, endedAt: undefined, counts: trace.counts, error: undefined, trace, ...fields };
}

function traceOf(...steps: readonly Partial<BuildStep>[]): BuildTrace {
  const trace = new BuildTrace();
  for (const [at, fields] of steps.entries()) {
    const step = {
      id: String(at),
      name: `step ${at}`,
      inputs: [],
      state: 'done',
      ...fields,
    } as const;
    trace.add({ kind: 'step', step });
  }
  return trace;
}

/** Returns the rows below as lines, indented. */
function linesOf(row: BuildRow, indent = ''): readonly string[] {
  const { label, description, icon } = row.present(TEXTS);
  const line = `${indent}${icon?.id ?? ''} ${label} (${description})`;
  return [line, ...(row.children ?? []).flatMap((one) => linesOf(one, `${indent}  `))];
}

describe('views/BuildNode', () => {
  it('names the reload that canceled it', () => {
    const shown = new BuildNode(shownBuild({ phase: 'canceled', endedAt: 100 }), String);
    const isInterrupted = (ref: string): boolean => ref === shown.build.ref;
    const { description } = shown.present({ ...TEXTS, isInterrupted });
    assert.equal(description, '1 min ago · 0.1s · interrupted by a reload');
    assert.equal(
      shown.present({ ...TEXTS, isInterrupted: () => false }).description,
      '1 min ago · 0.1s · canceled',
    );
  });

  it('says to a screen reader what the icon shows', () => {
    const spoken = (phase: ShownBuild['phase']): string =>
      new BuildNode(shownBuild({ phase, endedAt: 100 }), String).present(TEXTS).accessibilityLabel;
    assert.match(spoken('running'), /^Build shop, building, /);
    assert.match(spoken('done'), /^Build shop, built, /);
    assert.match(spoken('canceled'), /^Build shop, 1 min ago · 0\.1s · canceled$/);
  });

  it('can be canceled only if it is of this window, and names the engine of another client', () => {
    const texts = { ...TEXTS, engineName: () => 'Podman' };
    const present = (isOwn: boolean) => new BuildNode(shownBuild({ isOwn }), String).present(texts);
    assert.deepEqual(
      [true, false].map((isOwn) => [present(isOwn).contextValue, present(isOwn).description]),
      [
        ['build.running', '1m 5s · Podman'],
        ['build.runningElsewhere', '1m 5s · Podman'],
      ],
    );
  });

  it('shows stages with their steps in order, and the steps of the builder itself', () => {
    const trace = traceOf(
      { name: '[internal] load build definition from Dockerfile', startedAt: 0, endedAt: 120 },
      {
        name: '[stage-1 2/2] COPY --from=build /app /app',
        state: 'waiting',
        inputs: ['2'],
      },
      { name: '[build 2/2] RUN make', state: 'running', startedAt: 60_000 },
      { name: '[build 1/2] FROM busybox', state: 'cached' },
      {
        name: 'exporting to image',
        state: 'failed',
        error: 'disk\nfull',
        startedAt: 0,
        endedAt: 2000,
      },
    );
    trace.add({
      kind: 'transfer',
      transfer: { step: '3', id: 'x', name: 'sha256:12', current: 500, total: 2000, isDone: false },
    });
    assert.deepEqual(linesOf(new BuildNode(shownBuild({ trace }), String)), [
      'loading~spin shop (1m 5s · 0 of 2 steps)',
      '  check [internal] load build definition from Dockerfile (0.1s)',
      '  layers build (1 of 2 steps)',
      '    check 1/2 FROM busybox (cached)',
      '      arrow-down sha256:12 (500 B of 2.0 kB)',
      '    loading~spin 2/2 RUN make (5.0s)',
      '  layers stage-1 (0 of 1 steps)',
      '    circle-outline 2/2 COPY --from=build /app /app ()',
      '  error exporting to image (failed: disk full · 2.0s)',
    ]);
  });

  it('folds the steps of the builder itself, but not one that failed', () => {
    const trace = traceOf(
      { name: '[internal] load build definition from Dockerfile' },
      { name: '[linux/amd64 internal] load metadata for docker.io/library/busybox:1' },
      { name: '[internal] load .dockerignore', state: 'failed', error: 'no' },
      { name: '[2/2] RUN make', inputs: ['4'] },
      { name: '[1/2] FROM busybox' },
    );
    const node = new BuildNode(shownBuild({ trace }), String);
    assert.deepEqual(linesOf(node).slice(1), [
      '  check Internal (2 steps)',
      '    check [internal] load build definition from Dockerfile ()',
      '    check [linux/amd64 internal] load metadata for docker.io/library/busybox:1 ()',
      '  error [internal] load .dockerignore (failed: no)',
      '  check 1/2 FROM busybox ()',
      '  check 2/2 RUN make ()',
    ]);
    assert.equal(node.failedRow?.present(TEXTS).label, '[internal] load .dockerignore');
  });

  it('says that a build is running', () => {
    const { accessibilityLabel } = new BuildNode(shownBuild(), String).present(TEXTS);
    assert.equal(accessibilityLabel, 'Build shop, building, 1m 5s');
  });

  it('shows no stage if there is one', () => {
    const trace = traceOf({ name: '[1/2] FROM busybox' }, { name: '[2/2] RUN make' });
    const rows = new BuildNode(shownBuild({ trace }), String).children;
    assert.deepEqual(
      rows.map((row) => row.present(TEXTS).label),
      ['1/2 FROM busybox', '2/2 RUN make'],
    );
  });

  it('keeps the rows of stages and steps', () => {
    const trace = traceOf({ name: '[a 1/1] FROM x' }, { name: '[b 1/1] FROM y' });
    const node = new BuildNode(shownBuild({ trace }), String);
    const ids = (): readonly string[] =>
      node.children.flatMap((row) => [row.id, ...(row.children ?? []).map(({ id }) => id)]);
    const before = ids();
    const rows = node.children;
    assert.equal(new Set(before).size, 4);
    assert.deepEqual(node.children, rows);
    assert.deepEqual(ids(), before);
  });

  it('shows the steps of a trace that was read again', () => {
    const build = { ...shownBuild(), trace: traceOf({ state: 'running' }) };
    const node = new BuildNode(build, String);
    const icons = () => node.children.map((row) => row.present(TEXTS).icon?.id);
    assert.deepEqual(icons(), ['loading~spin']);
    build.trace = traceOf({ state: 'done' });
    assert.deepEqual(icons(), ['check']);
  });

  const failed = (message: string): Partial<ShownBuild> => {
    return { phase: 'failed', endedAt: 3000, error: new Error(message) };
  };
  const counts = (all: number, cached: number) => ({ all, cached, finished: all });
  const process = 'process "/bin/sh -c : exit 3" did not complete successfully: exit code: 3';
  const step = 'building at STEP "RUN exit 3": while running runtime: exit status 3';
  const done = { phase: 'done', endedAt: 3000, counts: counts(4, 3) } as const;
  const phases: readonly (readonly [fields: Partial<ShownBuild>, icon: string, text: string])[] = [
    [{ phase: 'running', counts: counts(0, 0) }, 'loading~spin', '1m 5s'],
    [done, 'pass', '1 min ago · 3.0s · 3 of 4 cached'],
    [failed('exit code: 3'), 'error', '1 min ago · failed: exit code: 3 · 3.0s'],
    [failed(process), 'error', '1 min ago · failed: exit code: 3 · 3.0s'],
    [failed(step), 'error', '1 min ago · failed: exit status 3 · 3.0s'],
    [{ phase: 'canceled', endedAt: 100 }, 'circle-slash', '1 min ago · 0.1s · canceled'],
  ];
  for (const [fields, icon, text] of phases) {
    it(`shows what is ${fields.phase}: ${text}`, () => {
      const describe = (error: unknown): string => (error as Error).message;
      const shown = new BuildNode(shownBuild(fields), describe).present(TEXTS);
      assert.deepEqual([shown.icon?.id, shown.description], [icon, text]);
      assert.equal(shown.contextValue, `build.${fields.phase}`);
    });
  }

  it('shows how long ago it ended, and never a time in the future', () => {
    const at = (endedAt: number) =>
      new BuildNode(shownBuild({ phase: 'done', endedAt }), String).present(TEXTS);
    assert.deepEqual(at(TEXTS.now()).age, { earliest: TEXTS.now(), latest: TEXTS.now() });
    assert.match(at(TEXTS.now() + 60_000).description, /^0 s ago · /);
    assert.equal(new BuildNode(shownBuild({}), String).present(TEXTS).age, undefined);
  });

  it('names the engine if there are several', () => {
    const texts = { ...TEXTS, engineName: (id: string) => `${id} (staging)` };
    const shown = new BuildNode(shownBuild({ phase: 'canceled', endedAt: 100 }), String);
    assert.equal(
      shown.present(texts).description,
      '1 min ago · 0.1s · canceled · docker (staging)',
    );
  });
});
