import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { refusal, run } from '../kit/commands.ts';
import { useLab } from '../kit/lab.ts';
import { WorkFiles, workFolder } from '../kit/workspace.ts';

describe('builds', () => {
  const lab = useLab('builds');
  const files = new WorkFiles();
  afterEach(() => files.clean());

  it('name an image, are listed, and fail with a problem at the line', async () => {
    const dockerfile = files.write('Dockerfile', `FROM ${bed().image}\nCOPY missing.txt /\n`);
    const context = workFolder().uri.fsPath;
    const tag = `localhost/${lab.name()}:1`;
    await refusal(run('images.build', { context, tags: [tag] }), /missing\.txt/);
    const lines = (): readonly number[] =>
      vscode.languages.getDiagnostics(dockerfile).map(({ range }) => range.start.line);
    await until(() => lines().includes(1), 'the problem is shown at the line');
    files.write('missing.txt', lab.name());
    const built = await run('images.build', { context, tags: [tag] });
    assert.deepEqual(built.tags, [tag]);
    assert.ok((await run('images.list', {})).some(({ tags }) => tags.includes(tag)));
    await until(() => lines().length === 0, 'the problem is gone');
    const ours = (await run('builds.list', {})).filter(({ tags }) => tags.includes(tag));
    assert.deepEqual(
      ours.map(({ state }) => state),
      ['done', 'failed'],
    );
  });
});
