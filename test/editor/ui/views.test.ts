import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { PageElement } from '../../bed/vscode/dom.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import type { Lab } from './lab.ts';
import { gone, says, seen, selected, visibleWords } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

/** Longer than a row at the default width of the side bar. */
const LONG = 'a-rather-long-name-that-somebody-gave-to-it';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';

describeWindow(`the views, on ${KIND}`, {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`views-${KIND}/${name}`);
  const row = (name: string) => workbench.row(name, 'Containers');

  before(() => ({ workbench } = window));

  it('show a different icon and state for each state, name first, readable at 300 px', async () => {
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

  it('show name, state and port of a container, and name and size of an image, completely at 300 px', async () => {
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

  it('let VS Code cut a long name, and show it completely in the tooltip', async () => {
    const name = await lab.exited(LONG, 137);
    const { icon } = await says(workbench, 'Containers', name, /^Stopped \(137\)/);
    assert.equal(icon, 'debug-stop');
    assert.match(await workbench.tooltip(row(name)), new RegExp(`Name: ${name}`));
    await shot('long-name');
  });

  it('are exactly five', async () => {
    const titles = await workbench.sideBar.locator('.pane-header .title').allInnerTexts();
    assert.deepEqual(
      titles.map((title) => title.trim()),
      ['Containers', 'Images', 'Builds', 'Volumes', 'Networks'],
    );
  });

  it('group a compose project under its name', async () => {
    const project = lab.name('shop');
    await Promise.all(
      ['web', 'db'].map((service) =>
        lab.running(`shop-${service}`, { labels: { [PROJECT]: project, [SERVICE]: service } }),
      ),
    );
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

  it('follow changes by other clients', async () => {
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

  it('follow images that are added and removed', async () => {
    const image = await lab.tag('image');
    await seen(workbench, 'Images', image);
    await lab.forget(image);
    await gone(workbench, 'Images', image);
  });

  it('count unhealthy containers in a badge', async () => {
    await says(workbench, 'Containers', await lab.running('fine'), /^Up/);
    assert.equal(await workbench.badge('Gantry'), '');
    if (KIND !== 'docker') return;
    const sick = await lab.running('sick', { health: 'false' });
    await says(workbench, 'Containers', sick, /^unhealthy/);
    await until(async () => (await workbench.badge('Gantry')) === '1', 'the badge is shown');
    await lab.ask('POST', `/containers/${sick}/stop?t=0`);
    await until(async () => (await workbench.badge('Gantry')) === '', 'the badge is removed');
  });

  it('keep selection and collapsed groups when a container stops and starts', async () => {
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

  it('hide stopped containers, and show them again', async () => {
    const stopped = await lab.exited('stopped', 0);
    const created = await lab.create('created');
    await says(workbench, 'Containers', stopped, /^Exited \(0\)/);
    await workbench.titleAction('Containers', 'Hide Stopped Containers');
    await gone(workbench, 'Containers', stopped);
    await seen(workbench, 'Containers', created);
    await workbench.titleAction('Containers', 'Show Stopped Containers');
    await seen(workbench, 'Containers', stopped);
  });

  it('offer the actions that fit the state, and a browser if a TCP port is published', async () => {
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

  it('stop several containers at once', async () => {
    const names = await Promise.all([lab.running('one'), lab.running('two')]);
    for (const name of names) await says(workbench, 'Containers', name, /^Up/);
    await workbench.select(...names.map(row));
    const entries = await workbench.contextEntries(row(names[0]));
    assert.ok(entries.includes('Stop') && !entries.includes('Rename...'), entries.join());
    await workbench.contextMenu(row(names[0]), 'Stop');
    for (const name of names) await says(workbench, 'Containers', name, /^(Exited|Stopped)/);
    assert.deepEqual(await workbench.notices.messages(), []);
  });

  it('rename a container with F2', async () => {
    const name = await lab.running('before');
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.select(row(name));
    await workbench.page.keyboard.press('F2');
    await workbench.quick.type(`Rename ${name}`, lab.name('after'));
    await says(workbench, 'Containers', lab.name('after'), /^Up/);
    assert.deepEqual(await selected(workbench, 'Containers'), [lab.name('after')]);
  });

  it('copy a name with the copy key, or several names, one per line', async () => {
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
});

/** Creates one container in each state that this engine has; returns their names with the text of their rows. */
async function everyState(lab: Lab): Promise<ReadonlyMap<string, RegExp>> {
  const pause = async (): Promise<string> => {
    const name = await lab.running('paused');
    await lab.ask('POST', `/containers/${name}/pause`);
    return name;
  };
  const states = await known([
    [lab.running('running'), /^Up/],
    [pause(), /^Paused/],
    [lab.create('created'), /^Created/],
    [lab.exited('exited-0', 0), /^Exited \(0\)/],
    [lab.exited('exited-1', 1), /^Exited \(1\)/],
  ]);
  if (KIND !== 'docker') return states;
  const loop = ['sh', '-c', 'exit 3'];
  const restarting = await lab.running('looping', { cmd: loop, restart: 'always' });
  const more = await known([
    [Promise.resolve(restarting), /^Restarting/],
    [lab.running('healthy', { health: 'true' }), /^healthy/],
    [lab.running('unhealthy', { health: 'false' }), /^unhealthy/],
    [lab.running('starting', { health: 'sleep 1000' }), /^starting/],
  ]);
  // Podman's health checks need timers that do not run here, and it never reports a container as restarting.
  await until(async () => (await lab.state(restarting)) === 'restarting', 'it restarts');
  return new Map([...states, ...more]);
}

/** Resolves to the texts of rows by name, once all containers are created. */
async function known(
  all: readonly (readonly [Promise<string>, RegExp])[],
): Promise<ReadonlyMap<string, RegExp>> {
  return new Map(await Promise.all(all.map(async ([name, words]) => [await name, words] as const)));
}

/** Waits until this text in a row is readable, and not cut off. */
function readable(row: Locator, words: RegExp): Promise<unknown> {
  return until(async () => words.test(await visibleWords(row)), `${String(words)} is readable`);
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
