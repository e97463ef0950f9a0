// Checks that hostile values are shown as plain text everywhere in the window.
import assert from 'node:assert/strict';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { says, seen } from './seen.ts';

const KIND = process.env['GANTRY_BED_KIND'] === 'podman' ? 'podman' : 'docker';
const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';
const LINK = '[x](command:workbench.action.quit)';

describeWindow(`hostile values, on ${KIND}`, {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;

  before(() => ({ workbench } = window));

  it('are plain text in a row and its tooltip', async () => {
    const service = `$(trash)\u202e<b>${lab.mark}`;
    const project = `${LINK} <img src=x> https://example.org \x1b[31m\u200b${lab.mark}`;
    // Not running: VS Code drops the tooltip of a row that is repainted, as the age of a new run is each second.
    await lab.create('hostile', {
      labels: { [PROJECT]: project, 'com.docker.compose.config-hash': 'hash', [SERVICE]: service },
    });
    const shown = `$(trash)<b>${lab.mark}`;
    await seen(workbench, 'Containers', shown);
    const row = workbench.row(shown, 'Containers');
    assert.equal(await row.locator('.label-name .codicon, .label-name b').count(), 0);
    const tooltip = await workbench.tooltip(row);
    assert.ok(tooltip.includes(`${LINK} <img src=x> https://example.org ${lab.mark}`), tooltip);
    const hover = workbench.page.locator('.workbench-hover-container .monaco-hover');
    assert.equal(await hover.locator('a, img').count(), 0);
  });

  it('are plain text in a notification', async () => {
    const name = await lab.create('linked', { cmd: [LINK] });
    await says(workbench, 'Containers', name, /^Created/);
    await workbench.contextMenu(workbench.row(name, 'Containers'), 'Start');
    await workbench.notices.says('[x] (command:workbench.action.quit)');
    const message = workbench.notices.items.locator('.notification-list-item-message');
    assert.equal(await message.locator('a').count(), 0);
  });

  it('are plain text in a log', async () => {
    const script = `printf '\\033[31mred\\033[0m \\342\\200\\256<b>x</b> \\033]8;;http://x/\\007y\\033]8;;\\007\\n'`;
    const name = await lab.running('talker', { cmd: ['sh', '-c', `${script}; sleep 100000`] });
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.contextMenu(workbench.row(name, 'Containers'), 'Show Logs');
    await workbench.output.says('red <b>x</b> y');
    const text = await until(() => workbench.output.wholeText(), 'the whole log');
    for (const hidden of ['\x1b', '\u202e']) assert.ok(!text.includes(hidden));
  });
});
