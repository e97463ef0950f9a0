// The steps of `npm test`: what each needs and does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installVSCode } from '../../scripts/install.mjs';
import { makeBed, versionOf } from './bed.ts';
import type { EngineKind } from './engines.ts';
import { bedVariables, type EngineBuild } from './env.ts';
import { newestSystem } from './newestSystem.ts';
import { run, type Sink } from './programs.ts';
import { readOutcome, type Outcome } from './suite.ts';
import type { PartName } from './system.mjs';

/** One step. */
export interface Step {
  /** What it is called on the command line. */
  readonly name: string;
  /** Which of the equally named it is. */
  readonly kind?: EngineKind;
  readonly title: string;
  /** Whether it runs only if it is named. */
  readonly isByHand?: boolean;
  /** What it needs of the machine. */
  readonly parts: readonly PartName[];
  readonly run: (sink: Sink) => Promise<Outcome>;
  /** The names of its tests, for when it cannot be run. */
  readonly list: () => Promise<string[]>;
}

/** Steps of one stage run at the same time. */
export type Stage = readonly Step[];

/** The window's tests that are run on each kind of engine; what else is in a window does not go by it. */
const WINDOW_ON_EACH = 'editor/ui/{commands,logViewer,path,states,views}.test.ts';

const TITLES = { docker: 'Docker', podman: 'Podman' } as const;
const BED = ['registry'] as const;
const EDITOR = ['registry', 'browser', 'vscode'] as const;

/** All steps in their order. Only one at a time drives a browser: two would wait for one another's pictures. */
export const STAGES: readonly Stage[] = [
  [npmStep('typecheck', 'Type check'), npmStep('lint', 'Lint')],
  [suiteStep({ name: 'unit', title: 'Unit tests', timeout: 5_000, parts: [] })],
  [engineStep('docker'), engineStep('podman'), soakStep(), editorPartsStep()],
  [pageStep()],
  [windowStep('docker'), hostStep('podman')],
  [windowStep('podman'), hostStep('docker')],
  [startStep()],
  [newestStep('docker', 'the newest Docker')],
  [newestStep('docker', "the newest Docker with containerd's image store", true)],
  [newestStep('podman', 'the newest Podman')],
];

interface Suite {
  readonly name: string;
  readonly title: string;
  readonly parts: readonly PartName[];
  readonly timeout: number;
  readonly kind?: EngineKind;
  readonly isByHand?: boolean;
  /** Which engine of the kind; that of the machine unless given. */
  readonly build?: (sink: Sink) => Promise<EngineBuild>;
  /** Which files below `test`; those of the folder of its name unless given. */
  readonly files?: string;
  readonly prepare?: (sink: Sink) => Promise<unknown>;
}

function npmStep(name: string, title: string): Step {
  const outcome = (passed: string[], failed: string[]): Outcome => ({
    passed,
    failed,
    skipped: [],
  });
  return {
    name,
    title,
    parts: [],
    list: () => Promise.resolve([title]),
    async run(sink) {
      const code = await run(['npm', 'run', '--silent', name], sink);
      return code === 0 ? outcome([title], []) : outcome([], [title]);
    },
  };
}

function engineStep(kind: EngineKind): Step {
  const title = `Engine tests on ${TITLES[kind]}`;
  return suiteStep({
    name: 'engine',
    title,
    kind,
    parts: [kind, ...BED, 'ssh', 'tls'],
    timeout: 30_000,
  });
}

/** The engine tests on what Debian's unstable distribution has of the kind today. */
function newestStep(kind: EngineKind, title: string, hasContainerdStore = false): Step {
  return suiteStep({
    name: 'newest',
    title: `Engine tests on ${title}`,
    isByHand: true,
    kind,
    parts: ['newest', 'docker', ...BED, 'ssh', 'tls'],
    timeout: 30_000,
    files: 'engine/**/*.test.ts',
    build: async (sink) => ({ system: await newestSystem(sink), hasContainerdStore }),
  });
}

/** Its own time is the least of it: most of what it does is to wait. */
function soakStep(): Step {
  const title = 'Soak on Docker';
  const parts = ['docker', ...BED] as const;
  return suiteStep({ name: 'soak', title, kind: 'docker', parts, timeout: 180_000 });
}

/** Brings VS Code while the engines are tested, so that nobody waits for it later. */
function editorPartsStep(): Step {
  const nothing: Outcome = { passed: [], failed: [], skipped: [] };
  return {
    name: 'editor',
    title: 'Installing VS Code',
    parts: ['vscode'],
    run: (sink) => editorReady(sink).then(() => nothing),
    list: () => Promise.resolve([]),
  };
}

/** The log viewer's page alone, without VS Code and engine. */
function pageStep(): Step {
  const title = 'Page tests';
  const files = 'editor/page/**/*.test.ts';
  return suiteStep({
    name: 'page',
    title,
    parts: ['browser'],
    timeout: 60_000,
    files,
    prepare: build,
  });
}

/** What is tested inside the extension host, without a browser. */
function hostStep(kind: EngineKind): Step {
  return suiteStep({
    name: 'editor',
    title: `Extension host tests on ${TITLES[kind]}`,
    kind,
    parts: [kind, ...EDITOR],
    timeout: 120_000,
    files: 'editor/host/run.test.ts',
    prepare: editorReady,
  });
}

function windowStep(kind: EngineKind): Step {
  // What does not go by the kind runs with Docker, and some of that needs both engines, or ssh.
  const parts: readonly PartName[] = kind === 'docker' ? ['docker', 'podman', 'ssh'] : [kind];
  return suiteStep({
    name: 'editor',
    title: `Window tests on ${TITLES[kind]}`,
    kind,
    parts: [...parts, ...EDITOR],
    timeout: 120_000,
    files: kind === 'docker' ? 'editor/ui/**/*.test.ts' : WINDOW_ON_EACH,
    prepare: editorReady,
  });
}

function startStep(): Step {
  const parts = ['docker', ...EDITOR] as const;
  const title = 'Tests of npm start';
  return suiteStep({ name: 'start', title, parts, timeout: 180_000, prepare: editorReady });
}

function suiteStep(suite: Suite): Step {
  const { name, title, parts, kind, isByHand = false } = suite;
  return {
    ...{ name, title, parts, isByHand },
    ...(kind && { kind }),
    run: async (sink) => {
      await suite.prepare?.(sink);
      if (!kind) return mocha(suite, sink);
      const build = await suite.build?.(sink);
      const { engine, facts } = await makeBed(kind, build && { build });
      sink(`${await versionOf(engine)}\n`);
      return mocha(suite, sink, bedVariables(facts)).finally(() => engine.stop());
    },
    list: async () => {
      const { passed } = await mocha(suite, () => undefined, {}, ['--list']);
      return passed.length > 0 ? passed : [title];
    },
  };
}

async function mocha(
  { name, title, timeout, files = `${name}/**/*.test.ts` }: Suite,
  sink: Sink,
  env: NodeJS.ProcessEnv = {},
  flags: readonly string[] = [],
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-suite-'));
  const out = join(folder, 'outcome.json');
  const program = [process.execPath, join(import.meta.dirname, 'suite.ts')];
  const args = [out, String(timeout), `test/${files}`, ...flags];
  try {
    const code = await run([...program, ...args], sink, env);
    return judged(readOutcome(out), code, title);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A process can fail though no test did, and what it wrote is then not the whole story. */
function judged(outcome: Outcome | undefined, code: number, title: string): Outcome {
  const { passed, failed, skipped } = outcome ?? { passed: [], failed: [], skipped: [] };
  const silent = code !== 0 && failed.length === 0;
  return { passed, skipped, failed: silent ? [`${title}: ended with status ${code}`] : failed };
}

let building: Promise<void> | undefined;
let fetching: Promise<void> | undefined;

/** The extension built and VS Code there; both happen once in a run, whoever asks first. */
function editorReady(sink: Sink): Promise<unknown> {
  fetching ??= installVSCode((line) => {
    sink(`${line}\n`);
  });
  return Promise.all([build(sink), fetching]);
}

function build(sink: Sink): Promise<void> {
  building ??= run(['npm', 'run', '--silent', 'build'], sink).then((code) => {
    if (code !== 0) throw new Error('The extension could not be built.');
  });
  return building;
}
