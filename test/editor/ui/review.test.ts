import assert from 'node:assert/strict';
import type { Row } from '../../bed/vscode/rows.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { says } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const WORK = [
  'mkdir -p /srv/app /opt/empty',
  'echo one > /srv/app/new.txt',
  'sed -i s/root/admin/ /etc/passwd',
  'rm /bin/vi',
  'echo x > /tmp/noise',
].join(' && ');

const OPTIONS = { isJourney: true };

describeWindow(`the review of changes and the commit, on ${KIND}`, OPTIONS, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let name: string;
  const shot = (what: string): Promise<void> => workbench.shot(`review-${KIND}/${what}`);
  const labels = async (): Promise<readonly string[]> =>
    (await workbench.rows('Changes')).map(({ label }) => label);
  const editorText = async (part: string): Promise<string> =>
    (await workbench.page.locator(`.part.editor ${part} .view-lines`).innerText()).replaceAll(
      '\u00a0',
      ' ',
    );

  before(async () => {
    ({ workbench } = window);
    // Room for all changes.
    await workbench.expand('Images', false);
    name = await lab.exited('changed', 0, WORK);
    await says(workbench, 'Containers', name, /^(Exited|Stopped)/);
  });

  after(async () => {
    for (const pane of ['Containers', 'Images']) await workbench.expand(pane, true);
  });

  it('shows a tree of the changes, with noise collapsed', async () => {
    await workbench.contextMenu(workbench.row(name, 'Containers'), 'Image', 'Review Changes');
    await workbench.expand('Containers', false);
    const wanted = [
      'bin',
      'vi',
      'etc',
      'passwd',
      'srv/app',
      'new.txt',
      'opt',
      'empty',
      'System, Cache, and Temporary Files',
    ];
    await until(async () => {
      const found = await labels();
      return wanted.every((label) => found.includes(label));
    }, 'the tree of changes is shown');
    assert.ok(!(await labels()).includes('noise'));
    // The folder is empty, but is shown as a folder, aligned with the others.
    const isFolder = (row: Row): boolean => row.label === 'empty' && row.expanded !== undefined;
    await until(
      async () => (await workbench.rows('Changes')).some(isFolder),
      'the empty folder is listed',
    );
    const words = new RegExp(`${name} · .*\\badded, .*\\bchanged, 1 deleted`);
    await until(async () => words.test(await workbench.message('Changes')), 'the counts are shown');
    await shot('tree');
  });

  it("compares a file with that of the image in VS Code's diff editor", async () => {
    // VS Code does not open a row that is replaced just then, as rows are when their sizes are known.
    await says(workbench, 'Changes', 'passwd', / B$/);
    await workbench.select(workbench.row('passwd', 'Changes'));
    await workbench.page.getByRole('tab', { name: /^passwd \(/ }).waitFor();
    await until(
      async () => (await editorText('.editor.original')).includes('root:'),
      'the file of the image is shown',
    );
    await until(
      async () => (await editorText('.editor.modified')).includes('admin:'),
      'the file of the container is shown',
    );
    await shot('diff');
  });

  it('closes with its button', async () => {
    await workbench.titleAction('Changes', 'Close Changes');
    await until(
      async () => (await workbench.pane('Changes').count()) === 0,
      'the Changes view is hidden',
    );
  });
});
