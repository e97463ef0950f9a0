import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { composeCommands } from '../../src/commands/projects/composeCommands.ts';
import type { ComposeCli } from '../../src/projects/cli/composeCli.ts';
import { runCli } from '../../src/engine/cli/runCli.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { WorktreeOverrides } from '../../src/projects/worktrees/worktreeOverrides.ts';
import { BED_IMAGE } from '../bed/images.ts';
import { openCommandLab, type CommandLab } from '../unit/support/commandLab.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { median, rounded, timesInTurn } from './figures.ts';
import { withNewest, type Stage } from './stage.ts';

const ROUNDS = 7;
const SERVICES = 5;
const PROJECT = 'gantry-bench';
const UP = ['up', '--detach'];
/** What *Up in This Worktree* may cost more than the same by the CLI, in milliseconds. */
const MOST_MORE_MS = 300;

type Compose = (...args: readonly string[]) => Promise<unknown>;

/**
 * Measures *Up in This Worktree* of a project of 5 services that does not exist, in a new window, and again in that window
 * with nothing to do. Compared with `docker compose up` of the same project and one `docker compose config`.
 */
export function benchWorktrees(): Promise<Measurements<'up' | 'again'>> {
  return withNewest(async (stage) => {
    const { engine, folder, plugins } = stage;
    const program = join(plugins, 'docker-compose');
    const file = composeFileIn(folder);
    const env = { ...process.env, DOCKER_HOST: engine.url, HOME: folder };
    const compose: Compose = (...args) => promisify(execFile)(program, args, { env });
    const plain: Compose = (...args) => compose(`--file=${file}`, ...args);
    const window = { cli: { file: program, ...ABILITIES } };
    const lab = await openLab(stage, window);
    try {
      let project = '';
      const subject = async (): Promise<void> => {
        const done = await lab.call('gantry.projects.up', { files: [file], worktree: true });
        ({ project } = done as { readonly project: string });
      };
      const works = {
        subject,
        up: () => plain(...UP),
        config: () => plain('config', '--format=json'),
      };
      const down = async (): Promise<void> => {
        // A new window does not know its version.
        window.cli = { ...window.cli };
        await plain('down', '--volumes', '--timeout=0');
        if (project !== '')
          await compose(`--project-name=${project}`, 'down', '--volumes', '--timeout=0');
      };
      const up = measured(await timesInTurn(ROUNDS, works, down));
      return { up, again: measured(await timesInTurn(ROUNDS, works)) };
    } finally {
      await lab.close();
    }
  });
}

const ABILITIES = { prefix: [], hasJson: true, hasDryRun: true, hasFolder: true };

/** Opens a window whose tasks run without a terminal. */
async function openLab(
  { connection, folder }: Stage,
  window: { readonly cli: ComposeCli },
): Promise<CommandLab> {
  const overrides = new WorktreeOverrides(join(folder, 'overrides'));
  const lab = await openCommandLab((_, response) => void response.destroy(), {
    engine: { connect: () => Promise.resolve(connection) } as unknown as Engine,
    window: {
      worktrees: () => Promise.resolve(overrides),
      findCompose: () => Promise.resolve(window.cli),
    },
  });
  lab.register(composeCommands());
  lab.ui.runTask = async (call, { linesOf }) => {
    const { code, stderr } = await runCli(call, linesOf, new AbortController().signal);
    if (code !== 0) throw new Error(stderr);
    return code;
  };
  return lab;
}

function measured({ subject, up, config }: Times): Measurement {
  const peer = median(up) + median(config);
  return { subject, peer, limit: { most: rounded(peer, 0) + MOST_MORE_MS } };
}

type Times = Readonly<Record<'subject' | 'up' | 'config', readonly number[]>>;

/** Creates a repository with a compose file that needs to be separated from that of other worktrees. */
function composeFileIn(folder: string): string {
  const root = join(folder, 'shop');
  mkdirSync(join(root, '.git'), { recursive: true });
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
  const service = (at: number): object => ({
    image: BED_IMAGE,
    command: ['sleep', '1000000'],
    container_name: `${PROJECT}-${at}`,
    stop_signal: 'SIGKILL',
    ports: [`127.0.0.1:${18_080 + at}:80`],
    volumes: ['data:/data', './src:/src'],
  });
  const names = Array.from({ length: SERVICES }, (_, at) => [`service-${at}`, service(at)]);
  const volumes = { data: { name: `${PROJECT}-data` } };
  const file = join(root, 'compose.yaml');
  const project = { name: PROJECT, services: Object.fromEntries(names) as object, volumes };
  writeFileSync(file, JSON.stringify(project));
  return file;
}
