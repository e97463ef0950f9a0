import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { PageElement } from '../../bed/vscode/dom.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import type { Lab } from './lab.ts';
import { imageLabel, says, seen, selected, visibleWords } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';

describeWindow(`the views, on ${KIND}`, {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  const shot = (name: string): Promise<void> => workbench.shot(`views-${KIND}/${name}`);
  const row = (name: string) => workbench.row(name, 'Containers');

  before(() => ({ workbench } = window));

  it('show states by different icons, name first, readable at 300 px', async () => {
    const words = await someStates(lab);
    const icons = new Set<string>();
    for (const [name, word] of words) {
      icons.add((await says(workbench, 'Containers', name, word)).icon);
      await readable(row(name), word);
    }
    assert.equal(icons.size, words.size);
    await shot('states');
  });

  it('show name, state and port of a container, and name and size of an image, completely at 300 px', async () => {
    const container = await lab.running('frontends', { port: 80 });
    const image = await lab.tag('backend');
    assert.deepEqual([container.length, image.length], [14, 24]);
    await says(workbench, 'Containers', container, /→80$/);
    await seen(workbench, 'Images', imageLabel(image));
    assert.equal(await workbench.sideBarWidth(), 300);
    // A font that is the same everywhere, and about as wide as those of Windows and macOS.
    const content = '.monaco-workbench { font-family: "Open Sans" !important; }';
    const style = await workbench.page.addStyleTag({ content });
    await readable(row(container), /^Up \d+ \w+ · \d+→80$/);
    await readable(workbench.row(imageLabel(image), 'Images'), /^[\d.]+ [kMG]B ·/);
    await shot('room');
    await style.evaluate((element: PageElement & { remove(): void }) => element.remove());
  });

  it('are exactly five', async () => {
    const titles = await workbench.sideBar.locator('.pane-header .title').allInnerTexts();
    assert.deepEqual(
      titles.map((title) => title.trim()),
      ['Containers', 'Images', 'Builds', 'Volumes', 'Networks'],
    );
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
    await lab.running('inside', {
      labels: { [PROJECT]: project, 'com.docker.compose.config-hash': 'hash', [SERVICE]: 'inside' },
    });
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

  it('offer the actions that fit the state, and a browser if a TCP port is published', async () => {
    const running = await lab.running('open', { port: 80 });
    const stopped = await lab.exited('closed', 0);
    await says(workbench, 'Containers', running, /→80/);
    await says(workbench, 'Containers', stopped, /^(Exited|Stopped)/);
    const entries = await workbench.contextEntries(row(running));
    await workbench.contextMenu(row(running), 'More', 'Pause');
    await says(workbench, 'Containers', running, /^Paused/);
    const paused = await workbench.contextEntries(row(running));
    const ended = await workbench.contextEntries(row(stopped));
    const [view, others] = [
      ['Show Logs', 'Show Details'],
      ['Image', 'Network', 'Copy', 'More', 'Rename...', 'Remove...'],
    ];
    const browse = 'Browse Files';
    assert.deepEqual(entries, [
      ...['Stop', 'Restart', ...view, 'Open in Browser', 'Open Shell (exec)', browse, ...others],
    ]);
    assert.deepEqual(paused, [
      'Unpause',
      'Stop',
      'Restart',
      ...view,
      'Open in Browser',
      browse,
      ...others,
    ]);
    assert.deepEqual(ended, ['Start', ...view, browse, ...others]);
    await workbench.inlineAction(row(running), 'Unpause');
    await says(workbench, 'Containers', running, /^Up/);
  });

  it('stop several containers at once', async () => {
    const names = await Promise.all([lab.running('one'), lab.running('two')]);
    for (const name of names) await says(workbench, 'Containers', name, /^Up/);
    await workbench.select(...names.map(row));
    const entries = await workbench.contextEntries(row(names[0]));
    assert.ok(entries.includes('Stop') && !entries.includes('Rename...'), entries.join());
    await workbench.contextMenu(row(names[0]), 'Stop');
    for (const name of names) await says(workbench, 'Containers', name, /^(Exited|Stopped)/);
    assert.deepEqual(await workbench.notices.outcomes(/^Stopping /), []);
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
    await seen(workbench, 'Images', imageLabel(image));
    await workbench.select(workbench.row(imageLabel(image), 'Images'));
    await workbench.page.keyboard.press('ControlOrMeta+c');
    await until(async () => (await clipboard(workbench)) === image, 'the image in the clipboard');
  });
});

/** Creates containers in some states; returns their names with the text of their rows. */
async function someStates(lab: Lab): Promise<ReadonlyMap<string, RegExp>> {
  const paused = await lab.running('paused');
  await lab.ask('POST', `/containers/${paused}/pause`);
  const exited = await lab.exited('exited-1', 1);
  const states = new Map([
    [paused, /^Paused/],
    [exited, /^Exited \(1\)/],
  ]);
  // Podman never reports a container as restarting.
  if (KIND !== 'docker') return states;
  const cmd = ['sh', '-c', 'exit 3'];
  const restarting = await lab.running('looping', { cmd, restart: 'always' });
  await until(async () => (await lab.state(restarting)) === 'restarting', 'it restarts');
  return states.set(restarting, /^Restarting/);
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
