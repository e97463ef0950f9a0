import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { bed } from '../../bed/env.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { gone, says } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';
const COMMAND = 'Gantry: Add Engine…';

describe(`adding an engine step by step, on ${KIND}`, function () {
  this.timeout(90_000);
  let editor: Editor;
  let workbench: Workbench;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-add-'));
    editor = await openWorkbench();
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  shotOnFailure(() => editor);

  after(async () => {
    await editor.close();
    rmSync(folder, { recursive: true });
  });

  /** Begins to enter an address. */
  const begin = async (): Promise<void> => {
    await workbench.quick.run(COMMAND);
    await workbench.quick.pick('Choose an engine that was found', 'Enter an address…');
  };

  it('says what is wrong with an address while it is typed, and leaves by Escape', async () => {
    const { quick } = workbench;
    await begin();
    await quick.asks('Where does the engine listen?');
    await quick.box.fill('a b');
    await until(async () => (await quick.message()).includes('is no address'), 'what is wrong');
    await quick.back('Choose an engine that was found');
    await quick.cancel();
    assert.deepEqual(await workbench.notices.messages(), []);
  });

  it('goes back with everything filled in when nobody answers, and adds what answers', async () => {
    const { quick, notices } = workbench;
    await begin();
    await quick.type('Where does the engine listen?', join(folder, 'nobody.sock'));
    await quick.asks('What is it to be called here?');
    assert.equal(await quick.box.inputValue(), 'nobody');
    await quick.type('What is it to be called here?', 'second');
    const { message, detail, buttons } = await notices.modal();
    assert.equal(message, 'second could not be reached');
    assert.match(detail, /no socket at unix:/);
    assert.deepEqual([...buttons].sort(), ['Add Anyway', 'Cancel', 'Edit…']);
    await workbench.shot(`addEngine-${KIND}/failed`);
    await notices.answer('Edit…');
    await quick.asks('Where does the engine listen?');
    assert.equal(await quick.box.inputValue(), join(folder, 'nobody.sock'));
    await quick.type('Where does the engine listen?', `unix://${bed().socket}`);
    await quick.type('What is it to be called here?', 'second');
    assert.match(await notices.says('Added second'), /^Added second: (Docker|Podman) \d/);
    await says(workbench, 'Containers', 'second', /API 1\.\d+$/);
    await notices.clear();
  });

  it('shows the report as a document of its own', async () => {
    await workbench.quick.run('Gantry: Diagnose Engines');
    const tab = workbench.page.getByRole('tab', { name: /Diagnosis of engines\.txt/ });
    await tab.waitFor();
    const text = workbench.page.locator('.editor-instance .view-lines').first();
    await until(async () => /diagnosis.of.engines/.test(await text.innerText()), 'the report');
    await workbench.shot(`addEngine-${KIND}/report`);
    await workbench.quick.run('View: Close All Editors');
  });

  it('asks how to encrypt a port, and adds in spite of a failure', async () => {
    const { quick, notices } = workbench;
    await begin();
    await quick.type('Where does the engine listen?', 'tcp://127.0.0.1:1');
    await quick.pick('How is the connection encrypted?', 'TLS without a look at the certificate');
    await quick.asks('What is it to be called here?');
    // A step back, and another answer.
    await workbench.page.keyboard.press('Escape');
    await quick.pick(
      'How is the connection encrypted?',
      'Not at all, or as the variables of Docker say',
    );
    await quick.type('What is it to be called here?', 'third');
    await notices.modal();
    await notices.answer('Add Anyway');
    assert.match(await notices.says('Added third'), /^Added third\.$/);
    await says(workbench, 'Containers', 'third', /./);
    editor.served.changeSettings({ 'gantry.engines': {} });
    await gone(workbench, 'Containers', 'third');
  });
});
