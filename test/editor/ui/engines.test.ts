import assert from 'node:assert/strict';
import { startEngineOf, type BedEngine } from '../../bed/engines.ts';
import { BED_IMAGE, importBusybox } from '../../bed/images.ts';
import { until, type Row, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Lab } from './lab.ts';
import { gone, says, seen } from './seen.ts';

// One run has both kinds of engine in it, so the other kind's run need not do the same again.
describe('several engines in one window', function () {
  this.timeout(120_000);
  const near = new Lab();
  let podman: BedEngine;
  let far: Lab;
  let editor: Editor;
  let workbench: Workbench;

  const shot = (name: string): Promise<string> => workbench.shot(`engines/${name}`);

  /** The rows below an engine's, once they fit. */
  const below = (
    engine: string,
    fits: (rows: readonly Row[]) => boolean,
  ): Promise<readonly Row[]> =>
    until(async () => {
      const rows = await workbench.rows('Containers');
      const from = rows.findIndex((row) => row.level === 1 && row.label === engine);
      if (from < 0) return undefined;
      const rest = rows.slice(from + 1);
      const to = rest.findIndex((row) => row.level === 1);
      const own = to < 0 ? rest : rest.slice(0, to);
      return fits(own) ? own : undefined;
    }, `the rows below ${engine}`);

  const has =
    (label: string) =>
    (rows: readonly Row[]): boolean =>
      rows.some((row) => row.label === label);

  /** What is asked first by a command that needs an engine. */
  const firstQuestion = async (): Promise<string> => {
    await workbench.quick.run('Gantry: Create Container…');
    const text = await until(async () => {
      const now = await workbench.quick.promptText();
      return /Choose an engine|Create Container/.exec(now)?.[0];
    }, 'a question');
    await workbench.quick.cancel();
    return text;
  };

  before(async () => {
    podman = await startEngineOf('podman');
    await importBusybox(podman);
    far = new Lab({ socket: podman.socket, image: BED_IMAGE });
    editor = await openWorkbench();
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  after(async () => {
    await editor.close();
    await near.clean();
    await podman.stop();
  });

  shotOnFailure(() => editor);

  it('looks as simple as ever with one', async () => {
    const name = await near.running('near');
    const row = await says(workbench, 'Containers', name, /^Up/);
    assert.equal(row.level, 1);
    assert.equal(await firstQuestion(), 'Create Container');
  });

  it('has a row for each once another one is in the settings, without a reload', async () => {
    await far.running('far');
    editor.served.changeSettings({ 'gantry.engines': { Staging: podman.url } });
    await says(workbench, 'Containers', 'Default', /^Docker \d+\S* · API 1\.\d+$/);
    await says(workbench, 'Containers', 'Staging', /^Podman \d+\S* · API 1\.\d+$/);
    await says(workbench, 'Images', 'Staging', /^Podman/);
    await below('Default', has(near.name('near')));
    await below('Staging', has(far.name('far')));
    await shot('two');
  });

  it('does what is asked of a row in that row’s engine', async () => {
    const name = far.name('far');
    await workbench.inlineAction(workbench.row(name, 'Containers'), 'Stop');
    await says(workbench, 'Containers', name, /^(Exited|Stopped)/);
    assert.equal(await far.state(name), 'exited');
    await says(workbench, 'Containers', near.name('near'), /^Up/);
  });

  it('asks which engine where nothing says it, and no more once one is the default', async () => {
    assert.equal(await firstQuestion(), 'Choose an engine');
    await workbench.contextMenu(
      workbench.row('Staging', 'Containers'),
      'Use Engine by Default Here',
    );
    await says(workbench, 'Containers', 'Staging', /default here$/);
    assert.equal(await firstQuestion(), 'Create Container');
    await workbench.contextMenu(
      workbench.row('Staging', 'Containers'),
      'Ask Which Engine Each Time',
    );
    await says(workbench, 'Containers', 'Staging', /API 1\.\d+$/);
  });

  it('lets the trouble of one leave the other alone', async () => {
    await podman.kill();
    await says(workbench, 'Containers', 'Staging', /^not reachable/);
    await shot('one-lost');
    const name = await near.running('meanwhile');
    await below('Default', has(name));
    await podman.restart();
    await says(workbench, 'Containers', 'Staging', /^Podman/);
    await below('Staging', has(far.name('far')));
  });

  it('forgets what a disconnected engine had, and has it again when connected', async () => {
    await workbench.contextMenu(workbench.row('Staging', 'Containers'), 'Disconnect Engine');
    await says(workbench, 'Containers', 'Staging', /^disconnected/);
    await gone(workbench, 'Containers', far.name('far'));
    await seen(workbench, 'Containers', 'You disconnected this engine.');
    await shot('disconnected');
    await workbench.inlineAction(workbench.row('Staging', 'Containers'), 'Connect Engine');
    await below('Staging', has(far.name('far')));
  });

  it('takes one out of the settings after a question, and is simple again', async () => {
    await workbench.contextMenu(workbench.row('Staging', 'Containers'), 'Remove Engine…');
    const { message, detail } = await workbench.notices.modal();
    assert.match(message, /Remove the engine Staging/);
    assert.match(detail, /stay as they are/);
    await workbench.notices.answer('Remove');
    await gone(workbench, 'Containers', 'Staging');
    const row = await seen(workbench, 'Containers', near.name('near'), ({ level }) => level === 1);
    assert.equal(row.level, 1);
    await gone(workbench, 'Containers', far.name('far'));
  });
});
