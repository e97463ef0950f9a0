import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ChangeKind } from '../../../../src/engine/containers/listChanges.ts';
import { until } from '../../../bed/until.ts';
import { run } from '../kit/commands.ts';
import { allContainers } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';

const WORK = [
  'mkdir /srv',
  'echo one > /srv/new.txt',
  'echo changed > /etc/passwd',
  'rm /bin/vi',
  'ln -s /etc/passwd /srv/link',
  "printf 'a\\0b' > /srv/data.bin",
  'chmod 600 /etc/group',
  'echo x > /tmp/noise',
].join(' && ');

/** Opens a row of the review as a click does; resolves to the texts in the active tab. */
async function opened(path: string, kind: ChangeKind): Promise<readonly (string | undefined)[]> {
  const entry = { name: path, path, kind, size: 0 };
  await vscode.commands.executeCommand('gantry.changes.open', { kind: 'entry', entry });
  const text = async (uri: vscode.Uri): Promise<string> =>
    (await vscode.workspace.openTextDocument(uri)).getText();
  const name = path.slice(path.lastIndexOf('/') + 1);
  await until(() => shownInput(name) !== undefined, `a tab of ${path}`);
  const input = shownInput(name)!;
  return input instanceof vscode.TabInputTextDiff
    ? [await text(input.original), await text(input.modified)]
    : [await text(input.uri)];
}

function shownInput(name: string): vscode.TabInputTextDiff | vscode.TabInputText | undefined {
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  if (!activeTab?.label.startsWith(name)) return undefined;
  const { input } = activeTab;
  return input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputText
    ? input
    : undefined;
}

/** Files that cannot be compared as text are summarized. */
async function assertSummaries(): Promise<void> {
  assert.deepEqual(await opened('/srv/link', 'added'), ['→ /etc/passwd\n']);
  const [binary] = await opened('/srv/data.bin', 'added');
  assert.match(
    binary ?? '',
    /^File\nSize: 3 B \(3 bytes\)\nPermissions: .*\nSHA-256: [0-9a-f]{64}\n$/,
  );
  const [was, is] = await opened('/etc/group', 'changed');
  assert.match(was ?? '', /Permissions: rw-r--r-- \(644\)/);
  assert.match(is ?? '', /Permissions: rw------- \(600\)/);
  const [deleted, ...none] = await opened('/bin/vi', 'deleted');
  assert.match(deleted ?? '', /^→ \S*busybox\n$/);
  assert.deepEqual(none, []);
}

/** No temporary container is left behind, and none is listed. */
async function assertNothingTemporary(): Promise<void> {
  const temporaries = async (): Promise<readonly string[]> => {
    const names = (await allContainers()).flatMap(({ Names }) => Names ?? []);
    return names.filter((name) => name.includes('gantry-temporary'));
  };
  // VS Code may be reading the image's side a second time.
  await until(
    async () => (await temporaries()).length === 0,
    'all temporary containers are removed',
  );
  const listed = await run('containers.list', { all: true });
  assert.ok(!listed.some(({ name }) => name.includes('gantry-temporary')));
}

describe('gantry.containers.reviewChanges', () => {
  const lab = useLab('review');

  afterEach(async () => {
    await vscode.commands.executeCommand('gantry.changes.close');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('counts the changes, and opens each file in a diff with that of the image', async () => {
    const id = await lab.ended(['sh', '-c', WORK]);
    const counts = await run('containers.reviewChanges', { id });
    assert.ok(
      counts.added >= 4 && counts.changed >= 2 && counts.deleted === 1,
      JSON.stringify(counts),
    );

    const [before, after] = await opened('/etc/passwd', 'changed');
    assert.match(before ?? '', /^root:/);
    assert.equal(after, 'changed\n');
    assert.deepEqual(await opened('/srv/new.txt', 'added'), ['one\n']);

    await assertSummaries();
    await assertNothingTemporary();
  });
});
