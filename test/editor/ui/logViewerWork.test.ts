// All uses of log viewers other than following a log, in one window.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { ERROR, printing, TRACE } from '../shop.ts';
import { describeWindow } from './describeWindow.ts';
import { saveAs } from './forms.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

/** Time in milliseconds that a window takes to start on a busy machine. */
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
/** Writes to stderr only on a signal: lines written to both streams at once have no fixed order. */
const MIX = `
trap "echo 'INFO of the other output' >&2" USR1
${printing([...MIXED, ERROR, ...TRACE, 'INFO six'], '0')}
while :; do sleep 0.1; done`;
/** More lines than a viewer initially shows, in two bursts. */
const OLD = `
seq 1500 | sed 's/.*/row & of the first/'
sleep 1.1; seq 1501 3000 | sed 's/.*/row & of the second/'; ${STAY}`;
const TICKS = 'i=1; while true; do echo "INFO tick $i"; i=$((i+1)); sleep 0.1; done';
/** Offset of the local time for a user in India. */
const ZONE_MINUTES = 330;

const SETTINGS = { 'gantry.logs.openIn': 'viewer', 'gantry.containers.notifyOnFailure': true };
const OPTIONS = { isJourney: true, settings: SETTINGS };

describeWindow('a log viewer', OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let viewer: ViewerTab;
  let [mix, few, old, ticks] = ['', '', '', ''];

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
  /** Resolves to the numbers of the ticks in view, once there are some and all are at least `from`. */
  const ticksFrom = async (from: number, limit?: number): Promise<readonly number[]> => {
    const numbers = (texts: readonly string[]): readonly number[] =>
      texts.map((text) => Number(/^INFO tick (\d+)$/.exec(text)?.[1]));
    const fits = (texts: readonly string[]): boolean =>
      texts.length > 0 && numbers(texts).every((number) => number >= from);
    return numbers(await viewer.shows(`ticks from ${from} on`, fits, limit));
  };
  /** Saves through an entry of the menu; resolves to the content of the file. */
  const saved = async (entry: string, name: string): Promise<string> => {
    await viewer.choose('Save and Open', entry);
    await workbench.quick.asks(/Save/);
    const path = await saveAs(workbench, window.folder, name);
    return until(() => readFileSync(path, 'utf8'), 'the file');
  };
  const firstTime = () => viewer.frame.locator('.row .time').first().innerText();

  before(async () => {
    ({ workbench } = window);
    viewer = new ViewerTab(workbench.page);
    [mix, few, old, ticks] = await Promise.all([
      lab.running('mix', { cmd: ['sh', '-c', MIX] }),
      lab.running('few', { cmd: ['sh', '-c', `echo 'INFO few'; ${STAY}`] }),
      lab.running('old', { cmd: ['sh', '-c', OLD] }),
      lab.running('ticks', { cmd: ['sh', '-c', TICKS] }),
    ]);
    for (const name of [mix, few, old, ticks]) await seen(workbench, 'Containers', name);
    const printed = async (): Promise<boolean> =>
      (await lab.ask('GET', `/containers/${mix}/logs?stdout=1`)).includes('INFO six');
    await until(printed, 'the first output is printed');
    await lab.ask('POST', `/containers/${mix}/kill?signal=USR1`);
  });

  it('shows all selected rows in one editor, and hides containers that are not checked', async () => {
    const row = (name: string) => workbench.row(name, 'Containers');
    await workbench.select(row(mix), row(few));
    await workbench.contextMenu(row(few), 'Open Log Viewer');
    await tab('and 1 more').waitFor();
    const is = (both: boolean) => (texts: readonly string[]) =>
      texts.includes('INFO few') === both && texts.includes('INFO six');
    await viewer.shows('the lines of both containers', is(true));
    await viewer.choose('Containers', few);
    await viewer.shows('the lines of one container', is(false));
    await viewer.choose('Containers', 'All Containers');
    await viewer.shows('the lines of both containers again', is(true));
    await closeTabs();
    await tab('and 1 more').waitFor({ state: 'detached' });
  });

  it('opens if the setting selects it for logs', async () => {
    await workbench.select(workbench.row(mix, 'Containers'));
    await workbench.inlineAction(workbench.row(mix, 'Containers'), 'Show Logs');
    await tab(`Logs: ${mix}`).waitFor();
    await viewer.says(/INFO six/);
  });

  it('expands a JSON line to its fields, and shows selected fields of such lines', async () => {
    await viewer.row('stock is low').locator('.twistie').click();
    const fields = viewer.row('stock is low').locator('.field');
    await until(async () => (await fields.count()) === 3, 'three fields are shown');
    assert.deepEqual(await fields.locator('.field-value').allInnerTexts(), [
      'warn',
      'stock is low',
      '2',
    ]);
    await viewer.row('stock is low').locator('.twistie').click();
    await viewer.choose('JSON Fields', 'left');
    await viewer.choose('JSON Fields', 'msg');
    await viewer.shows('the two fields', ([first = '']) => /^2\s+stock is low$/.test(first));
    await viewer.choose('JSON Fields', 'Raw Lines');
    await viewer.shows('the line', (texts) => texts[0] === STOCK);
    await workbench.page.keyboard.press('Escape');
  });

  it('folds stack traces, individually and together', async () => {
    const isFolded = (texts: readonly string[]) =>
      texts.includes(ERROR) && !texts.some((text) => text.startsWith('Traceback'));
    await viewer.shows('a folded trace', isFolded);
    await viewer.row(ERROR).locator('.twistie').click();
    const isOpen = (texts: readonly string[]) => TRACE.every((line) => texts.includes(line.trim()));
    await viewer.shows('the lines of the trace', isOpen);
    await viewer.row(ERROR).locator('.twistie').click();
    await viewer.shows('a folded trace', isFolded);
    await viewer.button('Fold Stack Traces').click();
    await viewer.shows('the lines of the trace', isOpen);
    await viewer.button('Fold Stack Traces').click();
    await viewer.shows('a folded trace', isFolded);
  });

  it('shows local, UTC and relative times', async () => {
    const minutes = (clock: string): number => {
      const [hour = NaN, minute = NaN] = clock.slice(-12).split(':').map(Number);
      return hour * 60 + minute;
    };
    const here = minutes(await firstTime());
    await viewer.choose('Timestamps', 'Relative Time');
    await until(
      async () => /^\d+ (s|min) ago$/.test(await firstTime()),
      'relative times are shown',
    );
    await viewer.choose('Timestamps', 'UTC');
    await until(
      async () => /\d\d:\d\d:\d\d\.\d{3}$/.test(await firstTime()),
      'times in UTC are shown',
    );
    const day = 24 * 60;
    assert.equal((here - minutes(await firstTime()) + day) % day, ZONE_MINUTES);
  });

  it('filters by text with context, by level and by stream, and saves the result', async () => {
    await viewer.button('Filter').first().click();
    await viewer.input('Show lines with').fill('three');
    await viewer.frame.getByLabel('Lines shown around each match').fill('1');
    const areRows =
      (...wanted: readonly string[]) =>
      (texts: readonly string[]) =>
        texts.join('|') === wanted.join('|');
    await viewer.shows(
      'the matching lines and the lines around them',
      areRows('INFO two', 'WARN three', 'DEBUG four'),
    );
    await viewer.input('Show lines with').fill('');
    await viewer.frame.getByLabel('Lines shown around each match').fill('0');
    await viewer.input('Hide lines with').fill('info');
    await viewer.shows(
      'the lines that are not hidden',
      areRows(STOCK, 'WARN three', 'DEBUG four', 'red five', ERROR),
    );
    await viewer.button('Clear Filter').click();
    await viewer.choose('Levels', 'Warning');
    await viewer.shows('only warnings', areRows(STOCK, 'WARN three'));
    await viewer.button('Clear Filter').click();
    await viewer.choose('Streams', 'stderr');
    await viewer.shows('the other output', areRows('INFO of the other output'));
    const text = await saved('Save Shown Lines...', 'shown.log');
    assert.match(text, /^\S+Z INFO of the other output\n$/);
    await workbench.notices.says('The log was saved.');
    // The next save shows the same message, which is certain to appear only if this one is gone.
    await workbench.notices.clear();
    await viewer.button('Clear Filter').click();
    await viewer.says(/INFO six/);
    await viewer.button('Filter').first().click();
  });

  it('copies with and without colors', async () => {
    await viewer.row('red five').locator('.time').click();
    await workbench.page.keyboard.press('Shift+ArrowDown');
    await workbench.page.keyboard.press('ControlOrMeta+c');
    // Folded lines are copied together with their first line.
    const rest = [ERROR, ...TRACE].join('\n');
    await copied(`red five\n${rest}`);
    await workbench.page.keyboard.press('ControlOrMeta+Shift+c');
    await copied(`\u001b[31mred\u001b[0m five\n${rest}`);
  });

  it('saves all lines, with colors if the file name has the extension for them', async () => {
    const text = await saved('Save All Lines...', 'all.ansi');
    const lines = text.trimEnd().split('\n');
    const bare = lines.map((line) => line.replace(/^\S+Z /, ''));
    assert.deepEqual(bare, [...MIXED, ERROR, ...TRACE, 'INFO six', 'INFO of the other output']);
    await workbench.notices.press('The log was saved.', 'Open');
    await tab('all.ansi').waitFor();
    await workbench.quick.run('View: Close Editor');
    await viewer.says(/INFO six/);
  });

  it('opens the shown lines as a document', async () => {
    await viewer.choose('Save and Open', 'Open as Text Document');
    const line = workbench.page.locator('.view-line', { hasText: /Z\sred\sfive/ });
    await line.waitFor();
    await workbench.quick.run('View: Close All Editors');
    // The document was never saved.
    await workbench.notices.answer("Don't Save");
    await tab(`Logs: ${mix}`).waitFor({ state: 'detached' });
  });

  it('remembers how a log was shown', async () => {
    await workbench.inlineAction(workbench.row(mix, 'Containers'), 'Show Logs');
    await viewer.says(/INFO six/);
    const utc = await viewer.item('Timestamps', 'UTC');
    assert.equal(await utc.getAttribute('aria-checked'), 'true');
    await workbench.page.keyboard.press('Escape');
    await closeTabs();
  });

  it('searches the whole log backwards, and shows how far it got', async () => {
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
    await viewer.shows('the first matching row in view', (texts) =>
      texts.includes('row 7 of the first'),
    );
    await workbench.shot('viewer-work/searched');
    await workbench.page.keyboard.press('Escape');
  });

  it('goes to a time', async () => {
    const query = 'stdout=1&timestamps=1&tail=1500';
    const said = await lab.ask('GET', `/containers/${old}/logs?${query}`);
    const moment = /\d{4}-\d\d-\d\dT[\d:.]+Z(?= row 1501 of)/.exec(said)?.[0] ?? '';
    await viewer.button('Go to Time...').click();
    // The first line of the second burst: there is a gap before it.
    await workbench.quick.type('Go to Time', moment.replace(/(\.\d{3})\d*Z/, '$1Z'));
    await viewer.frame.locator('.row.current', { hasText: 'row 1501 of the second' }).waitFor();
    await closeTabs();
  });

  it('shows the log of a container that exited unexpectedly, from its notification', async () => {
    const trap = 'trap "echo job is lost; exit 3" USR1; touch /ready';
    const job = await lab.running('job', {
      cmd: ['sh', '-c', `${trap}; while :; do sleep 0.1; done`],
    });
    await seen(workbench, 'Containers', job, ({ description }) => description.startsWith('Up'));
    await until(() => lab.hasFile(job, '/ready'), 'the container has set its trap');
    await lab.ask('POST', `/containers/${job}/kill?signal=USR1`);
    await workbench.notices.says(`${job} exited unexpectedly with code 3.`);
    await workbench.notices.press('exited unexpectedly', 'Show Logs');
    await viewer.says(/job is lost/);
    await viewer.says(/exited with code 3/);
    await closeTabs();
  });

  it('stays cleared and pinned, and keeps its filter, after a reload of the window', async () => {
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
    await until(
      async () => (await ticksFrom(first))[0] === first,
      'the oldest line is shown again',
    );
    assert.equal(await viewer.input('Hide lines with').inputValue(), 'nothing like this');
    await workbench.page.locator('.tab.sticky', { hasText: ticks }).waitFor();
    await workbench.quick.run('View: Unpin Editor');
  });
});
