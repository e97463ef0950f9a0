import {
  prefixed,
  type Benchmark,
  type BenchOptions,
  type Measurements,
  type Part,
} from './benchmark.ts';
import { benchBuilds, LINES } from './builds.ts';
import { benchConnect } from './connect.ts';
import { benchDetails } from './details.ts';
import { benchEditor } from './editor.ts';
import { benchGraphs } from './graphs.ts';
import { benchIdleEngines } from './editor/idleEngines.ts';
import type { BigLogKey } from './editor/logs/bigLog.ts';
import { benchViewer } from './editor/viewer.ts';
import { benchFiles } from './files.ts';
import { benchFilter } from './filter.ts';
import { benchImages } from './images.ts';
import { benchLiveness } from './liveness.ts';
import { benchLogReading } from './logReading.ts';
import { benchProjects } from './projects.ts';
import { benchPulls } from './pulls.ts';
import { benchReview } from './review.ts';
import { benchSizes } from './sizes.ts';
import { benchStatistics } from './statistics.ts';
import { benchSyntheticLogs } from './syntheticLogs.ts';
import { benchVolumes } from './volumes.ts';
import { benchWorktrees } from './worktrees.ts';

/** Data already passed on stays in memory until it is collected, regardless of the image size. */
const MOST_IMAGE_MB = 100;
const MOST_ROW_MS = 250;
const MOST_TASK_MS = 50;
const MOST_KEY_MS = 50;

/** All parts by their name in `npm run bench -- NAME`, with a benchmark for each line of the page Performance. */
export const PARTS: Readonly<Record<string, Part>> = {
  sizes: part(benchSizes, {
    early: { name: 'loaded until the first row', unit: 'kB', limit: { most: 370 } },
    package: { name: 'the package', unit: 'kB', limit: { most: 730 } },
  }),
  engine: part(benchLiveness, {
    median: event('event to the updated list, machine’s engine: median'),
    p95: event('the same: 95th percentile', 100),
    newestMedian: event('event to the updated list, newest engine: median'),
    newestP95: event('the same: 95th percentile', 100),
  }),
  review: part(benchReview, {
    tree: { name: 'tree of 5,000 changed files', unit: 'ms', peer: 'GET /changes alone' },
  }),
  connect: part(benchConnect, {
    socket: comparison('first list of an engine over its socket', 'docker container ls', 0.5),
    ssh: comparison('second list over SSH', 'docker container ls over SSH', 0.1),
  }),
  files: part(benchFiles, {
    download: comparison(
      'download of a file of 50 MB from a container',
      'curl of the same archive',
      1.2,
    ),
    saved: comparison('save of a file of 10 kB in a container', 'docker cp of the same', 1.5),
  }),
  images: part(benchImages, {
    save: image('memory (RSS) for saving an image of 500 MB'),
    load: image('memory (RSS) for loading it again'),
  }),
  pull: part(benchPulls, {
    pull: comparison('pull of 48 MB in 8 new layers', 'docker pull', 1.1),
    repaints: {
      name: 'repaints during a pull with 1,000 messages a second',
      unit: '/s',
      digits: 1,
      limit: { most: 10 },
    },
  }),
  builds: part(benchBuilds, {
    cached: comparison('build with everything cached', 'docker buildx build', 1),
    first: comparison('first build with a context of 200 MB', 'docker buildx build', 1.5),
    changed: comparison('build of 200 MB of which one file changed', 'docker buildx build', 1.2),
    lines: {
      name: 'lines of a step’s log, in order',
      unit: 'lines',
      limit: { most: LINES, least: LINES },
    },
    busy: core('extension host while a build writes 1,000 lines/s', 10),
  }),
  projects: part(benchProjects, {
    start: comparison('start of a project of 20 containers', 'docker compose start', 1.1),
  }),
  worktrees: part(benchWorktrees, {
    up: worktree('Up in This Worktree, a new project of 5 services'),
    again: worktree('the same with nothing to do'),
  }),
  volumes: part(benchVolumes, {
    exported: {
      name: 'export of a volume of 100 MB, by speed',
      unit: 'ms',
      peer: 'tar -cz in a container that mounts it',
      isSpeed: true,
      limit: { of: 'ratio', least: 0.8 },
    },
  }),
  filter: part(benchFilter, {
    key: event('a key in the filter of 1,000 containers', MOST_KEY_MS),
    p95: event('the same: 95th percentile', MOST_KEY_MS),
  }),
  logs: part(async () => ({ ...(await benchSyntheticLogs()), ...(await benchLogReading()) }), {
    decode: {
      name: 'log of 1 GB to lines',
      unit: 'MB/s',
      peer: 'undici iteration',
      limit: { of: 'ratio', least: 0.3 },
    },
    chunks: { name: 'the same with dockerode', unit: 'MB/s', digits: 1 },
    store: {
      name: 'log of a million lines (111 MB) into the store, by speed',
      unit: 'ms',
      peer: 'undici iteration',
      isSpeed: true,
      limit: { of: 'ratio', least: 0.2 },
    },
    whole: comparison('Docker’s log of a million lines (107 MB) into the store', 'curl', 1.3),
    process: comparison('the same with docker logs', 'curl'),
    dockerode: comparison('the same with dockerode', 'curl'),
    back: comparison('the same backwards, page by page', 'curl'),
  }),
  viewer: part(benchViewer, {
    appended: {
      name: 'click on Show Logs to the first append',
      unit: 'ms',
      peer: 'an extension that appends at once',
    },
    painted: {
      name: 'click on Show Logs to the line on the screen',
      unit: 'ms',
      peer: 'VS Code’s own channel fed at once',
    },
    flood: {
      name: 'click on Show Logs to the last of 100,000 lines',
      unit: 'ms',
      peer: 'VS Code’s own channel fed at once',
    },
    opening: {
      name: 'click to the first row of a log viewer',
      unit: 'ms',
      limit: { most: 600 },
    },
    followed: { name: 'following 20 containers at 500 lines/s each: lines', unit: 'lines' },
    busy: core('the same: extension host', 25),
    ...prefixed('noSpill', bigLog('no spill', 214)),
    ...prefixed('budget', bigLog('budget of 32 MB', 64)),
  }),
  editor: part(benchEditor, {
    few: firstRow('click on the icon to the first row, 20 containers', 2.5),
    many: firstRow('click on the icon to the first row, 500 containers', 3.5),
    cpu: { name: 'processor time in an idle minute', unit: 'ms', digits: 1, limit: { most: 40 } },
    requests: { name: 'bytes sent in an idle minute', unit: 'B', limit: { most: 0 } },
    memory: {
      name: 'memory (RSS) of the extension host',
      unit: 'MB',
      digits: 1,
      limit: { most: 30 },
    },
    state: event('event to the row of a container', MOST_ROW_MS),
    containerCreated: event('container created to its row', MOST_ROW_MS),
    containerRemoved: event('container removed to the row gone', MOST_ROW_MS),
    volumeCreated: event('volume created to its row', MOST_ROW_MS),
    volumeRemoved: event('volume removed to the row gone', MOST_ROW_MS),
    networkCreated: event('network created to its row', MOST_ROW_MS),
    networkRemoved: event('network removed to the row gone', MOST_ROW_MS),
  }),
  details: part(benchDetails, {
    first: {
      name: 'double click on a container to its details, first page of a window',
      unit: 'ms',
      peer: 'an empty webview panel',
      limit: { of: 'ratio', most: 1.3 },
    },
    next: { name: 'the same, into an open page', unit: 'ms', limit: { most: 150 } },
  }),
  graphs: part(benchGraphs, {
    script: {
      name: 'statistics page, 20 containers: script per update',
      unit: 'ms',
      digits: 1,
      limit: { most: 8 },
    },
    task: { name: 'the same: longest task', unit: 'ms', digits: 1, limit: { most: 50 } },
  }),
  statistics: part(benchStatistics, {
    engine: {
      name: 'engine while 20 containers are read',
      unit: '% of a core',
      digits: 2,
      peer: 'docker stats of the same',
      limit: { of: 'ratio', most: 0.3 },
    },
    host: core('20 rows with CPU and memory: extension host', 1),
  }),
  idle: part(benchIdleEngines, {
    sent: { name: 'bytes sent to three idle engines', unit: 'B', limit: { most: 0 } },
    cpu: { name: 'processor time of the extension host in that time', unit: 'ms' },
  }),
};

/** Returns a part that has a benchmark for everything that it measures. */
function part<Key extends string>(
  run: (options: BenchOptions) => Promise<Measurements<Key>>,
  benchmarks: Readonly<Record<Key, Benchmark>>,
): Part {
  return { run, benchmarks };
}

/** Returns a benchmark of a time, compared with another process by its ratio. */
function comparison(name: string, peer: string, most?: number): Benchmark {
  const limit = most === undefined ? undefined : ({ of: 'ratio', most } as const);
  return { name, unit: 'ms', digits: 1, peer: `${peer}, a process,`, ...(limit && { limit }) };
}

/** Returns a benchmark of a run in a worktree. */
function worktree(name: string): Benchmark {
  return { name, unit: 'ms', peer: 'docker compose up and config, two processes,' };
}

/** Returns a benchmark of the time after an event of the engine. */
function event(name: string, most?: number): Benchmark {
  return { name, unit: 'ms', ...(most !== undefined && { limit: { most } }) };
}

function firstRow(name: string, most: number): Benchmark {
  const limit = { of: 'ratio', most } as const;
  return { name, unit: 'ms', peer: 'as many fixed rows', ratioDigits: 1, limit };
}

function image(name: string): Benchmark {
  return { name, unit: 'MB', limit: { most: MOST_IMAGE_MB } };
}

/** Returns a benchmark of the share of one core. */
function core(name: string, most: number): Benchmark {
  return { name, unit: '% of a core', digits: 1, limit: { most } };
}

/** Returns the benchmarks of a log of a million lines in a log viewer, whose memory may grow by this. */
function bigLog(words: string, mostMB: number): Readonly<Record<BigLogKey, Benchmark>> {
  const peer = 'the log itself';
  const limit = { most: mostMB };
  const all = { most: 1_000_000, least: 1_000_000 };
  const time = (name: string, most: number): Benchmark => {
    return { name: `find in its window, ${words}: ${name}`, unit: 'ms', limit: { most } };
  };
  return {
    lines: { name: `a million lines in a log viewer, ${words}`, unit: 'lines', limit: all },
    held: { name: 'memory it keeps, extension host and page', unit: 'MB', peer, limit },
    peak: { name: 'peak while it is read, without new objects', unit: 'MB', peer, limit },
    first: time('first hit', 50),
    all: time('all hits', 1500),
    task: time('longest task of the window', MOST_TASK_MS),
    host: time('longest task of the extension host', MOST_TASK_MS),
  };
}
