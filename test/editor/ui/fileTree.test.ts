// Creates, renames and deletes files of a container and a volume as a user does, by keys and clicks.
import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { Keys } from './keys.ts';
import { gone, seen, selected } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const SETUP = [
  'mkdir -p /aa/old/deep /data/box && touch /aa/old/x',
  'echo 1 > /aa/one.conf && echo 2 > /data/two.conf',
  'chown -R 1000:1000 /aa',
].join(' && ');

describeWindow(`the file tree, on ${KIND}`, { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let keys: Keys;
  let container: string;
  let volume: string;
  const shot = (name: string): Promise<void> => workbench.shot(`fileTree-${KIND}/${name}`);
  const row = (label: string) => workbench.row(label, 'Files');

  before(async () => {
    ({ workbench } = window);
    keys = new Keys(workbench);
    volume = await lab.volume('files');
    container = await lab.running('web', { volume });
    await lab.run(container, SETUP);
    await seen(workbench, 'Containers', container);
    await workbench.contextMenu(workbench.row(container, 'Containers'), 'Browse Files');
    await seen(workbench, 'Files', 'aa');
    await workbench.toggle(row('aa'));
    await seen(workbench, 'Files', 'one.conf');
  });

  it('renames a folder with F2, and selects it', async () => {
    await workbench.select(row('old'));
    await keys.press('F2');
    await workbench.quick.asks('Rename old');
    await shot('rename');
    await workbench.quick.type('Rename old', 'new');
    await seen(workbench, 'Files', 'new');
    await gone(workbench, 'Files', 'old');
    await until(async () => (await selected(workbench, 'Files')).includes('new'), 'the selection');
    assert.equal(await lab.run(container, 'ls -1 /aa/new && stat -c %u /aa/new'), 'deep\nx\n1000');
  });

  it('deletes a file with the Delete key, after a question that says how much', async () => {
    await workbench.select(row('one.conf'));
    // The click opens the file, and leaves the focus in the rows.
    await workbench.page.getByRole('tab', { name: /one\.conf/ }).waitFor();
    const text = workbench.page.locator('.editor-instance .view-lines');
    await until(async () => (await text.innerText()).includes('1'), 'the file is open');
    await keys.press('Delete');
    const { message, detail } = await workbench.notices.modal();
    assert.equal(message, `Delete one.conf in ${container}?`);
    assert.equal(detail, 'This deletes 1 file, 2 B permanently and cannot be undone.');
    await shot('delete');
    await workbench.notices.answer('Delete Permanently');
    await gone(workbench, 'Files', 'one.conf');
    assert.equal(await lab.run(container, 'ls /aa'), 'new');
  });

  it('creates a file in a folder, and opens it', async () => {
    await workbench.contextMenu(row('new'), 'New File...');
    await workbench.quick.type('New File', 'inner/app.conf');
    await until(
      async () =>
        (await lab.run(container, 'stat -c "%u %a" /aa/new/inner/app.conf')) === '1000 644',
      'the file',
    );
    await workbench.page.getByRole('tab', { name: /app\.conf/ }).waitFor();
    await seen(workbench, 'Files', 'app.conf');
    await shot('created');
    await workbench.closeEditors();
  });

  it('says which mount keeps a folder from being deleted', async () => {
    await workbench.select(await workbench.reveal('data', 'Files'));
    await keys.press('Delete');
    await workbench.notices.says('/data is a mount, so it can be neither deleted, renamed, nor');
    await shot('mount');
    await workbench.notices.clear();
  });

  it('renames and deletes in a volume, in a running container that mounts it', async () => {
    // The folder of the container has files of the same names.
    await workbench.inlineAction(await workbench.reveal(container, 'Files'), 'Close Files');
    await workbench.expand('Volumes', true);
    await seen(workbench, 'Volumes', volume);
    await workbench.contextMenu(workbench.row(volume, 'Volumes'), 'Browse Files');
    await seen(workbench, 'Files', 'two.conf');
    // Until then, the view selects the row of the volume.
    await until(async () => (await selected(workbench, 'Files')).includes(volume), 'the volume');
    await workbench.select(row('box'));
    await keys.press('F2');
    await workbench.quick.type('Rename box', 'case');
    await seen(workbench, 'Files', 'case');
    await workbench.select(row('two.conf'));
    await keys.press('Delete');
    await workbench.notices.answer('Delete Permanently');
    await gone(workbench, 'Files', 'two.conf');
    assert.equal(await lab.run(container, 'ls /data'), 'case');
    await shot('volume');
  });
});
