import { build } from 'esbuild';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askWell } from '../../../bed/http.ts';
import { until } from '../../../bed/until.ts';
import { atEnd } from '../../../bed/vscode/cleanup.mjs';

const MANIFEST = {
  name: 'probe',
  publisher: 'gantry-bench',
  version: '0.0.1',
  engines: { vscode: '^1.105.0' },
  main: './dist/extension.cjs',
  extensionKind: ['workspace'],
  activationEvents: ['*'],
};

/** Observes an extension host from within. */
export interface Probe {
  /** The probe extension to install next to the measured one, and its environment. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Resolves when the probe is active. It sees only extensions activated after it. */
  ready(): Promise<void>;
  /** Resolves to the time of the first append to a channel, in milliseconds since 1970. */
  firstAppend(channel: string): Promise<number>;
  /** Resolves to the longest uninterrupted work of the main thread while `work` runs, in milliseconds. */
  longestPiece(work: () => Promise<unknown>): Promise<number>;
  /** Forces a garbage collection in the extension host. Resolves to the bytes that V8 holds for new objects. */
  collect(): Promise<number>;
  /** Appends a whole file to a new output channel of VS Code and shows it. */
  feed(channel: string, file: string): Promise<void>;
  remove(): void;
}

/** Creates a probe, for one window at a time. */
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
      return Number(await ask('/collect'));
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
  await build({
    entryPoints: [join(import.meta.dirname, 'probeExtension.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    external: ['vscode'],
  });
}
