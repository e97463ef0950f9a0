import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../bed/vscode/until.ts';
import { Workbench } from '../../../bed/vscode/workbench.ts';
import type { ViewerTab } from '../../../editor/ui/viewerTab.ts';

/** A million lines on a busy machine. */
const LIMIT_MS = 120_000;

/** All lines of a log viewer, as a person gets them: saved to a file. */
export async function savedLines(viewer: ViewerTab): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-saved-'));
  const path = join(folder, 'saved.log');
  try {
    const { box } = new Workbench(viewer.page).quick;
    await viewer.choose('Save and Open', 'Save All Lines…');
    // The dialog writes its own proposal into the box a while after it came.
    await until(async () => (await box.inputValue()).endsWith('.log'), 'the proposed name');
    // A key that comes while the dialog looks into the folder is lost.
    await until(async () => {
      if (await box.isVisible()) await box.fill(path, { timeout: 1000 });
      if (await box.isVisible()) await viewer.page.keyboard.press('Enter');
      await box.waitFor({ state: 'hidden', timeout: 2000 });
      return true;
    }, 'the dialog’s end');
    const text = await until(() => readFileSync(path, 'utf8'), 'the file', LIMIT_MS);
    return text.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
