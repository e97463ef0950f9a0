import assert from 'node:assert/strict';
import '../support/fakeEditor.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuildProblems } from '../../../src/output/buildProblems.ts';
import { changedDocuments, diagnostics, Uri, workspace } from '../support/fakeVscode.ts';

const TEXT = 'FROM busybox\nRUN false\n';

describe('output/BuildProblems', () => {
  let folder: string;
  let file: string;
  let problems: BuildProblems;
  beforeEach(async () => {
    const { BuildProblems } = await import('../../../src/output/buildProblems.ts');
    folder = mkdtempSync(join(tmpdir(), 'gantry-problems-'));
    file = join(folder, 'Dockerfile');
    writeFileSync(file, TEXT);
    diagnostics.clear();
    problems = new BuildProblems();
  });
  afterEach(() => {
    problems.dispose();
    rmSync(folder, { recursive: true });
  });

  const failure = (message: string, text = TEXT) => ({
    message,
    source: { file: 'Dockerfile', text, lines: { start: 2, end: 2 } },
  });
  const shown = (): readonly string[] =>
    (diagnostics.get(file) ?? []).map(({ message }) => message);

  it('keep the error of a build when the file is checked, but not that of a check', async () => {
    await problems.show(file, { failure: failure('exit code: 1'), warnings: [] });
    await problems.show(file, { failure: failure('unknown'), warnings: [], isCheck: true });
    assert.deepEqual(shown(), ['exit code: 1', 'unknown']);
    await problems.show(file, { warnings: [{ message: 'casing' }], isCheck: true });
    assert.deepEqual(shown(), ['exit code: 1', 'casing']);
    await problems.show(file, { warnings: [] });
    assert.deepEqual(shown(), []);
  });

  it('leave out what is at a changed line', async () => {
    await problems.show(file, {
      failure: failure('old', 'FROM busybox\nRUN other\n'),
      warnings: [],
    });
    assert.deepEqual(shown(), []);
  });

  it('show nothing that is older, and hide only what was shown with the same time', async () => {
    await problems.show(file, { failure: failure('newer'), warnings: [] }, 2);
    await problems.show(file, { failure: failure('older'), warnings: [] }, 1);
    problems.hide(file, 1);
    assert.deepEqual(shown(), ['newer']);
    problems.hide(file, 2);
    assert.deepEqual(shown(), []);
  });

  it('hide the error of a build also after a check, and keep the problems of the check', async () => {
    const casing = { warnings: [{ message: 'casing' }], isCheck: true } as const;
    await problems.show(file, { failure: failure('exit code: 1'), warnings: [] }, 2);
    await problems.show(file, casing);
    problems.hide(file, 2);
    assert.deepEqual(shown(), ['casing']);
  });

  it('give way to those of this window if the clock of the engine is ahead', async () => {
    const ahead = Date.now() + 3_600_000;
    await problems.show(file, { failure: failure('exit code: 1'), warnings: [] }, ahead);
    await problems.show(file, { warnings: [] });
    assert.deepEqual(shown(), []);
    const later = ahead + 1000;
    await problems.show(file, { warnings: [{ message: 'casing' }], isCheck: true }, later);
    await problems.show(file, { failure: failure('exit code: 2'), warnings: [] });
    assert.deepEqual(shown(), ['exit code: 2']);
  });

  it('show the error of a build that is read after a later check, with those of the check', async () => {
    const casing = { warnings: [{ message: 'casing' }], isCheck: true } as const;
    await problems.show(file, { failure: failure('exit code: 1'), warnings: [] }, 1);
    await problems.show(file, { failure: failure('unknown'), ...casing }, 4);
    await problems.show(file, { failure: failure('exit code: 2'), warnings: [] }, 2);
    assert.deepEqual(shown(), ['unknown', 'exit code: 2', 'casing']);
    await problems.show(file, { failure: failure('exit code: 3'), warnings: [] }, 5);
    assert.deepEqual(shown(), ['exit code: 3']);
  });

  describe('in a file whose editor has not read it yet', () => {
    const editor = { uri: Uri.file(''), isDirty: false, getText: () => 'FROM busybox\n' };
    /** The editor has another text now, in which line 2 is new. */
    const read = (text: string, isDirty = false): void => {
      Object.assign(editor, { isDirty, getText: () => text });
      const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } };
      const contentChanges = [{ range, rangeOffset: 0, rangeLength: 0, text: 'RUN false\n' }];
      changedDocuments.fire({ document: editor, contentChanges });
    };
    const lines = (): readonly number[] =>
      (diagnostics.get(file) ?? []).map(({ range }) => range.start.line);
    beforeEach(async () => {
      Object.assign(editor, {
        uri: Uri.file(file),
        isDirty: false,
        getText: () => 'FROM busybox\n',
      });
      workspace.textDocuments = [editor];
      await problems.show(file, { failure: failure('exit code: 1'), warnings: [] });
    });
    afterEach(() => {
      workspace.textDocuments = [];
    });

    it('are at the lines that were built, and move only with later changes', () => {
      assert.deepEqual(lines(), [1]);
      read('FROM busybox\nRUN other\n');
      read(TEXT);
      assert.deepEqual(lines(), [1]);
      read(`FROM busybox\nRUN false\n${TEXT}`);
      assert.deepEqual(lines(), [2]);
    });

    it('are gone if the older text is edited', () => {
      read('FROM busybox\nRUN mine\n', true);
      assert.deepEqual(lines(), []);
    });
  });
});
