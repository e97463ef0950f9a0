import texts from '../../../package.nls.json' with { type: 'json' };
import { until } from '../../bed/until.ts';
import { median, rounded } from '../figures.ts';
import type { BenchRow } from '../row.ts';
import { makeFloor } from './floor.ts';
import { GANTRY, inWindow, withWindows, type Windows } from './windows.ts';

const ROUNDS = 5;

/** Measures the load and activation time that VS Code reports in its list of running extensions. */
export async function benchActivation(socket: string): Promise<BenchRow> {
  const floor = makeFloor(1);
  const [ours, least]: [number[], number[]] = [[], []];
  try {
    await withWindows(GANTRY, { DOCKER_HOST: `unix://${socket}` }, (gantry) =>
      withWindows(floor.folder, {}, async (empty) => {
        for (let round = 0; round < ROUNDS; round++) {
          least.push(await activation(empty, 'floor'));
          ours.push(await activation(gantry, texts['extension.displayName']));
        }
      }),
    );
  } finally {
    floor.remove();
  }
  const [value, peer] = [median(ours), median(least)];
  return {
    name: 'activation, as VS Code tells it',
    value,
    unit: 'ms',
    peer: `an empty extension, ${peer} ms`,
    ratio: rounded(value / Math.max(peer, 1), 1),
    note: `${Math.min(...ours)} to ${Math.max(...ours)} in ${ROUNDS}`,
  };
}

function activation(windows: Windows, name: string): Promise<number> {
  return inWindow(windows, async ({ page, workbench, eye }) => {
    await workbench.openView('Gantry');
    await eye.sees({ kind: 'rows', pane: 'Containers', labels: [] });
    await workbench.quick.run('Developer: Show Running Extensions');
    const row = page.locator('.runtime-extensions-editor .extension', {
      has: page.locator('.name', { hasText: new RegExp(`^${name}$`) }),
    });
    const time = row.locator('.activation-time');
    const words = await until(() => time.innerText({ timeout: 1000 }), 'an activation time');
    return Number(/(\d+)ms/.exec(words)?.[1]);
  });
}
