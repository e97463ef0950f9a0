import { build } from 'esbuild';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askWell } from '../../../bed/http.ts';
import { until } from '../../../bed/vscode/until.ts';
import { atEnd } from '../../../bed/vscode/cleanup.mjs';

const MANIFEST = {
  name: 'probe',
  publisher: 'gantry-bench',
  version: '0.0.1',
  engines: { vscode: '^1.125.0' },
  main: './dist/extension.cjs',
  extensionKind: ['workspace'],
  activationEvents: ['*'],
};

/** What is known of an extension host from within. */
export interface Probe {
  /** The extension to install beside the one that is measured, and its environment. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Waits until it is there: only what is activated after it is seen. */
  ready(): Promise<void>;
  /** When something was first appended to a channel of this name, in milliseconds since 1970. */
  firstAppend(channel: string): Promise<number>;
  /** The longest piece of work of the host's main thread while something is done, in milliseconds. */
  longestPiece(work: () => Promise<unknown>): Promise<number>;
  /** Has the host's garbage collector take all it can. */
  collect(): Promise<void>;
  /** Appends a whole file to a new channel of VS Code's and shows it. */
  feed(channel: string, file: string): Promise<void>;
  remove(): void;
}

/** Makes a probe, for one window at a time. */
export async function makeProbe(): Promise<Probe> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-probe-'));
  const socket = join(folder, 'socket');
  const erase = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  const released = atEnd(erase);
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST));
  await bundle(join(folder, 'dist/extension.cjs'));
  const ask = async (path: string): Promise<unknown> =>
    JSON.parse(await askWell(socket, 'GET', path)) as unknown;
  return {
    folder,
    env: { GANTRY_BENCH_PROBE: socket },
    async ready() {
      await until(() => ask('/appends'), 'the probe');
    },
    firstAppend: (channel) =>
      until(
        async () => ((await ask('/appends')) as Record<string, number>)[channel],
        `something in ${channel}`,
      ),
    async longestPiece(work) {
      await ask('/pulse/start');
      await work();
      return Number(await ask('/pulse/stop'));
    },
    async collect() {
      await ask('/collect');
    },
    async feed(name, file) {
      await ask(`/feed?${new URLSearchParams({ name, file }).toString()}`);
    },
    remove() {
      erase();
      released();
    },
  };
}

async function bundle(outfile: string): Promise<void> {
  const options = { bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' } as const;
  const entry = join(import.meta.dirname, 'probeExtension.ts');
  await build({ ...options, entryPoints: [entry], external: ['vscode'], outfile });
}
