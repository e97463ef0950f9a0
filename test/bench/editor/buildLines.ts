import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pickRow } from '../../editor/ui/forms.ts';
import { BED_IMAGE } from '../../bed/images.ts';
import { withFolder } from '../stage.ts';
import { busyShare } from './proc.ts';
import { GANTRY, inWindow, withWindows, type BenchWindow } from './windows.ts';

const PER_SECOND = 1000;
/** How many bursts of lines there are per second. */
const TURNS = 5;
/** The builder cuts the output of a step after 2 MiB. */
const SECONDS = 24;
const MEASURED_MS = 15_000;

/** Returns the share of one core that the extension host uses while a build of the window writes lines, in percent. */
export function busyInBuild(url: string): Promise<number> {
  return withFolder((folder) => {
    const dockerfile = `FROM ${BED_IMAGE}\nRUN ${JSON.stringify(writer())}\n`;
    writeFileSync(join(folder, 'Dockerfile'), dockerfile);
    const serving = { extension: GANTRY, env: { DOCKER_HOST: url }, folder };
    return withWindows(serving, (windows) =>
      inWindow(windows, (window) => build(window, basename(folder).toLowerCase())),
    );
  });
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
