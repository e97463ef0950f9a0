// The steps of `npm test`: what each needs and does, and the order in which they start.
import { installVSCode } from '../../scripts/install.mjs';
import type { EngineKind } from './engines.ts';
import type { EngineBuild } from './env.ts';
import { newestSystem } from './newestSystem.ts';
import { run, type Sink } from './programs.ts';
import type { Outcome } from './suite.ts';
import { suiteStep, type Step, type Suite } from './suiteStep.ts';
import type { PartName } from './system.mjs';

/** An engine to run tests on. */
interface Engine {
  readonly kind: EngineKind;
  readonly title: string;
  /** Default: the build of the machine's own distribution. */
  readonly build?: (sink: Sink) => Promise<EngineBuild>;
}

const DOCKER: Engine = { kind: 'docker', title: "today's Docker", build: newest({}) };
const PODMAN: Engine = { kind: 'podman', title: "today's Podman", build: newest({}) };
const CONTAINERD_DOCKER: Engine = {
  kind: 'docker',
  title: "today's Docker with containerd's image store",
  build: newest({ hasContainerdStore: true }),
};
/** As in Docker 29. */
const STRICT_DOCKER: Engine = {
  kind: 'docker',
  title: "today's Docker with the oldest API 1.44",
  build: newest({ oldestApi: '1.44' }),
};
const OLDER_DOCKER: Engine = { kind: 'docker', title: "this machine's Docker" };
const OLDER_PODMAN: Engine = { kind: 'podman', title: "this machine's Podman" };

/** The engine tests of what `capabilities.ts` distinguishes by version, including commits and events. */
const VERSION_DEPENDENT = [
  ...['containerSpec', 'create', 'imageOperations', 'logs'],
  ...['prune', 'volumeCopies', 'volumes', 'watcher'],
];
/** Those of what differs between the versions of one kind only. */
const VERSION_DEPENDENT_ON: Readonly<Record<EngineKind, readonly string[]>> = {
  docker: ['builds', 'projects', 'pull'],
  podman: ['logsOverEngineRestart', 'logsTorture', 'networks', 'paused', 'waiting'],
};
/** The window tests that run on each kind of engine; the others do not depend on the kind. */
const WINDOW_ON_EACH =
  'editor/ui/{builds,commands,failures,logViewer,path,states,statistics,statisticsPage,views}.test.ts';
/** With Compose, which only the newest engines come with. */
const WINDOW_ON_PODMAN =
  'editor/ui/{builds,commands,execTask,failures,fileTree,logViewer,morning,path,saveFile,states,statistics,statisticsPage,views}.test.ts';
/** One pass over the whole life of a container and an image, and a build with its log. */
const WINDOW_SMOKE = 'editor/ui/{builds,execTask,fileTree,path,saveFile,statistics}.test.ts';
/** What the image store makes a difference to. */
const WINDOW_OF_STORE = 'editor/ui/builds.test.ts';
/** In the VS Code of the tests on Docker: to start another one would cost more than the suites. */
const HOST_SMOKE = 'smoke,containers,zeroRejections';
/**
 * Without the tasks, which search for recipes with ripgrep, and without the check for rejections: that version does not
 * get ripgrep from npm, and reports it in a rejection.
 */
const OLDEST_SMOKE = 'smoke,containers,images,logs,files,review';

const BED = ['registry'] as const;
const EDITOR = ['registry', 'browser'] as const;

/**
 * All steps in the order in which they start; several run in parallel. Steps that need the fewest parts start
 * early, because the rest is still being installed. Long steps start early too, so that all end at about the
 * same time; a second one with a window runs only beside the first, when nothing else is left to do.
 */
export const STEPS: readonly Step[] = [
  editorPartsStep(),
  // The type checker exits before collecting garbage would pay.
  lintStep('Types and lint', ['npm', 'run', '--silent', 'lint'], { GOGC: 'off' }),
  pageStep(),
  engineStep(DOCKER),
  windowStep(DOCKER, 'editor/ui/[a-m]*.test.ts', ', first half'),
  windowStep(DOCKER, 'editor/ui/[n-z]*.test.ts', ', second half'),
  { ...windowStep(PODMAN, WINDOW_SMOKE), only: 'usual' },
  engineStep(PODMAN),
  hostStepOnBoth(),
  unitStep(),
  { ...versionStep(OLDER_PODMAN), only: 'usual' },
  startStep(),
  { ...versionStep(OLDER_DOCKER), only: 'usual' },
  {
    ...lintStep('All regular expressions', [process.execPath, 'scripts/expressions.ts', '--all']),
    only: 'whole',
  },
  { ...engineStep(OLDER_DOCKER), only: 'whole' },
  { ...engineStep(OLDER_PODMAN), only: 'whole' },
  { ...engineStep(CONTAINERD_DOCKER), only: 'whole' },
  { ...engineStep(STRICT_DOCKER), only: 'whole' },
  { ...hostStep(PODMAN), only: 'whole' },
  { ...hostStep(OLDER_DOCKER), only: 'whole' },
  { ...hostStep(OLDER_PODMAN), only: 'whole' },
  { ...oldestStep(DOCKER), only: 'whole' },
  { ...soakStep(), only: 'whole' },
  { ...peerStep(DOCKER), only: 'whole' },
  { ...windowStep(PODMAN, WINDOW_ON_PODMAN), only: 'whole' },
  { ...windowStep(CONTAINERD_DOCKER, WINDOW_OF_STORE), only: 'whole' },
  { ...windowStep(OLDER_DOCKER, WINDOW_ON_EACH), only: 'whole' },
  { ...windowStep(OLDER_PODMAN, WINDOW_ON_EACH), only: 'whole' },
];

/** Returns a function that resolves to a build of the newest system's engines. */
function newest(differs: Partial<EngineBuild>): (sink: Sink) => Promise<EngineBuild> {
  return async (sink) => {
    const { root } = await newestSystem(sink);
    return { system: root, hasContainerdStore: false, oldestApi: '', ...differs };
  };
}

function lintStep(title: string, program: readonly string[], env: NodeJS.ProcessEnv = {}): Step {
  const outcome = (passed: string[], failed: string[]): Outcome => ({
    passed,
    failed,
    skipped: [],
  });
  return {
    name: 'lint',
    title,
    parts: [],
    list: () => Promise.resolve([title]),
    async run(sink) {
      const code = await run(program, sink, env);
      return code === 0 ? outcome([title], []) : outcome([], [title]);
    },
  };
}

function unitStep(): Step {
  return suiteStep({
    name: 'unit',
    title: 'Unit tests',
    parts: [],
    files: 'unit/**/*.test.ts',
    timeout: 5_000,
  });
}

function engineStep(engine: Engine): Step {
  return engineSuite(engine, {
    name: 'engine',
    title: `Engine tests on ${engine.title}`,
    parts: [engine.kind, ...BED, 'ssh', 'tls'],
    files: 'engine/**/*.test.ts',
    timeout: 30_000,
  });
}

function versionStep(engine: Engine): Step {
  const names = [...VERSION_DEPENDENT, ...VERSION_DEPENDENT_ON[engine.kind]];
  return engineSuite(engine, {
    name: 'engine',
    title: `Version-dependent engine tests on ${engine.title}`,
    parts: [engine.kind, ...BED],
    files: `engine/{${names.join(',')}}.test.ts`,
    timeout: 30_000,
  });
}

/** Compares with the command-line tools of the newest engines. */
function peerStep(engine: Engine): Step {
  return engineSuite(engine, {
    name: 'peers',
    title: `Comparisons with command-line tools on ${engine.title}`,
    parts: [engine.kind, ...BED],
    files: 'peers/**/*.test.ts',
    timeout: 300_000,
  });
}

function soakStep(): Step {
  return engineSuite(DOCKER, {
    name: 'soak',
    title: `Soak on ${DOCKER.title}`,
    parts: ['docker', ...BED],
    mostlyWaits: true,
    files: 'soak/**/*.test.ts',
    timeout: 180_000,
  });
}

/** Installs VS Code while other steps run, so that no step has to wait for it later. */
function editorPartsStep(): Step {
  const nothing: Outcome = { passed: [], failed: [], skipped: [] };
  return {
    name: 'editor',
    title: 'Installing VS Code',
    parts: [],
    run: (sink) => editorReady(sink).then(() => nothing),
    list: () => Promise.resolve([]),
  };
}

/** Tests the pages of the log viewer and of the clean-up alone, without VS Code and an engine. */
function pageStep(): Step {
  return suiteStep({
    name: 'page',
    title: 'Page tests',
    parts: ['browser'],
    drivesWindow: true,
    files: 'editor/page/**/*.test.ts',
    timeout: 60_000,
    prepare: build,
  });
}

/** Runs the tests inside the extension host. */
function hostStep(engine: Engine): Step {
  return hostSuite(engine, `Extension host tests on ${engine.title}`);
}

/** Runs the tests inside the extension host on Docker, and then a smoke test on Podman. */
function hostStepOnBoth(): Step {
  const title = `Extension host tests on ${DOCKER.title}, some on ${PODMAN.title}`;
  const suite = hostSuite(DOCKER, title, { GANTRY_HOST_ON_PODMAN: HOST_SMOKE });
  return { ...suite, parts: [...suite.parts, 'podman'] };
}

function hostSuite(engine: Engine, title: string, env: NodeJS.ProcessEnv = {}): Step {
  return engineSuite(engine, {
    name: 'editor',
    title,
    parts: [engine.kind, ...EDITOR],
    files: 'editor/host/run.test.ts',
    timeout: 120_000,
    env,
    prepare: editorReady,
  });
}

/** Runs some suites in the oldest VS Code that the manifest allows, with the Node that it has. */
function oldestStep(engine: Engine): Step {
  const oldest = { GANTRY_VSCODE: 'oldest' };
  return engineSuite(engine, {
    name: 'editor',
    title: 'Extension host tests on the oldest VS Code',
    parts: [engine.kind, ...EDITOR],
    files: 'editor/host/run.test.ts',
    timeout: 120_000,
    env: { ...oldest, GANTRY_HOST_SUITE: OLDEST_SMOKE },
    prepare: async (sink) => {
      await editorReady(sink);
      const code = await run([process.execPath, 'test/bed/vscode/setup.mjs'], sink, oldest);
      if (code !== 0) throw new Error('The oldest VS Code could not be installed.');
    },
  });
}

function windowStep(engine: Engine, files: string, half = ''): Step {
  // Tests that do not depend on the kind run with Docker; some of them need both engines, or ssh.
  const parts: readonly PartName[] = engine.kind === 'docker' ? ['podman', 'ssh'] : [];
  return engineSuite(engine, {
    name: 'editor',
    title: `Window tests on ${engine.title}${half}`,
    parts: [engine.kind, ...parts, ...EDITOR],
    drivesWindow: true,
    files,
    timeout: 120_000,
    prepare: editorReady,
  });
}

function engineSuite({ kind, build }: Engine, suite: Suite): Step {
  return suiteStep({ ...suite, kind, ...(build && { build }) });
}

function startStep(): Step {
  return suiteStep({
    name: 'start',
    title: 'Tests of npm start',
    parts: ['docker', ...EDITOR],
    files: 'start/**/*.test.ts',
    timeout: 180_000,
    prepare: editorReady,
  });
}

let building: Promise<void> | undefined;
let fetching: Promise<void> | undefined;

/** Builds the extension and installs VS Code; both happen only once per run. */
function editorReady(sink: Sink): Promise<unknown> {
  fetching ??= installVSCode((line) => sink(`${line}\n`));
  return Promise.all([build(sink), fetching]);
}

function build(sink: Sink): Promise<void> {
  building ??= run(['npm', 'run', '--silent', 'build'], sink).then((code) => {
    if (code !== 0) throw new Error('The extension could not be built.');
  });
  return building;
}
