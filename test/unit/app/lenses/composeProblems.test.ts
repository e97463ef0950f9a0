import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { until } from '../../../bed/until.ts';
import type { ComposeProblems } from '../../../../src/app/lenses/composeProblems.ts';
import {
  changedDocuments,
  changedFiles,
  diagnostics,
  Uri,
  watchedFiles,
  workspace,
} from '../../support/fakeVscode.ts';

const TEXT = 'services:\n  a:\n    comand: x\n';

describe('app/lenses/ComposeProblems', () => {
  let folder: string;
  let file: string;
  let problems: ComposeProblems;
  beforeEach(async () => {
    const { ComposeProblems } = await import('../../../../src/app/lenses/composeProblems.ts');
    folder = mkdtempSync(join(tmpdir(), 'gantry-problems-'));
    file = join(folder, 'compose.yaml');
    writeFileSync(file, TEXT);
    diagnostics.clear();
    problems = new ComposeProblems();
  });
  afterEach(() => {
    problems.dispose();
    rmSync(folder, { recursive: true });
  });

  const error = { message: "services.a additional properties 'comand' not allowed" };
  const shown = (): readonly string[] =>
    (diagnostics.get(file) ?? []).map(({ message, range: { start, end } }) =>
      [`${start.line}:${start.column}-${end.line}:${end.column}`, message].join(' '),
    );

  it('are at the key until Compose takes the file', async () => {
    await problems.show([file], error);
    assert.deepEqual(shown(), [`2:4-2:13 ${error.message}`]);
    assert.deepEqual(
      diagnostics.get(file)?.map(({ source }) => source),
      ['Gantry'],
    );
    await problems.show([file], undefined);
    assert.deepEqual(shown(), []);
  });

  describe('of a file that changes', () => {
    /** The editors with a file, of which `text` is what they show. */
    const edit = (text: string, isDirty: boolean, path = file): void => {
      const document = { uri: Uri.file(path), isDirty, getText: () => text };
      workspace.textDocuments = [document];
      changedDocuments.fire({ document, contentChanges: [{}] } as never);
    };
    afterEach(() => {
      workspace.textDocuments = [];
    });

    it('are gone when it is edited, but not another one', async () => {
      await problems.show([file], error);
      edit('x', true, join(folder, 'other.yaml'));
      changedDocuments.fire({ document: { uri: Uri.file(file) }, contentChanges: [] });
      await setTimeout(20);
      assert.equal(shown().length, 1);
      edit(`${TEXT} `, true);
      await until(() => shown().length === 0, 'the problem is gone');
    });

    it('are gone when another program changes it, which is watched only until then', async () => {
      assert.deepEqual([...watchedFiles], []);
      await problems.show([file], error);
      assert.deepEqual([...watchedFiles], [file]);
      writeFileSync(file, 'services: {}');
      changedFiles.fire(Uri.file(file));
      await until(() => shown().length === 0, 'the problem is gone');
      assert.deepEqual([...watchedFiles], []);
      await problems.show([file], error);
      rmSync(file);
      changedFiles.fire(Uri.file(file));
      await until(() => shown().length === 0, 'the problem is gone with its file');
      writeFileSync(file, TEXT);
      await problems.show([file], error);
      problems.dispose();
      assert.deepEqual([...watchedFiles], []);
    });

    it('are at the line that Compose has read, which the editor shows later', async () => {
      const before = 'services:\n  a: {}\n';
      workspace.textDocuments = [{ uri: Uri.file(file), isDirty: false, getText: () => before }];
      await problems.show([file], error);
      assert.deepEqual(shown(), [`2:4-2:13 ${error.message}`]);
      changedFiles.fire(Uri.file(file));
      // The change before that, and then this one, with the line ends of the editor.
      edit('services: {}', false);
      edit(TEXT.replaceAll('\n', '\r\n'), false);
      await setTimeout(20);
      assert.equal(shown().length, 1);
    });

    it('are at the line of the unsaved text', async () => {
      const unsaved = `# mine\n${TEXT}`;
      workspace.textDocuments = [{ uri: Uri.file(file), isDirty: true, getText: () => unsaved }];
      await problems.show([file], error);
      assert.deepEqual(shown(), [`3:4-3:13 ${error.message}`]);
    });
  });

  it('are those of the newest run, and of files that can be read', async () => {
    const older = problems.show([file], error);
    const newer = problems.show([file], undefined);
    await Promise.all([older, newer]);
    assert.deepEqual(shown(), []);
    await problems.show([join(folder, 'gone.yaml')], error);
    assert.deepEqual(shown(), []);
  });

  it('keep the problem of a file when another one is taken at the same time', async () => {
    const other = join(folder, 'other.yaml');
    writeFileSync(other, 'services: {}');
    await Promise.all([problems.show([file], error), problems.show([other], undefined)]);
    assert.equal(shown().length, 1);
  });
});
