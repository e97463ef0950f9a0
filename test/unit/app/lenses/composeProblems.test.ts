import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ComposeProblems } from '../../../../src/app/lenses/composeProblems.ts';
import {
  changedDocuments,
  changedFiles,
  diagnostics,
  Uri,
  watchedFiles,
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

  it('are gone when the file changes', async () => {
    await problems.show([file], error);
    const change = (contentChanges: readonly object[], path = file): void =>
      changedDocuments.fire({ document: { uri: Uri.file(path) }, contentChanges } as never);
    change([]);
    change([{}], join(folder, 'other.yaml'));
    assert.equal(shown().length, 1);
    change([{}]);
    assert.deepEqual(shown(), []);
  });

  it('are gone when another program changes the file, which is watched only until then', async () => {
    assert.deepEqual([...watchedFiles], []);
    await problems.show([file], error);
    assert.deepEqual([...watchedFiles], [file]);
    changedFiles.fire(Uri.file(file));
    assert.deepEqual(shown(), []);
    assert.deepEqual([...watchedFiles], []);
    await problems.show([file], error);
    problems.dispose();
    assert.deepEqual([...watchedFiles], []);
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
