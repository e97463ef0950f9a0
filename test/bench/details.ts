import { delay } from '../../src/base/time.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { createOne, verb } from './crowd.ts';
import { makeFloor } from './editor/floor.ts';
import { GANTRY, inWindow, withWindows, type BenchWindow, type Windows } from './editor/windows.ts';
import { withEngine } from './stage.ts';

const ROUNDS = 4;
const CHANGES = 10;
/** The pause between two double clicks, so that they are measured separately. */
const REST_MS = 800;
const NAMES = ['one', 'two'] as const;

/** VS Code itself waits for the second click, with Gantry as with the floor. */
const SETTINGS = {
  'gantry.containers.openOnClick': 'details',
  'workbench.list.openMode': 'doubleClick',
};

/** Measures from a double click on a row to what the details page says of the container. */
export function benchDetails(): Promise<Measurements<'first' | 'next'>> {
  return withEngine(async ({ socket }) => {
    for (const name of NAMES) await verb(socket, await createOne(socket, name), 'start');
    const env = { DOCKER_HOST: `unix://${socket}` };
    const floor = makeFloor(NAMES.length, { opensPage: true });
    try {
      return await withWindows({ extension: GANTRY, env, settings: SETTINGS }, (gantry) =>
        withWindows({ extension: floor.folder, settings: SETTINGS }, async (empty) => ({
          first: await benchFirst(gantry, empty),
          next: await benchNext(gantry),
        })),
      );
    } finally {
      floor.remove();
    }
  });
}

/** Measures the first page of a window, compared with an empty one of an extension with as many fixed rows. */
async function benchFirst(gantry: Windows, empty: Windows): Promise<Measurement> {
  const subject: number[] = [];
  const peer: number[] = [];
  // Discard the first round, which loads what all windows share.
  for (let round = 0; round <= ROUNDS; round++) {
    const nothing = await inWindow(empty, (window) => open(window, 'row-0', '.page'));
    const details = await inWindow(gantry, (window) => open(window, 'one', '.sentence'));
    if (round === 0) continue;
    peer.push(nothing);
    subject.push(details);
  }
  return { subject, peer };
}

/** Measures another container in a page that is open. */
function benchNext(gantry: Windows): Promise<Measurement> {
  return inWindow(gantry, async (window) => {
    await open(window, 'one', '.sentence');
    const subject: number[] = [];
    for (let turn = 1; turn <= CHANGES; turn++) {
      await delay(REST_MS);
      const name = NAMES[turn % 2] ?? '';
      const shown = `.page:has(h1:text-is("${name}")) .row:has-text("sleep 1000000")`;
      subject.push(await open(window, name, shown));
    }
    return { subject };
  });
}

/** Opens the page of a row. Resolves to the milliseconds until it has an element, without the first click. */
async function open({ page, workbench }: BenchWindow, label: string, shown: string) {
  await workbench.openView('Gantry');
  const row = workbench.row(label, 'Containers');
  await row.click();
  await delay(REST_MS);
  const frame = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  const start = performance.now();
  await row.dblclick();
  await frame.locator(shown).first().waitFor();
  return performance.now() - start;
}
