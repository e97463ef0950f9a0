// What only a window shows of log viewers, other than following a log: their dialogs, editors, settings, notifications.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { typeInto } from '../../bed/vscode/press.ts';
import { until } from '../../bed/until.ts';
import { ERROR, printing, TRACE } from '../shop.ts';
import { describeWindow } from './describeWindow.ts';
import { saveAs } from './forms.ts';
import { seen } from './seen.ts';
import { ViewerTab } from './viewerTab.ts';

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
/** The only line on stderr. */
const OTHER = 'INFO of the other output';
/** Writes to stderr only on a signal: lines written to both streams at once have no fixed order. */
const MIX = `
trap "echo '${OTHER}' >&2" USR1
${printing([...MIXED, ERROR, ...TRACE, 'INFO six'], '0')}
while :; do sleep 0.1; done`;

const SETTINGS = { 'gantry.logs.openIn': 'viewer', 'gantry.containers.notifyOnFailure': true };
const OPTIONS = { isJourney: true, settings: SETTINGS };

describeWindow('a log viewer', OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let viewer: ViewerTab;
  let mix = '';
  let few = '';

  const tab = (name: string) => workbench.page.getByRole('tab', { name });
  const closeTabs = () => workbench.closeEditors();

  before(async () => {
    ({ workbench } = window);
    viewer = new ViewerTab(workbench.page);
    [mix, few] = await Promise.all([
      lab.running('mix', { cmd: ['sh', '-c', MIX] }),
      lab.running('few', { cmd: ['sh', '-c', `echo 'INFO few'; ${STAY}`] }),
    ]);
    for (const name of [mix, few]) await seen(workbench, 'Containers', name);
    const printed = async (): Promise<boolean> =>
      (await lab.ask('GET', `/containers/${mix}/logs?stdout=1`)).includes('INFO six');
    await until(printed, 'the first output is printed');
    await lab.ask('POST', `/containers/${mix}/kill?signal=USR1`);
  });

  it('shows all selected rows in one editor', async () => {
    const row = (name: string) => workbench.row(name, 'Containers');
    await workbench.select(row(mix), row(few));
    await workbench.contextMenu(row(few), 'More', 'Open Log Viewer');
    await tab('and 1 more').waitFor();
    await viewer.shows('the lines of both containers', (texts) =>
      ['INFO few', 'INFO six'].every((text) => texts.includes(text)),
    );
    await closeTabs();
    await tab('and 1 more').waitFor({ state: 'detached' });
  });

  it('opens if the setting selects it for logs', async () => {
    await workbench.select(workbench.row(mix, 'Containers'));
    await workbench.inlineAction(workbench.row(mix, 'Containers'), 'Show Logs');
    await tab(`Logs: ${mix}`).waitFor();
    await viewer.says(/INFO six/);
  });

  it('filters by text with context, by level and by stream', async () => {
    await viewer.button('Filter').first().click();
    await typeInto(viewer.input('Show lines with'), 'three');
    await typeInto(viewer.frame.getByLabel('Lines shown around each match'), '1');
    const areRows =
      (...wanted: readonly string[]) =>
      (texts: readonly string[]) =>
        texts.join('|') === wanted.join('|');
    await viewer.shows(
      'the matching lines and the lines around them',
      areRows('INFO two', 'WARN three', 'DEBUG four'),
    );
    await viewer.button('Clear Filter').click();
    await viewer.choose('Levels', 'Warning');
    await viewer.shows('only warnings', areRows(STOCK, 'WARN three'));
    await viewer.button('Clear Filter').click();
    await viewer.choose('Streams', 'stderr');
    await viewer.shows('the other output', areRows(OTHER));
  });

  it('saves all lines, with colors if the file name has the extension for them', async () => {
    await viewer.choose('Save and Open', 'Save All Lines...');
    await workbench.quick.asks(/Save/);
    const path = await saveAs(workbench, window.folder, 'all.ansi');
    const text = await until(() => readFileSync(path, 'utf8'), 'the file');
    const lines = text.trimEnd().split('\n');
    const bare = lines.map((line) => line.replace(/^\S+Z /, ''));
    assert.deepEqual(bare, [...MIXED, ERROR, ...TRACE, 'INFO six', OTHER]);
    await workbench.notices.press('The log was saved.', 'Open');
    await tab('all.ansi').waitFor();
    await workbench.quick.run('View: Close Editor');
    await viewer.says(new RegExp(OTHER));
  });

  it('opens the shown lines as a document', async () => {
    await viewer.choose('Timestamps', 'UTC');
    await viewer.choose('Save and Open', 'Open as Text Document');
    const lines = workbench.page.locator('.part.editor .view-lines');
    const text = /^\S+Z\sINFO\sof\sthe\sother\soutput$/;
    await until(async () => text.test((await lines.innerText()).trim()), 'the shown line alone');
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
  });

  it('goes to a time', async () => {
    const said = await lab.ask('GET', `/containers/${mix}/logs?stdout=1&timestamps=1`);
    const [moment = ''] = /^.*?Z/m.exec(said.slice(said.search(/\d{4}-\d\d-\d\dT/))) ?? [];
    await viewer.button('Go to Time...').click();
    await workbench.quick.type('Go to Time', moment.replace(/(\.\d{3})\d*Z/, '$1Z'));
    await viewer.frame.locator('.row.current', { hasText: 'stock is low' }).waitFor();
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
});
