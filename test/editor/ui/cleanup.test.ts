// The clean-up page on a real engine.
import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow } from './describeWindow.ts';
import { ViewerTab } from './viewerTab.ts';

const KIND = process.env['GANTRY_BED_KIND'] ?? 'engine';

describeWindow(`the clean-up page, on ${KIND}`, {}, (window) => {
  const { lab } = window;
  let workbench: Workbench;

  before(() => ({ workbench } = window));

  it('removes exactly what was selected, and remembers what never to remove', async () => {
    const precious = await lab.volume('precious');
    const waste = await lab.volume('waste');
    await workbench.quick.run('Gantry Engines: Clean Up (Prune)...');
    const { frame } = new ViewerTab(workbench.page);
    const row = (name: string): Locator => frame.locator('.item', { hasText: name });
    await row(waste).getByText('named volume').waitFor();
    await frame.locator('.total', { hasText: /B$/ }).waitFor();
    await row(precious).getByRole('button', { name: 'Never Remove' }).click();
    await row(precious).getByText('excluded by you').waitFor();
    // The engine has other things, which other tests need. A group of which some are selected is selected first.
    for (const box of await frame.locator('.group input').all()) {
      if (!(await box.isEnabled())) continue;
      await box.check({ force: true });
      await box.uncheck({ force: true });
    }
    await frame.getByText('Nothing selected').waitFor();
    await row(waste).getByRole('checkbox').check();
    await workbench.shot(`cleanup-${KIND}/selected`);
    await frame.getByRole('button', { name: 'Remove...' }).click();
    const dialog = frame.getByRole('dialog');
    assert.deepEqual(await dialog.locator('.name').allTextContents(), [waste]);
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await row(waste).waitFor({ state: 'detached' });
    await workbench.notices.clear();
    // A new page, as in a new window.
    await workbench.closeEditors();
    await workbench.quick.run('Gantry Engines: Clean Up (Prune)...');
    await row(precious).getByText('excluded by you').waitFor();
    await row(precious).getByRole('button', { name: 'Allow Removal' }).click();
    await row(precious).getByText('named volume').waitFor();
    await lab.clean();
    await until(async () => (await row(precious).innerText()).includes('no longer'), 'it is gone');
    await workbench.closeEditors();
  });
});
