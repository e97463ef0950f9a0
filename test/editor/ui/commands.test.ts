import assert from 'node:assert/strict';
import { bed } from '../../bed/env.ts';
import { ask } from '../../bed/http.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { addTo, fillIn, formValues } from './forms.ts';
import { Lab } from './lab.ts';
import { says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const SECRET = 'never-to-be-seen';

describe(`what a person does by commands, on ${KIND}`, function () {
  this.timeout(90_000);
  let lab: Lab;
  let editor: Editor;
  let workbench: Workbench;
  const shot = (name: string): Promise<string> => workbench.shot(`commands-${KIND}/${name}`);
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
    await workbench.quick.cancel();
    await workbench.notices.clear();
    await lab.clean();
  });

  after(() => editor.close());

  it('asks which container, where none is selected, among those that fit', async () => {
    const running = await lab.running('running');
    const stopped = await lab.create('stopped');
    await says(workbench, 'Containers', running, /^Up/);
    await seen(workbench, 'Containers', stopped);
    await workbench.quick.run('Gantry: Stop');
    await workbench.quick.asks('Choose a container');
    const labels = (await workbench.quick.labels()).map(({ label }) => label);
    assert.ok(labels.includes(running) && !labels.includes(stopped), labels.join());
    await shot('pick');
    await workbench.quick.pick('Choose a container', running);
    await says(workbench, 'Containers', running, /^(Exited|Stopped)/);
  });

  it('does nothing after Escape, and says nothing', async () => {
    const running = await lab.running('running');
    await says(workbench, 'Containers', running, /^Up/);
    for (const [title, question] of [
      ['Gantry: Kill', 'Choose a container'],
      ['Gantry: Pull Image…', 'Pull Image'],
      ['Gantry: Create Container…', 'Create Container'],
    ] as const) {
      await workbench.quick.run(title);
      await workbench.quick.asks(question);
      await workbench.quick.cancel();
    }
    assert.equal(await lab.state(running), 'running');
    assert.deepEqual(await workbench.notices.messages(), []);
  });

  it('tells a failure in one message, in the words of the engine', async () => {
    const broken = await lab.create('broken', { cmd: ['/no/such/program'] });
    await seen(workbench, 'Containers', broken);
    await workbench.inlineAction(row(broken), 'Start');
    const message = await workbench.notices.says(`Could not start ${broken}`);
    assert.match(message, /\/no\/such\/program.*(no such file|not found)/i);
    await until(async () => (await workbench.notices.messages()).length === 1, 'one message');
    await shot('failure');
  });

  it('offers to pull an image that is missing, then creates of it', async () => {
    const reference = `${bed().registry}/gantry/tiny:1`;
    await lab.forget(reference);
    const name = lab.name('pulled');
    await workbench.quick.run('Gantry: Create Container…');
    await workbench.quick.asks('Create Container: Image');
    await workbench.page.keyboard.type(reference);
    await workbench.quick.row(reference).waitFor();
    await shot('create-image');
    await workbench.page.keyboard.press('Enter');
    await fillIn(workbench, 'Name', name);
    await workbench.quick.pick('Pick what to change', 'Create');
    const { message } = await workbench.notices.modal();
    assert.equal(message, `Pull ${reference}?`);
    await shot('offer-pull');
    await workbench.notices.answer('Pull and Create');
    await seen(workbench, 'Containers', name, ({ selected }) => selected);
    await lab.clean();
    await lab.forget(reference);
  });

  it('gives the form back with all that was in it when a container cannot be created', async () => {
    const name = lab.name('wanted');
    const image = await lab.tag('source');
    await seen(workbench, 'Images', image);
    await workbench.inlineAction(workbench.row(image, 'Images'), 'Create Container…');
    await fillIn(workbench, 'Command', 'sleep 1000');
    await fillIn(workbench, 'Name', name);
    await addTo(workbench, 'Environment', `TOKEN=${SECRET}`);
    // What no engine makes.
    await addTo(workbench, 'Mounts', '/tmp:/twice');
    await addTo(workbench, 'Mounts', '/srv:/twice');
    await addTo(workbench, 'Labels', 'com.example.owner=me');
    await workbench.quick.pick('Pick what to change', 'Create and Start');
    await workbench.notices.says(/Could not create the container: .*duplicate mount/i);
    await shot('create-failed');
    await workbench.notices.press('Could not create', 'Edit…');
    await workbench.quick.asks('Pick what to change');
    const values = await formValues(workbench);
    assert.equal(values['Image'], image);
    assert.equal(values['Command'], 'sleep 1000');
    assert.equal(values['Name'], name);
    assert.equal(values['Environment'], `TOKEN=${SECRET}`);
    assert.equal(values['Labels'], 'com.example.owner=me');
    await workbench.quick.pick('Pick what to change', 'Mounts');
    await workbench.quick.pick(/: Mounts$/m, '/srv:/twice');
    await workbench.quick.type('leave it empty to remove it', '');
    await workbench.quick.pick(/: Mounts$/m, 'Done');
    await workbench.quick.pick('Pick what to change', 'Create and Start');
    await says(workbench, 'Containers', name, /^Up/);
  });

  it('says what is wrong with an answer while it is typed', async () => {
    const image = await lab.tag('named');
    await seen(workbench, 'Images', image);
    await workbench.quick.run('Gantry: Create Container…');
    await workbench.quick.pick('Create Container: Image', image);
    await workbench.quick.pick('Pick what to change', 'Name');
    await workbench.quick.asks(/: Name$/m);
    await workbench.quick.box.fill('two words');
    await until(async () => (await workbench.quick.message()).includes('two words'), 'the fault');
    await shot('bad-name');
  });

  it('shows all about a container as JSON that cannot be changed', async () => {
    const name = await lab.create('inspected');
    await seen(workbench, 'Containers', name);
    await workbench.contextMenu(row(name), 'Inspect');
    await workbench.page.getByRole('tab', { name: `${name}.json` }).waitFor();
    const lines = workbench.page.locator('.part.editor .view-lines');
    await until(async () => /"Id": "[0-9a-f]{64}"/.test(await plainText(lines)), 'the JSON');
    const before = await plainText(lines);
    await lines.click();
    await workbench.page.keyboard.type('x');
    await shot('inspect');
    assert.equal(await plainText(lines), before);
    assert.equal(await workbench.page.locator('.tab.dirty').count(), 0);
    await workbench.quick.run('View: Close All Editors');
  });

  it('follows a log over an end and a new start, and shows a second call no line twice', async () => {
    const name = await lab.running('talker', {
      cmd: ['sh', '-c', 'echo here I am; exec sleep 100000'],
    });
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.inlineAction(row(name), 'Show Logs');
    await workbench.output.shows(`Gantry: ${name}`);
    await workbench.output.says('here I am');
    await lab.ask('POST', `/containers/${name}/stop`);
    await workbench.output.says(/here I am\n\[.*exited with status 137\.\]/);
    await lab.start(name);
    await workbench.output.says(/status 137\.\]\n\[.*started again\.\]\nhere I am/);
    await workbench.inlineAction(row(name), 'Show Logs');
    assert.equal((await workbench.output.wholeText()).match(/here I am/g)?.length, 2);
    await shot('log-over-restart');
  });

  it('really ends a pull that is cancelled in its notification', async () => {
    const reference = `${bed().slowRegistry}/gantry/layers:1`;
    await lab.forget(reference);
    await workbench.quick.run('Gantry: Pull Image…');
    await workbench.quick.asks('Pull Image');
    await workbench.page.keyboard.type(reference);
    await workbench.quick.row(reference).waitFor();
    await workbench.page.keyboard.press('Enter');
    await workbench.notices.says(`Pulling ${reference}`);
    await workbench.notices.press(`Pulling ${reference}`, 'Cancel');
    await until(async () => (await workbench.notices.messages()).length === 0, 'no message left');
    await workbench.quick.run('Output: Focus on Output View');
    await workbench.output.choose('Gantry: Pull');
    await workbench.output.says(/Cancelled\s*$/);
    const { status } = await ask(lab.socket, 'GET', `/v1.41/images/${reference}/json`);
    assert.equal(status, 404);
  });

  it('logs every request in one line, and no secret in any', async () => {
    const name = await lab.create('committed');
    const image = `localhost/${lab.name('secret')}:1`;
    await seen(workbench, 'Containers', name);
    await workbench.contextMenu(row(name), 'Commit to Image…');
    await workbench.quick.type(`Commit ${name}: Image`, image);
    await addTo(workbench, 'Changes', `ENV TOKEN=${SECRET}`);
    await workbench.quick.pick(`Commit ${name}`, 'Commit');
    await seen(workbench, 'Images', image);
    await workbench.quick.run('Output: Focus on Output View');
    await workbench.output.choose('Gantry');
    const text = await workbench.output.wholeText();
    assert.ok(!text.includes(SECRET));
    assert.match(text, /POST \/v[\d.]+\/commit\?.*changes=….* 201 .*ms/);
    // And beside the requests, by which credentials a registry is asked.
    for (const line of text.trim().split('\n'))
      assert.match(
        line,
        /^[\d-]+ [\d:.]+ \[\w+\] (?:(?:GET|POST|PUT|DELETE|HEAD) \/\S+ .*\d+ ms|Credentials for \S+: )/,
      );
    await shot('request-log');
  });

  it('leaves no rejection that nobody handled', () => {
    assert.deepEqual(
      editor.complaints.filter((line) => /not handled/i.test(line)),
      [],
    );
  });
});

/** An editor's lines in view; VS Code writes its spaces as hard ones. */
async function plainText(lines: ReturnType<Workbench['row']>): Promise<string> {
  return (await lines.innerText()).replaceAll('\u00a0', ' ');
}
