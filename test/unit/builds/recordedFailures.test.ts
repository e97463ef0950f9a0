import assert from 'node:assert/strict';
import type { RecordedFailure } from '../../../src/builds/buildHistorySource.ts';
import { RecordedBuild } from '../../../src/builds/recordedBuilds.ts';
import { RecordedFailures, type WorkspaceFile } from '../../../src/builds/recordedFailures.ts';
import type { BuildRecord } from '../../../src/engine/builds/model.ts';

const TEXT = 'FROM busybox\nRUN false\n';
const SOURCE = { file: 'Dockerfile', text: TEXT, lines: { start: 2, end: 2 } };
const FAILURE: RecordedFailure = { message: 'exit code: 1', source: SOURCE };

describe('builds/RecordedFailures', () => {
  const { signal } = new AbortController();
  let files: readonly WorkspaceFile[];
  let own: ReadonlySet<string>;
  let reads: string[];
  let shown: unknown[];
  let failure: RecordedFailure | undefined;
  let failures: RecordedFailures;
  beforeEach(() => {
    files = [{ path: '/work/shop/Dockerfile', text: TEXT }];
    own = new Set();
    reads = [];
    shown = [];
    failure = FAILURE;
    failures = new RecordedFailures({
      isOwn: ({ ref }) => own.has(ref),
      filesNamed: (name) => Promise.resolve(files.filter(({ path }) => path.endsWith(`/${name}`))),
      show: (file, { message }, at) => Promise.resolve(void shown.push([file, message, at])),
      hide: (file, at) => shown.push(['hidden', file, at]),
    });
  });

  function build(ref: string, fields: Partial<BuildRecord> = {}): RecordedBuild {
    const counts = { steps: 2, cachedSteps: 0, completedSteps: 1 };
    const record: BuildRecord = {
      ...{ ref, tags: ['shop'], dockerfile: 'Dockerfile', startedAt: 1, endedAt: 2 },
      ...{ state: 'failed', ...counts, ...fields },
    };
    const source = {
      follow: () => Promise.resolve(),
      list: () => Promise.resolve([]),
      replay: () => Promise.resolve(),
      findFailure: (one: string) => {
        reads.push(one);
        return Promise.resolve(failure);
      },
    };
    return new RecordedBuild('docker', record, source, () => undefined);
  }

  it('shows the error of a build in its file, and reads it once', async () => {
    const failed = build('a');
    await failures.look([failed], signal);
    await failures.look([failed], signal);
    assert.deepEqual(shown, [['/work/shop/Dockerfile', 'exit code: 1', 2]]);
    assert.deepEqual(reads, ['a']);
  });

  it('shows nothing if the line has changed, the text is unknown, or the build is of this window', async () => {
    files = [{ path: '/work/shop/Dockerfile', text: 'FROM busybox\nRUN true\n' }];
    await failures.look([build('changed')], signal);
    files = [{ path: '/work/shop/Dockerfile', text: TEXT }];
    failure = { ...FAILURE, source: { file: 'Dockerfile', lines: SOURCE.lines } };
    await failures.look([build('unknown')], signal);
    own = new Set(['own']);
    await failures.look([build('own')], signal);
    assert.deepEqual(shown, []);
    assert.deepEqual(reads, ['changed', 'unknown']);
  });

  it('hides the error after a good build of the same kind', async () => {
    const failed = build('a');
    await failures.look([failed], signal);
    await failures.look(
      [failed, build('other', { state: 'done', startedAt: 3, tags: [] })],
      signal,
    );
    assert.equal(shown.length, 1);
    await failures.look([failed, build('b', { state: 'done', startedAt: 3 })], signal);
    assert.deepEqual(shown[1], ['hidden', '/work/shop/Dockerfile', 2]);
  });

  it('hides the error after a good build with other tags of the same repositories', async () => {
    const failed = build('a', { tags: ['me.example:5000/shop:1', 'shop:1'] });
    await failures.look([failed], signal);
    const good = { state: 'done', startedAt: 3 } as const;
    const other = build('b', { ...good, tags: ['me.example:5001/shop:1', 'shop:1'] });
    await failures.look([failed, other], signal);
    assert.equal(shown.length, 1);
    const next = build('c', { ...good, tags: ['shop:2', 'shop', 'me.example:5000/shop'] });
    await failures.look([failed, other, next], signal);
    assert.deepEqual(shown[1], ['hidden', '/work/shop/Dockerfile', 2]);
  });

  it('takes the folder in the repository into account', async () => {
    files = ['/work/shop/Dockerfile', '/work/web/Dockerfile'].map((path) => ({ path, text: TEXT }));
    await failures.look([build('a')], signal);
    assert.deepEqual(shown, []);
    await failures.look([build('b', { folder: './web/', dockerfile: 'Dockerfile' })], signal);
    assert.deepEqual(shown, [['/work/web/Dockerfile', 'exit code: 1', 2]]);
  });

  it('prefers the file with the same text to those with the same line', async () => {
    files = [
      { path: '/work/a/Dockerfile', text: `${TEXT}RUN more\n` },
      { path: '/work/b/Dockerfile', text: TEXT },
    ];
    await failures.look([build('a', { folder: '.' })], signal);
    assert.deepEqual(shown, [['/work/b/Dockerfile', 'exit code: 1', 2]]);
  });

  it('reads only the newest, and those that were interrupted again', async () => {
    const many = Array.from({ length: 15 }, (_, at) =>
      build(`r${at}`, { tags: [`t${at}`], startedAt: at }),
    );
    await failures.look(many, signal);
    assert.deepEqual([reads.length, reads[0], reads.at(-1)], [10, 'r14', 'r5']);
    const interrupted = build('late', { tags: ['late'] });
    const stop = new AbortController();
    stop.abort();
    interrupted.readFailure = () => Promise.reject(new Error('aborted'));
    await failures.look([interrupted], stop.signal);
    interrupted.readFailure = () => Promise.resolve(FAILURE);
    await failures.look([interrupted], signal);
    assert.deepEqual(shown.at(-1), ['/work/shop/Dockerfile', 'exit code: 1', 2]);
  });
});
