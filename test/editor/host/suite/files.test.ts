import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { refusal, run } from '../kit/commands.ts';
import { useLab } from '../kit/lab.ts';

describe('the files of a container', () => {
  const lab = useLab('files');
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-files-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are listed and found, of an image too', async () => {
    const id = await lab.container(['true']);
    const root = await run('files.browse', { id });
    assert(root.isWhole);
    const names = root.entries.map(({ name }) => name);
    for (const name of ['bin', 'etc', 'tmp']) assert(names.includes(name), names.join());
    const found = await run('files.find', { id, name: 'etc PASSWD' });
    assert.deepEqual(found.paths, ['/etc/passwd']);
    const { entries } = await run('files.browse', { image: bed().image, path: '/etc' });
    assert(entries.some(({ name }) => name === 'passwd'));
    await refusal(run('files.browse', { id, path: '/nothing' }));
  });

  it('open as documents, read-only those of an image, and in a diff with a local file', async () => {
    const id = await lab.container(['true']);
    const { uri } = await run('files.open', { id, path: '/etc/passwd' });
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    assert.match(document.getText(), /^root:x:0:0/);
    assert.equal(vscode.workspace.fs.isWritableFileSystem('gantry-container'), true);
    const stat = await vscode.workspace.fs.stat(vscode.Uri.parse(uri));
    assert.equal(stat.permissions, undefined);
    const ofImage = await run('files.open', { image: bed().image, path: '/etc/passwd' });
    const { permissions } = await vscode.workspace.fs.stat(vscode.Uri.parse(ofImage.uri));
    assert.equal(permissions, vscode.FilePermission.Readonly);
    const link = vscode.Uri.parse(uri.replace('/etc/passwd', '/bin/ls'));
    const { type } = await vscode.workspace.fs.stat(link);
    assert.equal(type, vscode.FileType.File | vscode.FileType.SymbolicLink);
    const here = join(folder, 'passwd');
    writeFileSync(here, 'root\n');
    const { title } = await run('files.compare', { id, path: '/etc/passwd', with: here });
    await until(
      () => Promise.resolve(vscode.window.tabGroups.activeTabGroup.activeTab?.label === title),
      'the diff is the active editor',
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('are uploaded and downloaded, and replace nothing unless requested', async () => {
    const id = await lab.container(['true']);
    const up = join(folder, 'up');
    mkdirSync(join(up, 'inner'), { recursive: true });
    writeFileSync(join(up, 'inner', 'a.txt'), 'ä'.repeat(100_000));
    writeFileSync(join(up, 'empty'), '');
    assert.deepEqual(await run('files.upload', { id, path: '/tmp', from: [up] }), {
      outcome: 'uploaded',
    });
    await refusal(run('files.upload', { id, path: '/tmp', from: [up] }), /up/);
    const replaced = await run('files.upload', { id, path: '/tmp', from: [up], replace: true });
    assert.equal(replaced.outcome, 'uploaded');
    const to = join(folder, 'down');
    const done = await run('files.download', { id, path: '/tmp/up', to });
    assert.deepEqual(done, { files: 2, bytes: 200_000, leftOut: [] });
    assert.equal(readFileSync(join(to, 'inner', 'a.txt'), 'utf8'), 'ä'.repeat(100_000));
    await refusal(run('files.download', { id, path: '/tmp/up', to }), /down/);
    const one = join(folder, 'one.txt');
    await run('files.download', { id, path: '/tmp/up/inner/a.txt', to: one });
    assert.equal(readFileSync(one).length, 200_000);
    await refusal(run('files.upload', { id, path: '/etc/passwd', from: [one] }), /not a folder/);
  });
});
