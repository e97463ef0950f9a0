// What `npm run bench` runs: measures the parts named on the command line, or all of them, and prints the
// table. Engines and editors are brought up for it and taken down again.
import { startDocker } from '../bed/engines.ts';
import { importBusybox } from '../bed/images.ts';
import { createCrowd } from './crowd.ts';
import { benchEditor } from './editor.ts';
import { benchLists } from './lists.ts';
import { benchLiveness } from './liveness.ts';
import { benchLogDecoding } from './logDecoding.ts';
import type { BenchRow } from './row.ts';
import { benchSizes } from './sizes.ts';
import { printRow } from './table.ts';

const CROWD = 500;

/** All parts, by the name that `npm run bench -- NAME` takes. */
const PARTS: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
  sizes: benchSizes,
  engine: () =>
    withEngine(async (socket) => {
      const ids = await createCrowd(socket, CROWD);
      return [...(await benchLists(socket, ids)), ...(await benchLiveness(socket))];
    }),
  logs: benchLogDecoding,
  editor: benchEditor,
};

async function withEngine<T>(run: (socket: string) => Promise<T>): Promise<T> {
  const engine = await startDocker();
  try {
    await importBusybox(engine);
    return await run(engine.socket);
  } finally {
    await engine.stop();
  }
}

// The channel ends with the script that started this. What is still up ends with this process.
process.once('disconnect', () => process.exit(130));
process.channel?.unref();
const named = process.argv.slice(2);
for (const [name, part] of Object.entries(PARTS)) {
  if (named.length > 0 && !named.includes(name)) continue;
  for (const row of await part()) printRow(row);
}
