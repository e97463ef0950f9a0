// How a person fills in Gantry's forms: an overview, and a step for each field.
import type { Workbench } from '../../bed/vscode/workbench.ts';

/** What the overview of a form asks. */
const OVERVIEW = 'Pick what to change';

/** Answers one field with a text. */
export async function fillIn({ quick }: Workbench, label: string, text: string): Promise<void> {
  await quick.pick(OVERVIEW, label);
  await quick.type(new RegExp(`: ${label}$`, 'm'), text);
  await quick.asks(OVERVIEW);
}

/** Adds one entry to a field that takes several. */
export async function addTo({ quick }: Workbench, label: string, entry: string): Promise<void> {
  const step = new RegExp(`: ${label}$`, 'm');
  await quick.pick(OVERVIEW, label);
  await quick.type(step, entry);
  await quick.row(entry).waitFor();
  await quick.pick(step, 'Done');
  await quick.asks(OVERVIEW);
}

/** What the overview shows: values by label. */
export async function formValues({ quick }: Workbench): Promise<Readonly<Record<string, string>>> {
  const rows = await quick.labels();
  return Object.fromEntries(rows.map(({ label, description }) => [label, description]));
}
