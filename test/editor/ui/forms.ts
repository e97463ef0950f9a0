// Fills in Gantry's forms, which have an overview and a step for each field, and VS Code's dialog for a file to
// save.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { until } from '../../bed/until.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';

/** The placeholder of a form's overview. */
const OVERVIEW = 'Select an option to change, or continue';

/** Picks a row of the overview, wherever it is in the list: only rows in view are in the page. */
export async function pickRow({ quick }: Workbench, label: string): Promise<void> {
  await quick.asks(OVERVIEW);
  await quick.typeText(label);
  await quick.pick(OVERVIEW, label);
}

/** Matches the title of the step for a field. */
function stepOf(label: string): RegExp {
  return new RegExp(`: ${label.replaceAll(/[()]/g, '\\$&')}$`, 'm');
}

/** Sets one field to a text. */
export async function fillIn(workbench: Workbench, label: string, text: string): Promise<void> {
  const { quick } = workbench;
  await pickRow(workbench, label);
  await quick.type(stepOf(label), text);
  await quick.asks(OVERVIEW);
}

/** Adds one entry to a field with several entries. */
export async function addTo({ quick }: Workbench, label: string, entry: string): Promise<void> {
  const step = stepOf(label);
  await quick.pick(OVERVIEW, label);
  await quick.type(step, entry);
  await quick.row(entry).waitFor();
  await quick.pick(step, 'Done');
  await quick.asks(OVERVIEW);
}

/** Returns the values in the overview by label. */
export async function formValues({ quick }: Workbench): Promise<Readonly<Record<string, string>>> {
  const rows = await quick.labels();
  return Object.fromEntries(rows.map(({ label, description }) => [label, description]));
}

/**
 * Enters a new file of this name in VS Code's save dialog, in a folder of its own below `folder`. Resolves to
 * the path of the file.
 */
export async function saveAs(
  { quick, page }: Workbench,
  folder: string,
  name: string,
): Promise<string> {
  // The folder has a file that identifies its entries: when the entries of the proposed folder arrive, VS Code
  // writes the proposal into the box and overwrites its content.
  const own = join(folder, `for ${name}`);
  mkdirSync(own);
  writeFileSync(join(own, `beside ${name}`), '');
  const path = join(own, name);
  await until(async () => (await quick.box.inputValue()) !== '', 'the proposed name');
  await until(async () => {
    // Filled in by script: this dialog is VS Code's own, and overwrites what is typed.
    if ((await quick.box.inputValue()) !== path) await quick.box.fill(path);
    return (await quick.labels()).some(({ label }) => label === `beside ${name}`);
  }, `the entries of ${own}`);
  await page.keyboard.press('Enter');
  return path;
}

/** Enters the path of a file in VS Code's open dialog. */
export async function openFile({ quick, page }: Workbench, path: string): Promise<void> {
  // VS Code proposes a folder when its entries arrive, and overwrites the box then.
  await until(async () => (await quick.box.inputValue()).startsWith('/'), 'the proposed folder');
  await until(async () => {
    // As in `saveAs`.
    if ((await quick.box.inputValue()) !== path) await quick.box.fill(path);
    return quick.row(basename(path)).isVisible();
  }, `the file ${path} in the dialog`);
  await page.keyboard.press('Enter');
}
