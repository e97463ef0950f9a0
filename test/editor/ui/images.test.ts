import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Lab } from './lab.ts';
import { gone, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

describe(`what a person does with images, on ${KIND}`, function () {
  this.timeout(90_000);
  let lab: Lab;
  let editor: Editor;
  let workbench: Workbench;
  let folder: string;
  const shot = (name: string): Promise<string> => workbench.shot(`images-${KIND}/${name}`);
  const row = (name: string) => workbench.row(name, 'Images');
  const hasImage = async (name: string): Promise<boolean> =>
    (await lab.ask('GET', '/images/json?all=1')).includes(name);

  before(async () => {
    editor = await openWorkbench();
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  beforeEach(() => {
    lab = new Lab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-images-'));
  });

  // Before all is cleared away.
  shotOnFailure(() => editor);

  afterEach(async () => {
    await workbench.quick.cancel();
    await workbench.notices.clear();
    await lab.clean();
    rmSync(folder, { recursive: true });
  });

  after(() => editor.close());

  /** Chooses an entry of the view's own submenu. */
  const arrange = (entry: string): Promise<void> =>
    workbench.titleAction('Images', 'Arrange Images', entry);

  /** An image that nothing needs: of a container that is gone again. */
  const unneeded = async (what: string, isNamed: boolean): Promise<string> => {
    const container = await lab.exited(`${what}-from`, 0);
    const name = isNamed ? `&repo=localhost/${lab.name(what)}&tag=1` : '';
    const path = `/commit?container=${container}&comment=${lab.name(what)}${name}`;
    const { Id } = JSON.parse(await lab.ask('POST', path, {})) as { readonly Id: string };
    await lab.ask('DELETE', `/containers/${container}`);
    return Id.replace('sha256:', '');
  };

  it('stands in groups where a person wants that', async () => {
    const image = await lab.tag('grouped');
    await seen(workbench, 'Images', image);
    await arrange('Group by Repository');
    const group = image.replace(/:1$/, '');
    await seen(workbench, 'Images', group);
    await seen(workbench, 'Images', '1', ({ level }) => level === 2);
    await shot('grouped');
    await arrange('No Groups');
    await seen(workbench, 'Images', image, ({ level }) => level === 1);
  });

  it('goes to a file that a person names, and is told what came of it', async () => {
    const image = await lab.tag('saved');
    await seen(workbench, 'Images', image);
    await workbench.contextMenu(row(image), 'Save Image to File…');
    const path = join(folder, 'saved.tar');
    await workbench.quick.asks(/Save/);
    await shot('save');
    await workbench.quick.box.fill(path);
    // It takes none before it has looked at the folder.
    await until(async () => {
      if (!(await workbench.quick.box.isVisible())) return true;
      await workbench.page.keyboard.press('Enter');
      return false;
    }, 'the file is taken');
    assert.match(await workbench.notices.says(/^Saved /), /saved-.*MB\) to .*saved\.tar/);
    assert.ok(existsSync(path) && statSync(path).size > 1_000_000);
  });

  it('shows what goes and how much it frees before it removes what nothing needs', async () => {
    const [goes, stays] = [await unneeded('goes', false), await unneeded('stays', true)];
    await workbench.titleAction('Images', 'Remove Unused Images…');
    await workbench.quick.asks(/Remove Unused Images: .*Frees/);
    const short = goes.slice(0, 12);
    const rows = await until(async () => {
      const found = await workbench.quick.labels();
      return found.some(({ label }) => label === short) && found;
    }, 'the image in the list');
    assert.equal(rows.find(({ label }) => label === short)?.checked, true);
    assert.equal(rows.find(({ label }) => label.includes(lab.name('stays')))?.checked, false);
    await shot('prune');
    await workbench.quick.check(/Remove Unused Images/, [short]);
    const { message, detail } = await workbench.notices.modal();
    assert.equal(message, `Remove ${short}?`);
    assert.match(detail, /^Frees /);
    await shot('prune-sure');
    await workbench.notices.answer('Remove');
    assert.match(await workbench.notices.says(/^Images removed/), /^Images removed: 1 of 1/);
    assert.equal(await hasImage(goes), false);
    assert.equal(await hasImage(stays), true);
  });

  it('tells who uses it before it goes', async () => {
    const image = await lab.tag('used');
    const other = image.replace(/:1$/, ':2');
    await lab.ask('POST', `/images/${image}/tag?repo=${image.replace(/:1$/, '')}&tag=2`);
    const user = await lab.create('user', { image });
    await seen(workbench, 'Images', other, ({ description }) => description.includes('used by'));
    await workbench.contextMenu(row(other), 'Remove Image…');
    const { detail } = await workbench.notices.modal();
    assert.match(detail, /^Used by /m);
    assert.match(detail, /^Force Remove /m);
    await shot('remove-used');
    await workbench.notices.answer('Remove Tag');
    await gone(workbench, 'Images', other);
    assert.equal(await lab.has(user), true);
  });

  it('warns of a name that another image has', async () => {
    const image = await lab.tag('tagged');
    const short = (await unneeded('other', true)).slice(0, 12);
    await seen(workbench, 'Images', image);
    await seen(workbench, 'Images', `localhost/${lab.name('other')}:1`);
    await workbench.contextMenu(row(image), 'Tag Image…');
    await workbench.quick.asks('Tag');
    await workbench.quick.box.fill(`localhost/${lab.name('other')}:1`);
    const warning = `Now the name of ${short}, which would be left without one.`;
    await until(async () => (await workbench.quick.message()).includes(warning), 'the warning');
    await shot('tag-clash');
  });

  it('tells how it was made', async () => {
    const image = await lab.tag('made');
    await seen(workbench, 'Images', image);
    await workbench.contextMenu(row(image), 'Show Image History');
    const lines = workbench.page.locator('.editor-instance .view-lines');
    await until(
      async () => (await lines.innerText()).replaceAll('\u00a0', ' ').includes('Made from:'),
      'the history',
    );
    await shot('history');
  });

  it('is found among all by a part of its name, and the view says how many there are', async () => {
    const image = await lab.tag('found');
    await seen(workbench, 'Images', image);
    await workbench.titleAction('Images', 'Filter Images…');
    await workbench.quick.type('Filter Images', lab.mark);
    await until(async () => (await workbench.rows('Images')).length === 1, 'one row alone');
    const title = workbench.pane('Images').locator('.pane-header');
    const words = await until(async () => {
      const text = await title.innerText();
      return text.includes(lab.mark) && text;
    }, 'the filter beside the title');
    assert.match(words, /\d of \d|\b1\b/);
    await shot('filtered');
    await workbench.titleAction('Images', 'Show All Images Again');
    await until(async () => (await workbench.rows('Images')).length > 1, 'all rows');
  });
});
