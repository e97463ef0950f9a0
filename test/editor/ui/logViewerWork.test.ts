// What a person does in log viewers besides following, all in one window.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { ERROR, printing, TRACE } from '../shop.ts';
import { Lab } from './lab.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

/** A window that starts on a busy machine. */
const RELOAD_MS = 60_000;
const STAY = 'exec sleep 100000';
const STOCK = '{"level":"warn","msg":"stock is low","left":2}';
const MIXED = [
  STOCK,
  'INFO one',
  'INFO two',
  'WARN three',
  'DEBUG four',
  '\u001b[31mred\u001b[0m five',
];
/** Its two outputs come with a pause between them: what is written to both at once has no order. */
const MIX = `
${printing([...MIXED, ERROR, ...TRACE, 'INFO six'], '0')}
sleep 0.3; echo 'INFO of the other output' >&2; ${STAY}`;
/** More than a viewer begins with, in two bursts. */
const OLD = `
seq 1500 | sed 's/.*/row & of the first/'
sleep 1.1; seq 1501 3000 | sed 's/.*/row & of the second/'; ${STAY}`;
const TICKS = 'i=1; while true; do echo "INFO tick $i"; i=$((i+1)); sleep 0.5; done';
/** As the editor writes them for a person in India. */
const ZONE_MINUTES = 330;

describe('work in log viewers', function () {
  this.timeout(90_000);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'gantry-work-'));
  let lab: Lab;
  let editor: Editor;
  let workbench: Workbench;
  let viewer: ViewerTab;
  let [mix, old, ticks] = ['', '', ''];

  const tab = (name: string) => workbench.page.getByRole('tab', { name });
  const closeTabs = () => workbench.quick.run('View: Close All Editors');
  const copied = async (wanted: string): Promise<void> => {
    let last: unknown;
    await until(async () => {
      last = await workbench.page.evaluate('navigator.clipboard.readText()');
      return last === wanted;
    }, 'the clipboard').catch(() => {
      assert.equal(last, wanted);
    });
  };
  /** The numbers of the ticks in view, once all are from this one on and there is one. */
  const ticksFrom = async (from: number, limit?: number): Promise<readonly number[]> => {
    const numbers = (texts: readonly string[]): readonly number[] =>
      texts.map((text) => Number(/^INFO tick (\d+)$/.exec(text)?.[1]));
    const fits = (texts: readonly string[]): boolean =>
      texts.length > 0 && numbers(texts).every((number) => number >= from);
    return numbers(await viewer.shows(`ticks from ${from} on`, fits, limit));
  };
  /** Saves by an entry of the menu, and gives what is in the file then. */
  const saved = async (entry: string, name: string): Promise<string> => {
    // In a folder of its own, with something in it to know it by: with the entries of the folder that it proposes
    // the dialog writes its proposal into the box, whatever is in there by then.
    const own = join(folder, `for ${name}`);
    mkdirSync(own);
    writeFileSync(join(own, `beside ${name}`), '');
    const path = join(own, name);
    await viewer.choose('Save and Open', entry);
    const { quick } = workbench;
    await until(async () => (await quick.box.inputValue()).endsWith('.log'), 'the proposed name');
    await until(async () => {
      if ((await quick.box.inputValue()) !== path) await quick.box.fill(path);
      return (await quick.labels()).some(({ label }) => label === `beside ${name}`);
    }, 'the entries of the folder');
    assert.equal(await quick.box.inputValue(), path);
    await workbench.page.keyboard.press('Enter');
    return until(() => readFileSync(path, 'utf8'), 'the file');
  };
  const firstTime = () => viewer.frame.locator('.row .time').first().innerText();

  before(async () => {
    lab = new Lab();
    mix = await lab.running('mix', { cmd: ['sh', '-c', MIX] });
    old = await lab.running('old', { cmd: ['sh', '-c', OLD] });
    ticks = await lab.running('ticks', { cmd: ['sh', '-c', TICKS] });
    editor = await openWorkbench({
      folder,
      env: { TZ: 'Asia/Kolkata' },
      settings: { 'gantry.logs.openIn': 'viewer', 'gantry.containers.notifyOnFailure': true },
    });
    ({ workbench } = editor);
    viewer = new ViewerTab(editor.page);
    await workbench.openView('Gantry');
    for (const name of [mix, old, ticks]) await seen(workbench, 'Containers', name);
  });

  shotOnFailure(() => editor);

  after(async () => {
    await editor.close();
    await lab.clean();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows the rows that are selected in one, and hides those that are not ticked', async () => {
    const row = (name: string) => workbench.row(name, 'Containers');
    await workbench.select(row(mix), row(ticks));
    await workbench.contextMenu(row(ticks), 'Open Log Viewer');
    await tab('and 1 more').waitFor();
    const is = (tick: boolean) => (texts: readonly string[]) =>
      texts.some((text) => text.startsWith('INFO tick')) === tick && texts.includes('INFO six');
    await viewer.shows('both', is(true));
    await viewer.choose('Containers', ticks);
    await viewer.shows('one of them', is(false));
    await viewer.choose('Containers', 'All Containers');
    await viewer.shows('both again', is(true));
    await closeTabs();
    await tab('and 1 more').waitFor({ state: 'detached' });
  });

  it('opens where the setting says that logs open', async () => {
    await workbench.select(workbench.row(mix, 'Containers'));
    await workbench.inlineAction(workbench.row(mix, 'Containers'), 'Show Logs');
    await tab(`Logs: ${mix}`).waitFor();
    await viewer.says(/INFO six/);
  });

  it('opens a line of JSON to its fields, and shows such lines by those that are chosen', async () => {
    await viewer.row('stock is low').locator('.twistie').click();
    const fields = viewer.row('stock is low').locator('.field');
    await until(async () => (await fields.count()) === 3, 'three fields');
    assert.deepEqual(await fields.locator('.field-value').allInnerTexts(), [
      'warn',
      'stock is low',
      '2',
    ]);
    await viewer.row('stock is low').locator('.twistie').click();
    await viewer.choose('JSON Fields', 'left');
    await viewer.choose('JSON Fields', 'msg');
    await viewer.shows('the two fields', ([first = '']) => /^2\s+stock is low$/.test(first));
    await viewer.choose('JSON Fields', 'Lines As They Are');
    await viewer.shows('the line', (texts) => texts[0] === STOCK);
    await workbench.page.keyboard.press('Escape');
  });

  it('folds stack traces, each and all', async () => {
    const isFolded = (texts: readonly string[]) =>
      texts.includes(ERROR) && !texts.some((text) => text.startsWith('Traceback'));
    await viewer.shows('a folded trace', isFolded);
    await viewer.row(ERROR).locator('.twistie').click();
    const isOpen = (texts: readonly string[]) => TRACE.every((line) => texts.includes(line.trim()));
    await viewer.shows('its lines', isOpen);
    await viewer.row(ERROR).locator('.twistie').click();
    await viewer.shows('a folded trace', isFolded);
    await viewer.button('Fold Stack Traces').click();
    await viewer.shows('all lines', isOpen);
    await viewer.button('Fold Stack Traces').click();
    await viewer.shows('a folded trace', isFolded);
  });

  it('tells the time of here, of UTC, and how long ago', async () => {
    const minutes = (clock: string): number => {
      const [hour = NaN, minute = NaN] = clock.slice(-12).split(':').map(Number);
      return hour * 60 + minute;
    };
    const here = minutes(await firstTime());
    await viewer.choose('Times', 'How Long Ago');
    await until(async () => /^\d+ (s|min) ago$/.test(await firstTime()), 'how long ago');
    await viewer.choose('Times', 'UTC');
    await until(async () => /\d\d:\d\d:\d\d\.\d{3}$/.test(await firstTime()), 'UTC');
    const day = 24 * 60;
    assert.equal((here - minutes(await firstTime()) + day) % day, ZONE_MINUTES);
  });

  it('filters by words and lines around them, by level and by output, and saves that', async () => {
    await viewer.button('Filter').first().click();
    await viewer.input('Show lines with').fill('three');
    await viewer.frame.getByLabel('Lines shown around each match').fill('1');
    const areRows =
      (...wanted: readonly string[]) =>
      (texts: readonly string[]) =>
        texts.join('|') === wanted.join('|');
    await viewer.shows('lines around', areRows('INFO two', 'WARN three', 'DEBUG four'));
    await viewer.input('Show lines with').fill('');
    await viewer.frame.getByLabel('Lines shown around each match').fill('0');
    await viewer.input('Hide lines with').fill('info');
    await viewer.shows('the others', areRows(STOCK, 'WARN three', 'DEBUG four', 'red five', ERROR));
    await viewer.button('Clear Filter').click();
    await viewer.choose('Levels', 'Warning');
    await viewer.shows('warnings', areRows(STOCK, 'WARN three'));
    await viewer.button('Clear Filter').click();
    await viewer.choose('Streams', 'stderr');
    await viewer.shows('the other output', areRows('INFO of the other output'));
    const text = await saved('Save Shown Lines…', 'shown.log');
    assert.match(text, /^\S+Z INFO of the other output\n$/);
    await workbench.notices.says('The log was saved.');
    // The next one says the same, and is shown for sure only where this one is gone.
    await workbench.notices.clear();
    await viewer.button('Clear Filter').click();
    await viewer.says(/INFO six/);
    await viewer.button('Filter').first().click();
  });

  it('copies with colors and without', async () => {
    await viewer.row('red five').locator('.time').click();
    await workbench.page.keyboard.press('Shift+ArrowDown');
    await workbench.page.keyboard.press('ControlOrMeta+c');
    // What is folded below a line is copied with it.
    const rest = [ERROR, ...TRACE].join('\n');
    await copied(`red five\n${rest}`);
    await workbench.page.keyboard.press('ControlOrMeta+Shift+c');
    await copied(`\u001b[31mred\u001b[0m five\n${rest}`);
  });

  it('saves all lines, with their colors where the name says so', async () => {
    const text = await saved('Save All Lines…', 'all.ansi');
    const lines = text.trimEnd().split('\n');
    const bare = lines.map((line) => line.replace(/^\S+Z /, ''));
    assert.deepEqual(bare, [...MIXED, ERROR, ...TRACE, 'INFO six', 'INFO of the other output']);
    await workbench.notices.press('The log was saved.', 'Open');
    await tab('all.ansi').waitFor();
    await workbench.quick.run('View: Close Editor');
    await viewer.says(/INFO six/);
  });

  it('opens what is shown as a document', async () => {
    await viewer.choose('Save and Open', 'Open as Text Document');
    const line = workbench.page.locator('.view-line', { hasText: /Z\sred\sfive/ });
    await line.waitFor();
    await workbench.quick.run('View: Close All Editors');
    // A document that was never saved.
    await workbench.notices.answer("Don't Save");
    await tab(`Logs: ${mix}`).waitFor({ state: 'detached' });
  });

  it('remembers how a log was shown', async () => {
    await workbench.inlineAction(workbench.row(mix, 'Containers'), 'Show Logs');
    await viewer.says(/INFO six/);
    const utc = await viewer.item('Times', 'UTC');
    assert.equal(await utc.getAttribute('aria-checked'), 'true');
    await workbench.page.keyboard.press('Escape');
    await closeTabs();
  });

  it('searches back through the whole log, and says how far', async () => {
    await workbench.inlineAction(workbench.row(old, 'Containers'), 'Show Logs');
    await viewer.says(/row 3000 of/);
    await viewer.log.click();
    await workbench.page.keyboard.press('ControlOrMeta+f');
    await viewer.input('Find').fill('ow 7 of');
    const find = viewer.frame.locator('.find');
    await find.locator('.count', { hasText: 'No results' }).waitFor();
    await find.getByRole('button', { name: 'Search the Whole Log' }).click();
    await find.locator('.count', { hasText: '1 of 1' }).waitFor();
    await find
      .locator('.horizon', { hasText: /^searched (?:back to [\d: -]+|the whole log)$/ })
      .waitFor();
    await viewer.shows('it in view', (texts) => texts.includes('row 7 of the first'));
    await workbench.shot('viewer-work/searched');
    await workbench.page.keyboard.press('Escape');
  });

  it('goes to a time', async () => {
    const query = 'stdout=1&timestamps=1&tail=1500';
    const said = await lab.ask('GET', `/containers/${old}/logs?${query}`);
    const moment = /\d{4}-\d\d-\d\dT[\d:.]+Z(?= row 1501 of)/.exec(said)?.[0] ?? '';
    await viewer.button('Go to Time…').click();
    // The first line of the second burst: a second before it there is none.
    await workbench.quick.type('Go to Time', moment.replace(/\.\d+Z/, 'Z'));
    await viewer.frame.locator('.row.current', { hasText: 'row 1501 of the second' }).waitFor();
    await closeTabs();
  });

  it('leads to the log of a container that ended unexpectedly', async () => {
    const job = await lab.running('job', {
      cmd: ['sh', '-c', 'trap "echo job is lost; exit 3" USR1; while :; do sleep 0.1; done'],
    });
    await seen(workbench, 'Containers', job, ({ description }) => description.startsWith('Up'));
    await lab.ask('POST', `/containers/${job}/kill?signal=USR1`);
    await workbench.notices.says(`${job} ended unexpectedly with status 3.`);
    await workbench.notices.press('ended unexpectedly', 'Show Logs');
    await viewer.says(/job is lost/);
    await viewer.says(/exited with status 3/);
    await closeTabs();
  });

  it('stays cleared, pinned and as it was over a reload of the window', async () => {
    await workbench.inlineAction(workbench.row(ticks, 'Containers'), 'Show Logs');
    await viewer.button('Filter').first().click();
    await viewer.input('Hide lines with').fill('nothing like this');
    const last = (await ticksFrom(1)).at(-1)!;
    await viewer.frame.getByRole('button', { name: 'Clear', exact: true }).click();
    const [first = 0] = await ticksFrom(last + 1);
    await workbench.quick.run('View: Pin Editor');
    const isNew = workbench.page.waitForEvent('domcontentloaded');
    await workbench.quick.run('Developer: Reload Window');
    await isNew;
    await ticksFrom(first + 1, RELOAD_MS);
    await viewer.log.click();
    await workbench.page.keyboard.press('Home');
    await until(async () => (await ticksFrom(first))[0] === first, 'the first that was new');
    assert.equal(await viewer.input('Hide lines with').inputValue(), 'nothing like this');
    await workbench.page.locator('.tab.sticky', { hasText: ticks }).waitFor();
  });
});
