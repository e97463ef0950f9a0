import assert from 'node:assert/strict';
import { until, type Row, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { fillIn, formValues } from './forms.ts';
import { Lab } from './lab.ts';
import { says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const WORK = [
  'mkdir -p /srv/app /opt/empty',
  'echo one > /srv/app/new.txt',
  'sed -i s/root/admin/ /etc/passwd',
  'rm /bin/vi',
  'echo x > /tmp/noise',
].join(' && ');

describe(`the review of changes and the commit, on ${KIND}`, function () {
  this.timeout(90_000);
  const lab = new Lab();
  let editor: Editor;
  let workbench: Workbench;
  let name: string;
  const shot = (what: string): Promise<string> => workbench.shot(`review-${KIND}/${what}`);
  const labels = async (): Promise<readonly string[]> =>
    (await workbench.rows('Changes')).map(({ label }) => label);
  const editorText = async (part: string): Promise<string> =>
    (await workbench.page.locator(`.part.editor ${part} .view-lines`).innerText()).replaceAll(
      '\u00a0',
      ' ',
    );

  before(async () => {
    name = await lab.exited('changed', 0, WORK);
    editor = await openWorkbench({ size: { width: 1400, height: 900 } });
    ({ workbench } = editor);
    await workbench.openView('Gantry');
    await says(workbench, 'Containers', name, /^(Exited|Stopped)/);
  });

  shotOnFailure(() => editor);

  after(async () => {
    await editor.close();
    await lab.clean();
  });

  it('shows a tree of what differs, the noise folded', async () => {
    await workbench.contextMenu(workbench.row(name, 'Containers'), 'Review Changes');
    const wanted = [
      'bin',
      'vi',
      'etc',
      'passwd',
      'srv/app',
      'new.txt',
      'opt',
      'empty',
      'Probably of no interest',
    ];
    await until(async () => {
      const found = await labels();
      return wanted.every((label) => found.includes(label));
    }, 'the tree of changes');
    assert.ok(!(await labels()).includes('noise'));
    // Nothing in it, and a folder all the same, in line with the others.
    const isFolder = (row: Row): boolean => row.label === 'empty' && row.expanded !== undefined;
    await until(async () => (await workbench.rows('Changes')).some(isFolder), 'the empty folder');
    const header = workbench.pane('Changes').locator('.pane-header');
    const words = new RegExp(`${name} · .*\\badded, .*\\bchanged, 1 deleted`);
    await until(async () => words.test(await header.innerText()), 'the counts');
    await shot('tree');
  });

  it('compares a file with the image’s in the editor’s own way', async () => {
    await workbench.row('passwd', 'Changes').click();
    await workbench.page.getByRole('tab', { name: /^passwd \(/ }).waitFor();
    await until(
      async () => (await editorText('.editor.original')).includes('root:'),
      'the image’s',
    );
    await until(async () => (await editorText('.editor.modified')).includes('admin:'), 'ours');
    await shot('diff');
  });

  it('asks for a commit from there, with the review one pick away, and gives the form back', async () => {
    const image = `localhost/${lab.name('made')}:1`;
    await workbench.titleAction('Changes', 'Commit…');
    await workbench.quick.type(`Commit ${name}: Image`, image);
    await workbench.quick.asks('Pick what to change');
    await fillIn(workbench, 'Message', 'a reviewed one');
    await shot('form');
    const review = await until(
      async () =>
        (await workbench.quick.labels()).find(({ label }) =>
          /^Review what it will contain: .*1 deleted$/.test(label),
        ),
      'the way to the review',
    );
    await workbench.quick.pick('Pick what to change', review.label);
    await workbench.titleAction('Changes', 'Commit…');
    await workbench.quick.asks('Pick what to change');
    await until(async () => {
      const { Image, Message } = await formValues(workbench);
      return Image === image && Message === 'a reviewed one';
    }, 'the form as it was');
    await workbench.quick.pick('Pick what to change', 'Commit');
    await seen(workbench, 'Images', image, ({ selected }) => selected);
    await shot('committed');
  });

  it('offers instructions to write on, and warns of a name that is taken', async () => {
    const taken = await lab.tag('taken');
    await seen(workbench, 'Images', taken);
    await workbench.contextMenu(workbench.row(name, 'Containers'), 'Commit to Image…');
    await workbench.quick.asks(`Commit ${name}: Image`);
    await workbench.quick.box.fill(taken);
    await until(
      async () => (await workbench.quick.message()).includes('Moves the tag from'),
      'the warning',
    );
    await shot('taken');
    await workbench.page.keyboard.press('Enter');
    await workbench.quick.pick('Pick what to change', 'Changes');
    await workbench.quick.asks(/: Changes$/m);
    await workbench.quick.box.fill('exp');
    await workbench.quick.row('EXPOSE 8080/tcp').click();
    await until(
      async () => (await workbench.quick.box.inputValue()) === 'EXPOSE 8080/tcp',
      'the instruction, to be written on',
    );
    await workbench.quick.box.fill('EXPOSE http');
    await until(async () => (await workbench.quick.message()).includes('is no port'), 'the fault');
    await shot('instruction');
    await workbench.quick.cancel();
  });

  it('goes with its own button', async () => {
    await workbench.titleAction('Changes', 'Close Review');
    await until(async () => (await workbench.pane('Changes').count()) === 0, 'no view of changes');
  });

  it('goes with its container', async () => {
    const gone = await lab.exited('gone', 0, 'echo x > /srv.txt');
    await says(workbench, 'Containers', gone, /^(Exited|Stopped)/);
    await workbench.contextMenu(workbench.row(gone, 'Containers'), 'Review Changes');
    await until(async () => (await labels()).includes('srv.txt'), 'its changes');
    await lab.ask('DELETE', `/containers/${gone}`);
    await until(async () => (await workbench.pane('Changes').count()) === 0, 'no view of changes');
    assert.deepEqual(
      editor.complaints.filter((line) => /not handled/i.test(line)),
      [],
    );
  });
});
