import assert from 'node:assert/strict';
import { bed } from '../../bed/env.ts';
import { ask } from '../../bed/http.ts';
import { until, type Row, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Lab } from './lab.ts';
import { seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

describe(`pulls and pushes in the window, on ${KIND}`, function () {
  this.timeout(90_000);
  const lab = new Lab();
  let editor: Editor;
  let workbench: Workbench;
  const shot = (name: string): Promise<string> => workbench.shot(`pulls-${KIND}/${name}`);

  before(async () => {
    editor = await openWorkbench({ width: 420 });
    ({ workbench } = editor);
    await workbench.openView('Gantry');
    await until(async () => (await workbench.rows('Images')).length > 0, 'the images');
  });

  shotOnFailure(() => editor);

  afterEach(async () => {
    await workbench.quick.cancel();
    await workbench.notices.clear();
  });

  after(async () => {
    await editor.close();
    await lab.clean();
  });

  const pull = async (reference: string): Promise<void> => {
    await workbench.quick.run('Gantry: Pull Image…');
    await workbench.quick.asks('Pull Image');
    await workbench.page.keyboard.type(reference);
    await workbench.quick.row(reference).waitFor();
    await workbench.page.keyboard.press('Enter');
  };

  /** The row of a pull or a push, once it also fits. */
  const transfer = (verb: string, fits: (row: Row) => boolean = () => true): Promise<Row> =>
    until(
      async () =>
        (await workbench.rows('Images')).find((row) => row.label.startsWith(verb) && fits(row)),
      `a row that begins with ${verb}`,
    );

  const noTransfer = (verb: string): Promise<unknown> =>
    until(
      async () => (await workbench.rows('Images')).every((row) => !row.label.startsWith(verb)),
      `no row that begins with ${verb}`,
    );

  it('says while somebody types what it means, or what is wrong with it', async () => {
    await workbench.quick.run('Gantry: Pull Image…');
    await workbench.quick.asks('Pull Image');
    const first = async (): Promise<string> => {
      const [row] = await workbench.quick.labels();
      return `${row?.label ?? ''} ${row?.description ?? ''}`;
    };
    await workbench.page.keyboard.type('nginx');
    const meaning = 'nginx pull docker.io/library/nginx:latest';
    await until(async () => (await first()) === meaning, 'what it means');
    await shot('box');
    await workbench.page.keyboard.type(':1:2');
    await until(
      async () => (await first()).includes('is not an image name'),
      'what is wrong with it',
    );
  });

  it('takes a platform, and keeps what was typed', async () => {
    const reference = `${bed().registry}/gantry/tiny:1`;
    await workbench.quick.run('Gantry: Pull Image…');
    await workbench.quick.asks('Pull Image');
    await workbench.page.keyboard.type(reference);
    await workbench.quick.widget.getByRole('button', { name: 'Choose the Platform…' }).click();
    await workbench.quick.pick('Pull Image: Platform', 'linux/amd64');
    await workbench.quick.asks('Pull Image for linux/amd64');
    assert.equal(await workbench.quick.box.inputValue(), reference);
    await workbench.page.keyboard.press('Enter');
    await seen(workbench, 'Images', reference, ({ selected }) => selected);
    await noTransfer('Pulling');
    await lab.forget(reference);
  });

  it('shows a pull with each of its layers, and really ends it from its row', async () => {
    const reference = `${bed().slowRegistry}/gantry/layers:1`;
    await lab.forget(reference);
    await pull(reference);
    const words = KIND === 'podman' ? /^\d+ of \d+ layers/ : /^\d+% · [\d.]+ .?B of /;
    const row = await transfer('Pulling', ({ description }) => words.test(description));
    await workbench.toggle(workbench.row(row.label, 'Images'));
    const layer = KIND === 'podman' ? /^(waiting|downloaded)/ : /^downloading \d+% · 6\.0 MB$/;
    await until(async () => {
      const rows = await workbench.rows('Images');
      return rows.some(({ level, description }) => level === 2 && layer.test(description));
    }, 'a layer that says where it is');
    await shot('layers');
    await workbench.inlineAction(workbench.row(row.label, 'Images'), 'Cancel Pull or Push');
    await noTransfer('Pulling');
    await until(async () => (await workbench.notices.messages()).length === 0, 'no message left');
    const { status } = await ask(lab.socket, 'GET', `/v1.41/images/${reference}/json`);
    assert.equal(status, 404);
  });

  it('keeps one that failed with its reason, to be tried again or dismissed', async () => {
    await pull('127.0.0.1:9/gantry/tiny:1');
    const failed = ({ description }: Row): boolean => /^failed: .*refused/.test(description);
    const { label } = await transfer('Pull of', failed);
    await workbench.notices.says(/Could not pull the image: .*refused/);
    await workbench.notices.clear();
    await workbench.notices.calm();
    const row = workbench.row(label, 'Images');
    await shot('failed');
    await workbench.inlineAction(row, 'Try Pull or Push Again');
    await workbench.notices.says(/It failed again: .*refused/);
    await transfer('Pull of', failed);
    await workbench.inlineAction(row, 'Dismiss Failed Pull or Push');
    await noTransfer('Pull of');
  });

  it('asks for a name with a registry before a push, then pushes under it', async () => {
    const local = await lab.tag('pushed');
    const name = `${bed().registry}/${lab.name('pushed')}:1`;
    await seen(workbench, 'Images', local);
    const row = await workbench.reveal(local, 'Images');
    await workbench.contextMenu(row, 'Push Image…');
    assert.equal((await workbench.notices.modal()).message, `Tag ${local}?`);
    await workbench.notices.answer('Tag…');
    await workbench.quick.type(`Push ${local}`, name);
    await workbench.notices.says(`Pushed ${name}.`);
    await noTransfer('Pushing');
    await workbench.notices.clear();
    const pushed = await workbench.reveal(name, 'Images');
    const entries = await workbench.contextEntries(pushed);
    assert.ok(entries.includes('Push Image…') && entries.includes('Pull Again'), entries.join());
    // Podman cannot be asked.
    assert.equal(entries.includes('Is There a Newer One?'), KIND === 'docker', entries.join());
    if (KIND !== 'docker') return;
    await workbench.contextMenu(pushed, 'Is There a Newer One?');
    await workbench.notices.says(`${name} is what its registry has.`);
  });

  it('says that a registry has a newer image, until that is pulled', async function () {
    if (KIND !== 'docker') return this.skip();
    const name = `${bed().registry}/${lab.name('pushed')}:1`;
    // Somebody else pushes another image under the name, and the one here stays what it was.
    const [repository, other] = [name.slice(0, -2), `localhost/${lab.name('other')}`];
    const container = await lab.create('other', { labels: { other: 'one' } });
    await lab.ask('POST', `/commit?container=${container}&repo=${other}&tag=1`);
    await workbench.contextMenu(await workbench.reveal(`${other}:1`, 'Images'), 'Push Image…');
    await workbench.notices.answer('Tag…');
    await workbench.quick.type(`Push ${other}:1`, name);
    await workbench.notices.says(`Pushed ${name}.`);
    await noTransfer('Pushing');
    await lab.ask('POST', `/images/${lab.image}/tag?repo=${repository}&tag=1`);
    // Of an image that goes while its menu is open, the menu knows nothing.
    await seen(workbench, 'Images', name, ({ description }) => description.includes('used by'));
    await workbench.contextMenu(await workbench.reveal(name, 'Images'), 'Is There a Newer One?');
    await workbench.notices.says(`There is a newer ${name}.`);
    const isNewer = ({ description }: Row): boolean => description.startsWith('newer available');
    await seen(workbench, 'Images', name, isNewer);
    await shot('newer');
    await workbench.inlineAction(await workbench.reveal(name, 'Images'), 'Pull Again');
    await seen(workbench, 'Images', name, (row) => !isNewer(row));
    await noTransfer('Pulling');
  });

  it('leaves no rejection that nobody handled', () => {
    assert.deepEqual(
      editor.complaints.filter((line) => /not handled/i.test(line)),
      [],
    );
  });
});
