// The entry point of `npm run bench`: measures the parts named on the command line, or all of them, and
// prints the table. Starts engines and VS Code as needed and stops them afterwards.
import { parseArgs } from 'node:util';
import { startDocker, type EngineOptions } from '../bed/engines.ts';
import { importBusybox } from '../bed/images.ts';
import { newestSystem } from '../bed/newestSystem.ts';
import { benchBuilds } from './builds.ts';
import { benchConnect } from './connect.ts';
import { createCrowd } from './crowd.ts';
import { benchCrowd } from './crowdEvents.ts';
import { benchEditor } from './editor.ts';
import { benchIdleEngines } from './editor/idleEngines.ts';
import { benchViewer } from './editor/viewer.ts';
import { benchImages } from './images.ts';
import { benchFiles } from './files.ts';
import { benchLists } from './lists.ts';
import { benchLiveness } from './liveness.ts';
import { benchLogDecoding } from './logDecoding.ts';
import { benchLogReading } from './logReading.ts';
import { benchProjects } from './projects.ts';
import { benchPulls } from './pulls.ts';
import { benchLogStore } from './logStore.ts';
import { benchReview } from './review.ts';
import type { BenchRow } from './row.ts';
import { benchSizes } from './sizes.ts';
import { printRow } from './table.ts';
import { benchVolumes } from './volumes.ts';

const CROWD = 500;
/** As many as a developer typically has. */
const FEW = 20;

/** The options of a run. */
interface BenchOptions {
  /** The duration of `idle`, and the maximum duration of `viewer`, in minutes. */
  readonly minutes: number;
}

/** All parts by their name in `npm run bench -- NAME`. */
const PARTS: Readonly<Record<string, (options: BenchOptions) => Promise<BenchRow[]>>> = {
  sizes: benchSizes,
  engine: async () => [
    ...(await withEngine(async (socket) => {
      const ids = await createCrowd(socket, CROWD);
      return [...(await benchLists(socket, ids)), ...(await benchLiveness(socket))];
    })),
    ...(await withEngine(
      async (socket) => {
        await createCrowd(socket, CROWD);
        return benchLiveness(socket);
      },
      await newestDocker(),
    )),
  ],
  review: () => withEngine(benchReview),
  connect: () =>
    withEngine(async (socket) => {
      await createCrowd(socket, FEW);
      return benchConnect(socket);
    }),
  files: () => withEngine(benchFiles),
  crowd: benchCrowd,
  images: () => withEngine(benchImages),
  pull: benchPulls,
  builds: benchBuilds,
  projects: benchProjects,
  volumes: () => withEngine(benchVolumes),
  logs: async () => [
    ...(await benchLogDecoding()),
    ...(await benchLogStore()),
    ...(await withEngine(benchLogReading)),
  ],
  viewer: ({ minutes }) => benchViewer(minutes),
  editor: benchEditor,
  idle: ({ minutes }) => benchIdleEngines(minutes),
};

async function newestDocker(): Promise<EngineOptions> {
  const { root } = await newestSystem((text) => process.stderr.write(text));
  return { build: { system: root, hasContainerdStore: false, oldestApi: '' } };
}

async function withEngine<T>(
  run: (socket: string) => Promise<T>,
  options: EngineOptions = {},
): Promise<T> {
  const engine = await startDocker(options);
  try {
    await importBusybox(engine);
    return await run(engine.socket);
  } finally {
    await engine.stop();
  }
}

// The channel closes when the parent script exits. What is still running then ends with this process.
process.once('disconnect', () => process.exit(130));
process.channel?.unref();
const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '10' } },
});
const options: BenchOptions = { minutes: Number(values.minutes) };
for (const [name, part] of Object.entries(PARTS)) {
  if (named.length > 0 && !named.includes(name)) continue;
  for (const row of await part(options)) printRow(row);
}
