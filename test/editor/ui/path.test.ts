// The complete workflow of a user: each test continues where the one before it ended.
import assert from 'node:assert/strict';
import { bed } from '../../bed/env.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { addTo, fillIn, formValues, pickRow } from './forms.ts';
import { gone, hasPicture, imageLabel, says, seen, selected } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

/** Greets `$WHOM`, ignores SIGTERM, and exits on SIGUSR1. */
const COMMAND =
  'sh -c \'trap : TERM; trap "exit 7" USR1; echo hello $WHOM; echo oops >&2; while :; do sleep 1; done\'';

const TITLE = `a user's way from a reference to a container to an image, on ${KIND}`;

describeWindow(TITLE, { isJourney: true }, (window) => {
  const { lab } = window;
  let workbench: Workbench;
  let reference: string;
  let container: string;
  let image: string;
  const shot = (name: string): Promise<void> => workbench.shot(`path-${KIND}/${name}`);

  before(async () => {
    ({ workbench } = window);
    reference = `${bed().slowRegistry}/gantry/app:1`;
    container = lab.name('web');
    image = `localhost/${lab.name('mine')}:1`;
    await lab.forget(reference);
  });

  beforeEach(function () {
    // After a failed step, the remaining ones are skipped.
    if (this.currentTest?.parent?.tests.some(({ state }) => state === 'failed')) this.skip();
  });

  after(async () => {
    await lab.clean();
    await lab.forget(reference);
  });

  it('opens the view from the activity bar, which shows its icon', async () => {
    await workbench.openView('Gantry');
    await workbench.pane('Containers').waitFor();
    await workbench.pane('Images').waitFor();
    assert.ok(await hasPicture(workbench, 'Gantry'));
    await until(async () => (await workbench.rows('Images')).length > 0, 'the images are listed');
    await shot('01-view');
  });

  it('pulls an image from the palette and shows the progress', async () => {
    await workbench.quick.run('Gantry Images: Pull...');
    await workbench.quick.asks('Pull Image');
    await workbench.quick.typeText(reference);
    await workbench.quick.row(reference).waitFor();
    await shot('02-pull-asked');
    await workbench.quick.accept(reference);
    await workbench.notices.says(HOW_FAR);
    await shot('03-pull-progress');
  });

  it('selects the pulled image, and leaves no notification to dismiss', async () => {
    await seen(workbench, 'Images', imageLabel(reference), (row) => row.selected);
    await until(
      async () => (await workbench.notices.messages()).length === 0,
      'all messages are cleared',
    );
    await shot('04-pulled');
  });

  it('keeps a short history of the pull', async () => {
    await workbench.quick.run('Output: Focus on Output View');
    await workbench.output.choose('Gantry: Pull');
    await workbench.output.says(/Pulled: image/);
    const all = (await workbench.output.wholeText()).trim().split('\n');
    // Other tests in this window have pulled images before.
    const lines = all.slice(all.findLastIndex((line) => line.endsWith('Pulling')));
    assert.ok(lines.every((line) => line.includes(reference)));
    assert.match(lines[0]!, /Pulling$/);
    assert.match(lines.at(-1)!, /Pulled: image sha256:[0-9a-f]{64}, digest sha256:[0-9a-f]{64}$/);
    assert.ok(lines.length < 20, `${lines.length} lines`);
    await shot('05-pull-history');
  });

  it('creates a container from the image in one form', async () => {
    await workbench.inlineAction(
      workbench.row(imageLabel(reference), 'Images'),
      'Create Container...',
    );
    await workbench.quick.asks('Create Container');
    await shot('06-create-form');
    await fillIn(workbench, 'Command', COMMAND);
    await fillIn(workbench, 'Name', container);
    await addTo(workbench, 'Environment variables', 'WHOM=world');
    await addTo(workbench, 'Ports', '80');
    const said = await formValues(workbench);
    assert.equal(said['Image'], reference);
    assert.equal(said['Name'], container);
    assert.equal(said['Environment variables'], 'WHOM=world');
    assert.equal(said['Ports'], '80');
    await shot('07-create-filled');
    // The container exits when the test requests it.
    await fillIn(workbench, 'Stop timeout (seconds)', '1000');
    await pickRow(workbench, 'Create and Start');
  });

  it('selects the new container, and shows it as running with its port', async () => {
    const row = await seen(workbench, 'Containers', container, ({ selected: is }) => is);
    await says(workbench, 'Containers', container, /^Up .* · \d+→80$/);
    assert.equal(row.level, 1);
    await shot('08-created');
  });

  it("shows stdout and stderr in a channel with the container's name", async () => {
    await workbench.inlineAction(workbench.row(container, 'Containers'), 'Show Logs');
    await workbench.output.shows(`Gantry: ${container}`);
    await workbench.output.says('hello world');
    await workbench.output.says('[stderr] oops');
    await shot('09-log');
  });

  it('stops the container, and shows that in its row and in the log', async () => {
    await workbench.select(workbench.row(container, 'Containers'));
    await workbench.inlineAction(workbench.row(container, 'Containers'), 'Stop');
    await says(workbench, 'Containers', container, /^stopping\.\.\./);
    await shot('11-stopping');
    await lab.ask('POST', `/containers/${container}/kill?signal=SIGUSR1`);
    await says(workbench, 'Containers', container, STOPPED);
    await workbench.output.says('[The container exited with code 7.]');
    assert.deepEqual(await selected(workbench, 'Containers'), [container]);
    await shot('12-exited');
    await workbench.notices.clear();
  });

  it('commits the container to an image, which is selected', async () => {
    await workbench.contextMenu(
      workbench.row(container, 'Containers'),
      'Image',
      'Commit to Image...',
    );
    await workbench.quick.asks(`Commit ${container}: Image`);
    await shot('13-commit-asked');
    await workbench.quick.type(`Commit ${container}: Image`, image);
    await fillIn(workbench, 'Message', 'as it was when it ended');
    await shot('14-commit-form');
    await workbench.quick.pick(`Commit ${container}`, 'Commit');
    await seen(workbench, 'Images', imageLabel(image), (row) => row.selected);
    await shot('15-committed');
  });

  it('shows the parent image and the users of the image in its tooltip', async () => {
    const user = await lab.create('user', { image });
    await says(workbench, 'Images', imageLabel(image), /used by 1 · localhost$/);
    const tooltip = await workbench.tooltip(workbench.row(imageLabel(image), 'Images'));
    assert.match(tooltip, new RegExp(`Name: ${image}`));
    assert.match(tooltip, new RegExp(`Used by: ${user}`));
    assert.match(tooltip, new RegExp(`Parent image: ${reference}`));
    await shot('16-image-tooltip');
  });

  it('removes the container with the Delete key, after confirmation', async () => {
    await workbench.select(workbench.row(container, 'Containers'));
    await workbench.page.keyboard.press('Delete');
    const { message, buttons } = await workbench.notices.modal();
    assert.equal(message, `Remove the container ${container}?`);
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Remove']);
    await shot('17-remove-asked');
    await workbench.notices.answer('Remove');
    await gone(workbench, 'Containers', container);
    assert.equal(await lab.has(container), false);
    await shot('18-removed');
  });
});

/** Podman may report the exit of a container that exits meanwhile, and no stop. */
const STOPPED = KIND === 'podman' ? /^(?:Exited|Stopped) \(7\)/ : /^Stopped \(7\)/;

/** Podman does not report sizes. */
const HOW_FAR = KIND === 'podman' ? /\d+ of \d+ layers/ : /\d+% · [\d.]+ .?B of [\d.]+ MB/;
