import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { PageElement } from '../../bed/vscode/dom.ts';
import { until as engineUntil } from '../../bed/http.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Lab } from './lab.ts';
import { gone, says, seen, selected, visibleWords } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

/** No VS Code names it, and no person would like to. */
const LONG = 'a-rather-long-name-that-somebody-gave-to-it';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';

describe(`the views, on ${KIND}`, function () {
  this.timeout(90_000);
  let lab: Lab;
  let editor: Editor;
  let workbench: Workbench;
  const shot = (name: string): Promise<string> => workbench.shot(`views-${KIND}/${name}`);
  const row = (name: string) => workbench.row(name, 'Containers');

  before(async () => {
    editor = await openWorkbench();
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  beforeEach(() => {
    lab = new Lab();
  });

  // Before all is cleared away.
  shotOnFailure(() => editor);

  afterEach(async () => {
    await workbench.notices.clear();
    await lab.clean();
  });

  after(() => editor.close());

  it('shows every state by another icon, its name first and then its word, at 300 px', async () => {
    const words = await everyState(lab);
    const looks = new Map<string, string>();
    for (const [name, word] of words) {
      const found = await says(workbench, 'Containers', name, word);
      looks.set(`${found.icon} ${found.description.split(' ')[0]!}`, name);
      await readable(row(name), word);
    }
    assert.equal(looks.size, words.size);
    await shot('states');
  });

  it('shows name, state and port of a container, and name and size of an image, uncut at 300 px', async () => {
    const container = await lab.running('frontends', { port: 80 });
    const image = await lab.tag('backend');
    assert.deepEqual([container.length, image.length], [14, 24]);
    await says(workbench, 'Containers', container, /→80$/);
    await seen(workbench, 'Images', image);
    assert.equal(await workbench.sideBarWidth(), 300);
    // A font that is the same everywhere, and about as wide as those of Windows and macOS.
    const content = '.monaco-workbench { font-family: "Open Sans" !important; }';
    const style = await workbench.page.addStyleTag({ content });
    await readable(row(container), /^Up \d+ \w+ · \d+→80$/);
    await readable(workbench.row(image, 'Images'), /^[\d.]+ [kMG]B ·/);
    await shot('room');
    await style.evaluate((element: PageElement & { remove(): void }) => {
      element.remove();
    });
  });

  it('leaves the cutting of a long name to the editor, and says it whole in the tooltip', async () => {
    const name = await lab.exited(LONG, 137);
    const { icon } = await says(workbench, 'Containers', name, /^Stopped \(137\)/);
    assert.equal(icon, 'debug-stop');
    assert.match(await workbench.tooltip(row(name)), new RegExp(`Name: ${name}`));
    await shot('long-name');
  });

  it('has two views and no more', async () => {
    const titles = await workbench.sideBar.locator('.pane-header .title').allInnerTexts();
    assert.deepEqual(
      titles.map((title) => title.trim()),
      ['Containers', 'Images'],
    );
  });

  it('gathers a compose project under its name', async () => {
    const project = lab.name('shop');
    for (const service of ['web', 'db'])
      await lab.running(`shop-${service}`, { labels: { [PROJECT]: project, [SERVICE]: service } });
    await says(workbench, 'Containers', project, /^2 of 2 up$/);
    const rows = await workbench.rows('Containers');
    const at = rows.findIndex(({ label }) => label === project);
    assert.deepEqual(
      rows.slice(at, at + 3).map(({ label, level }) => [label, level]),
      [
        [project, 1],
        ['db', 2],
        ['web', 2],
      ],
    );
    assert.match(await workbench.tooltip(row('web')), new RegExp(`Name: ${lab.name('shop-web')}`));
    await shot('compose');
  });

  it('follows what is done elsewhere', async () => {
    const name = await lab.create('other');
    await says(workbench, 'Containers', name, /^Created/);
    await lab.start(name);
    await says(workbench, 'Containers', name, /^Up/);
    await lab.ask('POST', `/containers/${name}/pause`);
    await says(workbench, 'Containers', name, /^Paused/);
    await lab.ask('POST', `/containers/${name}/unpause`);
    await lab.ask('POST', `/containers/${name}/rename?name=${lab.name('renamed')}`);
    await says(workbench, 'Containers', lab.name('renamed'), /^Up/);
    await lab.ask('DELETE', `/containers/${lab.name('renamed')}?force=1`);
    await gone(workbench, 'Containers', lab.name('renamed'));
  });

  it('follows images that come and go', async () => {
    const image = await lab.tag('image');
    await seen(workbench, 'Images', image);
    await lab.forget(image);
    await gone(workbench, 'Images', image);
  });

  it('counts what needs a look in a badge', async () => {
    await says(workbench, 'Containers', await lab.running('fine'), /^Up/);
    assert.equal(await workbench.badge('Gantry'), '');
    if (KIND !== 'docker') return;
    const sick = await lab.running('sick', { health: 'false' });
    await says(workbench, 'Containers', sick, /^unhealthy/);
    await until(async () => (await workbench.badge('Gantry')) === '1', 'the badge');
    await lab.ask('POST', `/containers/${sick}/stop?t=0`);
    await until(async () => (await workbench.badge('Gantry')) === '', 'the badge to go');
  });

  it('keeps selection and folded groups over a start and a stop', async () => {
    const project = lab.name('folded');
    await lab.running('inside', { labels: { [PROJECT]: project, [SERVICE]: 'inside' } });
    const name = await lab.running('kept');
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.toggle(row(project));
    await seen(workbench, 'Containers', project, ({ expanded }) => expanded === false);
    await workbench.select(row(name));
    await workbench.inlineAction(row(name), 'Stop');
    await says(workbench, 'Containers', name, /^(Exited|Stopped)/);
    assert.deepEqual(await selected(workbench, 'Containers'), [name]);
    await workbench.inlineAction(row(name), 'Start');
    await says(workbench, 'Containers', name, /^Up/);
    assert.deepEqual(await selected(workbench, 'Containers'), [name]);
    await seen(workbench, 'Containers', project, ({ expanded }) => expanded === false);
  });

  it('hides what has stopped, and shows it again', async () => {
    const stopped = await lab.exited('stopped', 0);
    const created = await lab.create('created');
    await says(workbench, 'Containers', stopped, /^Exited \(0\)/);
    await workbench.titleAction('Containers', 'Hide Stopped Containers');
    await gone(workbench, 'Containers', stopped);
    await seen(workbench, 'Containers', created);
    await workbench.titleAction('Containers', 'Show Stopped Containers');
    await seen(workbench, 'Containers', stopped);
  });

  it('offers what fits the state, and a browser where a TCP port is published', async () => {
    const running = await lab.running('open', { port: 80 });
    const stopped = await lab.exited('closed', 0);
    await says(workbench, 'Containers', running, /→80/);
    await says(workbench, 'Containers', stopped, /^(Exited|Stopped)/);
    const entries = await workbench.contextEntries(row(running));
    await workbench.contextMenu(row(running), 'Pause');
    await says(workbench, 'Containers', running, /^Paused/);
    const paused = await workbench.contextEntries(row(running));
    const ended = await workbench.contextEntries(row(stopped));
    for (const entry of ['Stop', 'Restart', 'Pause', 'Kill', 'Wait for Exit', 'Open in Browser'])
      assert.ok(entries.includes(entry), entry);
    assert.ok(paused.includes('Unpause') && !paused.includes('Pause'));
    assert.ok(ended.includes('Start'));
    for (const entry of ['Stop', 'Pause', 'Unpause', 'Kill', 'Wait for Exit', 'Open in Browser'])
      assert.ok(!ended.includes(entry), entry);
    assert.ok(!entries.includes('Start') && !entries.includes('Unpause'));
  });

  it('stops several at once', async () => {
    const names = [await lab.running('one'), await lab.running('two')];
    for (const name of names) await says(workbench, 'Containers', name, /^Up/);
    await workbench.select(...names.map(row));
    await workbench.contextMenu(row(names[0]!), 'Stop');
    for (const name of names) await says(workbench, 'Containers', name, /^(Exited|Stopped)/);
    assert.deepEqual(await workbench.notices.messages(), []);
  });

  it('names each that failed when several are done at once', async () => {
    const names = [await lab.running('fine'), await lab.create('broken', { cmd: ['/no/such'] })];
    await lab.ask('POST', `/containers/${names[0]!}/stop`);
    await says(workbench, 'Containers', names[0]!, /^(Exited|Stopped)/);
    await says(workbench, 'Containers', names[1]!, /^Created/);
    await workbench.select(...names.map(row));
    await workbench.contextMenu(row(names[0]!), 'Start');
    const message = await workbench.notices.says('1 of 2 failed');
    assert.match(message, new RegExp(`${names[1]!}: .*/no/such`));
    await says(workbench, 'Containers', names[0]!, /^Up/);
    await shot('one-of-two-failed');
  });

  it('renames by F2', async () => {
    const name = await lab.running('before');
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.select(row(name));
    await workbench.page.keyboard.press('F2');
    await workbench.quick.type(`Rename ${name}`, lab.name('after'));
    await says(workbench, 'Containers', lab.name('after'), /^Up/);
    assert.deepEqual(await selected(workbench, 'Containers'), [lab.name('after')]);
  });

  it('copies a name by the copy key, or several, a line each', async () => {
    const name = await lab.create('copied');
    await seen(workbench, 'Containers', name);
    await workbench.select(row(name));
    await workbench.page.keyboard.press('ControlOrMeta+c');
    await until(async () => (await clipboard(workbench)) === name, 'the name in the clipboard');
    const other = await lab.create('copied-2');
    await seen(workbench, 'Containers', other);
    await workbench.select(row(name), row(other));
    await workbench.page.keyboard.press('ControlOrMeta+c');
    const both = `${name}\n${other}`;
    await until(async () => (await clipboard(workbench)) === both, 'both names in the clipboard');
    const image = await lab.tag('copied');
    await seen(workbench, 'Images', image);
    await workbench.select(workbench.row(image, 'Images'));
    await workbench.page.keyboard.press('ControlOrMeta+c');
    await until(async () => (await clipboard(workbench)) === image, 'the image in the clipboard');
  });

  it('takes a name of an image away, and says that the image stays', async () => {
    const image = await lab.tag('untagged');
    await seen(workbench, 'Images', image);
    await workbench.select(workbench.row(image, 'Images'));
    await workbench.page.keyboard.press('Delete');
    const { message, detail } = await workbench.notices.modal();
    assert.equal(message, `Remove ${image}?`);
    assert.match(detail, /Remove Tag removes only the tag: the image keeps /);
    await shot('untag');
    await workbench.notices.answer('Remove Tag');
    await gone(workbench, 'Images', image);
  });
});

/** One container in each state this engine has, and the words it is known by. */
async function everyState(lab: Lab): Promise<ReadonlyMap<string, RegExp>> {
  const paused = await lab.running('paused');
  await lab.ask('POST', `/containers/${paused}/pause`);
  const restarting = await lab.running('looping', {
    cmd: ['sh', '-c', 'exit 3'],
    restart: 'always',
  });
  const states = new Map([
    [await lab.running('running'), /^Up/],
    [paused, /^Paused/],
    [await lab.create('created'), /^Created/],
    [await lab.exited('exited-0', 0), /^Exited \(0\)/],
    [await lab.exited('exited-1', 1), /^Exited \(1\)/],
  ]);
  if (KIND !== 'docker') return states;
  // Podman's checks need timers that nobody runs here, and it never says that one is restarting.
  await engineUntil(async () => (await lab.state(restarting)) === 'restarting', 'it restarts');
  return new Map([
    ...states,
    [restarting, /^Restarting/],
    [await lab.running('healthy', { health: 'true' }), /^healthy/],
    [await lab.running('unhealthy', { health: 'false' }), /^unhealthy/],
    [await lab.running('starting', { health: 'sleep 1000' }), /^starting/],
  ]);
}

/** Waits until these words can be read in a row, none of them cut off. */
function readable(row: Locator, words: RegExp): Promise<unknown> {
  return until(async () => words.test(await visibleWords(row)), `${String(words)} to be readable`);
}

function clipboard(workbench: Workbench): Promise<string> {
  return workbench.page.evaluate(() =>
    (
      globalThis as unknown as {
        readonly navigator: { readonly clipboard: { readText(): Promise<string> } };
      }
    ).navigator.clipboard.readText(),
  );
}
