import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ChangeKind } from '../../../../src/engine/containers/listChanges.ts';
import { until } from '../../../bed/until.ts';
import { refusal, run } from '../kit/commands.ts';
import { allContainers, allImages } from '../kit/engine.ts';
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
  const { input, label = '' } = { input: activeTab?.input, label: activeTab?.label };
  if (!label.startsWith(name)) return undefined;
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

  it('shows the same changes for the image committed from it', async () => {
    const id = await lab.ended([
      'sh',
      '-c',
      'mkdir /srv; echo one > /srv/a; echo changed > /etc/passwd; rm /bin/vi',
    ]);
    const repository = `localhost/${lab.name('image')}`;
    const { imageId } = await run('containers.commit', { id, repository });
    const counts = await run('images.reviewContents', { id: `${repository}:latest` });
    assert.equal(counts.deleted, 1);
    assert.ok(counts.added >= 1, JSON.stringify(counts));
    const [was, is] = await opened('/etc/passwd', 'changed');
    assert.match(was ?? '', /^root:/);
    assert.equal(is, 'changed\n');
    assert.deepEqual(await opened('/srv/a', 'added'), ['one\n']);
    const nothing = await run('containers.commit', {
      id: await lab.ended(['true'], 'same'),
      repository,
      tag: '2',
    });
    assert.notEqual(nothing.imageId, imageId);
    assert.equal((await run('images.reviewContents', { id: nothing.imageId })).deleted, 0);
  });

  it('rejects an image without a local parent image', async () => {
    await refusal(
      run('images.reviewContents', { id: await lab.image() }),
      /base image of .* is not available locally/,
    );
  });

  it('rejects an invalid container, in one sentence', async () => {
    await refusal(run('containers.reviewChanges', { id: lab.name('nobody') }), /nobody/);
    await refusal(
      run('containers.reviewChanges', { id: 'two words' }),
      /is not a container name or ID/,
    );
    await refusal(
      run('containers.reviewChanges', { id: 'x', path: '/' }),
      /unknown property "path"/,
    );
  });
});

describe('an invalid commit', () => {
  const lab = useLab('uncommitted');

  it('is rejected before any request for it, and leaves no image', async () => {
    const id = await lab.ended(['true']);
    const images = async (): Promise<readonly string[]> =>
      (await allImages()).map(({ Id }) => Id).sort();
    const before = await images();
    const repository = `localhost/${lab.name('image')}`;
    for (const change of [
      'ENV ALONE',
      'EXPOSE http',
      'WORKDIR app',
      'CMD ["sh", ]',
      'USER a b',
      'VOLUME data',
    ]) {
      await refusal(run('containers.commit', { id, repository, changes: [change] }), /\S/);
    }
    await refusal(run('containers.commit', { id, repository: 'f'.repeat(64) }), /\S/);
    await refusal(run('containers.commit', { id: lab.name('nobody'), repository }), /nobody/);
    assert.deepEqual(await images(), before);
  });
});
