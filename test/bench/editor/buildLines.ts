import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pickRow } from '../../editor/ui/forms.ts';
import { BED_IMAGE } from '../../bed/images.ts';
import { rounded } from '../figures.ts';
import { atMost } from '../limit.ts';
import type { BenchRow } from '../row.ts';
import { busyShare } from './proc.ts';
import { GANTRY, inWindow, withWindows, type BenchWindow } from './windows.ts';

const PER_SECOND = 1000;
/** How many bursts of lines there are per second. */
const TURNS = 5;
/** The builder cuts the output of a step after 2 MiB. */
const SECONDS = 24;
const MEASURED_MS = 15_000;
/** In percent of one core. */
const MOST_BUSY = 10;

/** Measures the extension host while a build of the window writes lines, with its steps and its log in view. */
export async function benchBuildLines(url: string): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-build-'));
  writeFileSync(join(folder, 'Dockerfile'), `FROM ${BED_IMAGE}\nRUN ${JSON.stringify(writer())}\n`);
  try {
    const env = { DOCKER_HOST: url };
    const busy = await withWindows(
      ...[GANTRY, env],
      (windows) => inWindow(windows, (window) => build(window, basename(folder).toLowerCase())),
      ...[{}, [], folder],
    );
    return {
      name: `extension host while a build writes ${PER_SECOND} lines/s`,
      value: rounded(busy, 1),
      unit: '% of a core',
      ...atMost(busy, MOST_BUSY),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function build({ workbench, eye, host }: BenchWindow, title: string): Promise<number> {
  await workbench.openView('Gantry');
  await workbench.expand('Builds', true);
  await workbench.quick.run('Gantry Images: Build Image...');
  await workbench.quick.pick('Select a Dockerfile', 'Dockerfile');
  await pickRow(workbench, 'Build');
  await eye.sees({ kind: 'rows', pane: 'Builds', labels: [title] });
  await workbench.inlineAction(workbench.row(title, 'Builds'), 'Show Log');
  await eye.sees({ kind: 'output', text: 'line 00002' });
  return busyShare(host, MEASURED_MS);
}

/** Returns a command that writes at this rate: each pause is shortened by the time spent writing. */
function writer(): readonly string[] {
  const each = PER_SECOND / TURNS;
  const program = [
    '"cat /proc/uptime" | getline; began = $1; close("cat /proc/uptime")',
    `for (turn = 1; turn <= ${SECONDS * TURNS}; turn++) {`,
    `for (k = 0; k < ${each}; k++) printf "line %08d the quick brown fox jumps over the lazy dog\\n", i++`,
    'fflush(); "cat /proc/uptime" | getline; close("cat /proc/uptime")',
    `left = began + turn / ${TURNS} - $1`,
    'if (left > 0) system("usleep " int(left * 1000000)) }',
  ];
  return ['awk', `BEGIN { ${program.join('\n')} }`];
}
