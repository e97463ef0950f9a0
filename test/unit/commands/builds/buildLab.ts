import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Builds } from '../../../../src/builds/builds.ts';
import type { BuildRun } from '../../../../src/builds/buildRun.ts';
import type { Buildx } from '../../../../src/builds/buildx/findBuildx.ts';
import type { RunShown } from '../../../../src/builds/buildx/runBuildx.ts';
import type { CliCall } from '../../../../src/engine/cli/cliCall.ts';
import { toDisposable } from '../../../../src/base/lifetime.ts';
import { BuildMemory } from '../../../../src/builds/buildMemory.ts';
import type { Builder, BuildsAccess } from '../../../../src/builds/buildsAccess.ts';
import type {
  BuildEvent,
  BuildRecord,
  BuildResult,
  BuildStep,
  BuildStepOutput,
} from '../../../../src/engine/builds/model.ts';
import { fakeMemento, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { FakeClock } from '../../support/fakeClock.ts';

export const IMAGE = `sha256:${'a'.repeat(64)}`;

/** The arguments of one call of the builder. */
export type BuildCall = Parameters<Builder['build']>;

/** Commands on builds with a scripted builder. */
export interface BuildLab extends CommandLab {
  /** A folder with a Dockerfile of two stages. */
  readonly folder: string;
  readonly dockerfile: string;
  readonly builds: Builds;
  readonly calls: readonly BuildCall[];
  /** What was shown in Problems, in order. */
  readonly problems: readonly Parameters<BuildsAccess['problems']['show']>[];
  /** The logs that were shown. */
  readonly shownLogs: readonly BuildRun[];
  /** The engines that builds were removed from. */
  readonly connectedTo: readonly string[];
  /** The containers, images, and builds that no view shows. */
  readonly hidden: ReadonlySet<string>;
  /** What the builder does next. */
  work: (...call: BuildCall) => Promise<BuildResult>;
  check: Builder['check'];
  isTrusted: boolean;
  isInWorkspace: (path: string) => boolean;
  /** The history of the engine; undefined if it keeps none. */
  history: readonly BuildRecord[] | undefined;
  /** How the engine replays a build of its history. */
  replay: Builder['replay'];
  /** The program that is found. */
  buildx: Buildx | undefined;
  /** What it does in a task. */
  runBuildx: RunShown;
  /** Its runs in tasks. */
  readonly runs: readonly { readonly call: CliCall; readonly title: string }[];
  bakeFiles: readonly string[];
  /** The Dockerfile in the active editor. */
  activeDockerfile: string | undefined;
}

export const DOCKERFILE = [
  'ARG VERSION=1.0',
  'FROM busybox AS build',
  'RUN make',
  'FROM scratch',
  'COPY --from=build /app /app',
  '',
].join('\n');

/** What a test may change. */
type LabState = Pick<
  BuildLab,
  | 'work'
  | 'check'
  | 'isTrusted'
  | 'isInWorkspace'
  | 'history'
  | 'replay'
  | 'buildx'
  | 'runBuildx'
  | 'bakeFiles'
  | 'activeDockerfile'
>;

/** The answer of an engine without images. */
const nothing: Answer = (_, response) => {
  json(response, 404, { message: 'no such image' });
};

/** Opens a lab. Close it in `afterEach`. */
export async function openBuildLab(answer: Answer = nothing): Promise<BuildLab> {
  const folder = mkdtempSync(join(tmpdir(), 'Gantry Shop-'));
  const dockerfile = join(folder, 'Dockerfile');
  writeFileSync(dockerfile, DOCKERFILE);
  const clock = new FakeClock();
  const builds = new Builds(clock);
  const state = {
    work: () => Promise.resolve({ imageId: IMAGE }),
    check: () => Promise.resolve([]),
    isTrusted: true,
    isInWorkspace: () => true,
    history: [],
    replay: (_connection, ref, onEvent) => {
      onEvent(step('1', { name: `step of ${ref}` }));
      onEvent(output('1', 'from the engine\n'));
      return Promise.resolve();
    },
    buildx: { file: join(folder, 'docker'), prefix: ['buildx'] },
    runBuildx: () => Promise.resolve(0),
    bakeFiles: [],
    activeDockerfile: undefined,
  } as Partial<LabState> as LabState;
  const runs: BuildLab['runs'][number][] = [];
  const calls: BuildCall[] = [];
  const problems: BuildLab['problems'][number][] = [];
  const shownLogs: BuildRun[] = [];
  const connectedTo: string[] = [];
  const hidden = new Set<string>();
  const labelFiles = {
    isInWorkspace: (path: string) => state.isInWorkspace(path),
    allowedFiles: new Set<string>(),
  };
  const access: BuildsAccess = {
    builds,
    builder: {
      build: (...call) => {
        calls.push(call);
        return state.work(...call);
      },
      check: (...call) => state.check(...call),
      hasHistory: () => Promise.resolve(state.history !== undefined),
      list: () => Promise.resolve(state.history ?? []),
      replay: (...call) => state.replay(...call),
      remove: (_connection, ref) => {
        state.history = state.history?.filter((one) => one.ref !== ref);
        return Promise.resolve();
      },
    },
    connect: (id, signal) => {
      connectedTo.push(id);
      return lab.context.engine.connect(signal);
    },
    historyOf: () => undefined,
    output: {
      show: (run) => shownLogs.push(run),
      wait: (run, signal) => run.join(signal),
    },
    problems: {
      show: (...shown) => {
        problems.push(shown);
        return Promise.resolve();
      },
    },
    buildx: {
      find: () => Promise.resolve(state.buildx),
      run: async (call, options) => {
        runs.push({ call, title: options.title });
        return state.runBuildx(call, options);
      },
    },
    memory: new BuildMemory(fakeMemento()),
    owner: () => 'owner',
    isTrusted: () => state.isTrusted,
    labelFiles: () => Promise.resolve(labelFiles),
    dockerfiles: () => Promise.resolve([dockerfile]),
    bakeFiles: () => Promise.resolve(state.bakeFiles),
    activeDockerfile: () => state.activeDockerfile,
    hide: (_engine, id) => {
      hidden.add(id);
      return toDisposable(() => hidden.delete(id));
    },
  };
  const lab = await openCommandLab(answer, { builds: () => Promise.resolve(access) });
  return Object.assign(state, {
    ...lab,
    folder,
    dockerfile,
    builds,
    calls,
    problems,
    shownLogs,
    connectedTo,
    hidden,
    runs,
    close: async () => {
      builds.dispose();
      rmSync(folder, { recursive: true });
      await lab.close();
    },
  });
}

export function step(id: string, fields: Partial<BuildStep> = {}): BuildEvent {
  const known = { id, name: `[build ${id}/2] RUN make`, inputs: [], state: 'done' } as const;
  return { kind: 'step', step: { ...known, ...fields } };
}

export function output(
  id: string,
  text: string,
  fields: Partial<BuildStepOutput> = {},
): BuildEvent {
  const known = { step: id, time: 0, stream: 'stdout', data: Buffer.from(text) } as const;
  return { kind: 'output', output: { ...known, ...fields } };
}
