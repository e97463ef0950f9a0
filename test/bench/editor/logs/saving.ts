import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../bed/until.ts';
import { Workbench } from '../../../bed/vscode/workbench.ts';
import type { ViewerTab } from '../../../editor/ui/viewerTab.ts';
import { withFolder } from '../../stage.ts';

/** For a million lines on a busy machine. */
const LIMIT_MS = 120_000;

/** Returns all lines of a log viewer by saving them to a file, as a user would. */
export function savedLines(viewer: ViewerTab): Promise<readonly string[]> {
  return withFolder(async (folder) => {
    const path = join(folder, 'saved.log');
    const { box } = new Workbench(viewer.page).quick;
    await viewer.choose('Save and Open', 'Save All Lines...');
    // The dialog fills in its proposed name with a delay.
    await until(async () => (await box.inputValue()).endsWith('.log'), 'the proposed name');
    // A key pressed while the dialog reads the folder is lost.
    await until(async () => {
      if (await box.isVisible()) await box.fill(path, { timeout: 1000 });
      if (await box.isVisible()) await viewer.page.keyboard.press('Enter');
      await box.waitFor({ state: 'hidden', timeout: 2000 });
      return true;
    }, 'the dialog is closed');
    const text = await until(() => readFileSync(path, 'utf8'), 'the file', LIMIT_MS);
    return text.split('\n').filter((line) => line !== '');
  });
}
