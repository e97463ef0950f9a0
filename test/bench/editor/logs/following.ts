import { until } from '../../../bed/until.ts';
import { ViewerTab } from '../../../editor/ui/viewerTab.ts';
import type { Measurements } from '../../benchmark.ts';
import { createOne, removeOne, verb, waitForEnd } from '../../crowd.ts';
import { busyShare } from '../proc.ts';
import { savedLines } from './saving.ts';
import type { LogStage } from './stage.ts';

const CONTAINERS = 20;
const PER_SECOND = 500;
const PROJECT = 'follow';
/** The number of bursts of lines per second. */
const TURNS = 5;
const SPARE_MS = 120_000;

/** The benchmarks of following. */
export type FollowingKey = 'followed' | 'busy';

/** Follows twenty containers in one log viewer, each writing 500 lines per second. */
export async function benchFollowing(
  stage: LogStage,
  seconds: number,
): Promise<Measurements<FollowingKey>> {
  const { socket, window } = stage;
  const ids = await Promise.all(
    Array.from({ length: CONTAINERS }, (_, index) =>
      createOne(socket, nameOf(index), wish(seconds)),
    ),
  );
  await window.eye.sees({ kind: 'rows', pane: 'Containers', labels: [PROJECT] });
  const { workbench } = window;
  await workbench.inlineAction(workbench.row(PROJECT, 'Containers'), 'Open Log Viewer');
  const viewer = new ViewerTab(window.page);
  await viewer.log.waitFor();
  await Promise.all(ids.map((id) => verb(socket, id, 'start')));
  await viewer.says(/line 00/);
  const busy = await busyShare(window.host, (seconds - 3) * 1000);
  for (const id of ids) await waitForEnd(socket, id);
  await viewer.says(/exited/);
  const wanted = CONTAINERS * PER_SECOND * seconds;
  const lines = await until(
    async () => {
      const saved = inOrder(await savedLines(viewer));
      return saved >= wanted && saved;
    },
    'every line',
    SPARE_MS,
  ).catch(async () => inOrder(await savedLines(viewer)));
  // Remove the containers, so that their rows do not interfere with others.
  await Promise.all(ids.map((id) => removeOne(socket, id)));
  const note = `in ${seconds} s`;
  return {
    followed: { subject: lines, limit: { most: wanted, least: wanted }, note },
    busy: { subject: busy, note },
  };
}

function nameOf(index: number): string {
  return `follow-${String(index).padStart(2, '0')}`;
}

function wish(seconds: number): object {
  const each = PER_SECOND / TURNS;
  // Each pause is shortened by the time spent writing, to keep the rate.
  const program = `BEGIN {
    "cat /proc/uptime" | getline; began = $1; close("cat /proc/uptime");
    for (turn = 1; turn <= ${seconds * TURNS}; turn++) {
      for (k = 0; k < ${each}; k++) printf "line %08d the quick brown fox jumps over the lazy dog\\n", i++;
      fflush();
      "cat /proc/uptime" | getline; close("cat /proc/uptime");
      left = began + turn / ${TURNS} - $1;
      if (left > 0) system("usleep " int(left * 1000000));
    }
  }`;
  return {
    Cmd: ['awk', program],
    Labels: {
      'com.docker.compose.project': PROJECT,
      'com.docker.compose.config-hash': 'hash',
      'com.docker.compose.service': 'writer',
    },
  };
}

/** Returns how many lines arrived in order per container. */
function inOrder(lines: readonly string[]): number {
  const next = new Map<string, number>();
  let count = 0;
  for (const line of lines) {
    const [, member = '', number = ''] = /^(.*?)line (\d{8}) the quick/.exec(line) ?? [];
    if (number === '') continue;
    const name = /follow-\d\d/.exec(member)?.[0] ?? member;
    if (Number(number) !== (next.get(name) ?? 0)) continue;
    next.set(name, Number(number) + 1);
    count++;
  }
  return count;
}
