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
import type { BuildsAccess } from '../../../../src/builds/buildsAccess.ts';
import type {
  BuildEvent,
  BuildRequest,
  BuildStep,
  BuildStepOutput,
} from '../../../../src/engine/builds/model.ts';
import { ENGINE, fakeMemento, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { FakeBuildKit, type Solve } from '../../support/fakeBuildKit.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { FakeClock } from '../../support/fakeClock.ts';

export const IMAGE = `sha256:${'a'.repeat(64)}`;

/** Commands on builds with a fake engine that has BuildKit. */
export interface BuildLab extends CommandLab {
  /** A folder with a Dockerfile of two stages. */
  readonly folder: string;
  readonly dockerfile: string;
  readonly builds: Builds;
  readonly buildKit: FakeBuildKit;
  /** What the engine was asked to build. */
  readonly built: readonly Partial<BuildRequest>[];
  /** What it was asked to check. */
  readonly checked: readonly Solve[];
  /** What was shown in Problems, in order. */
  readonly problems: readonly Parameters<BuildsAccess['problems']['show']>[];
  /** The logs that were shown. */
  readonly shownLogs: readonly BuildRun[];
  /** The engines that builds were removed from. */
  readonly connectedTo: readonly string[];
  /** The containers, images, and builds that no view shows. */
  readonly hidden: ReadonlySet<string>;
  /** What the builder does next. Resolves to the ID of the image; by default `IMAGE`. */
  work: (solve: Solve) => Promise<unknown>;
  check: (solve: Solve) => Promise<unknown>;
  /** The program that is found. */
  buildx: Buildx | undefined;
  /** What it does in a task. */
  runBuildx: RunShown;
  /** Its runs in tasks. */
  readonly runs: readonly { readonly call: CliCall; readonly title: string }[];
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
type LabState = Pick<BuildLab, 'work' | 'check' | 'buildx' | 'runBuildx'>;

/** The answer of an engine without images. */
const nothing: Answer = (_, response) => json(response, 404, { message: 'no such image' });

/**
 * Opens a lab. Close it in `afterEach`.
 *
 * @param api before 1.43, the engine keeps no history.
 */
export async function openBuildLab(answer: Answer = nothing, api = '1.51'): Promise<BuildLab> {
  const folder = mkdtempSync(join(tmpdir(), 'Gantry Shop-'));
  const dockerfile = join(folder, 'Dockerfile');
  writeFileSync(dockerfile, DOCKERFILE);
  const clock = new FakeClock();
  const builds = new Builds(clock);
  const state = {
    work: () => Promise.resolve(),
    check: () => Promise.resolve(),
    buildx: { file: join(folder, 'docker'), prefix: ['buildx'] },
    runBuildx: () => Promise.resolve(0),
  } as Partial<LabState> as LabState;
  const runs: BuildLab['runs'][number][] = [];
  const problems: BuildLab['problems'][number][] = [];
  const shownLogs: BuildRun[] = [];
  const connectedTo: string[] = [];
  const hidden = new Set<string>();
  const access: BuildsAccess = {
    builds,
    installation: () => 'here',
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
    memory: new BuildMemory(fakeMemento()),
    owner: () => 'owner',
    hide: (_engine, id) => {
      hidden.add(id);
      return toDisposable(() => hidden.delete(id));
    },
  };
  const lab = await openCommandLab(answer, {
    window: {
      builds: () => Promise.resolve(access),
      findBuildx: () => Promise.resolve(state.buildx),
      allowedFiles: new Set(),
    },
  });
  lab.ui.folders = ['/'];
  lab.ui.files = [dockerfile];
  lab.ui.runTask = (call, options) => {
    runs.push({ call, title: options.title });
    return state.runBuildx(call, { signal: new AbortController().signal, ...options });
  };
  const { engine } = lab;
  engine.ping((_request, response) => {
    response.writeHead(200, { 'api-version': api, server: 'Docker/28.5.2 (linux)' }).end('OK');
  });
  const buildKit = new FakeBuildKit(async (solve) => {
    const image = await (solve.isCheck ? state.check(solve) : state.work(solve));
    return { digest: typeof image === 'string' ? image : IMAGE };
  });
  engine.grpc((socket) => buildKit.serve(socket));
  const opened = {
    get built() {
      const solves = buildKit.solves.filter(({ isCheck }) => !isCheck);
      return solves.map((one) => requestOf(one, builds.get(ENGINE, one.ref)?.spec.request));
    },
    get checked() {
      return buildKit.solves.filter(({ isCheck }) => isCheck);
    },
  };
  const members = {
    ...lab,
    buildKit,
    folder,
    dockerfile,
    builds,
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
  };
  const all = Object.assign(state, members);
  return Object.defineProperties(all, Object.getOwnPropertyDescriptors(opened)) as typeof all &
    typeof opened;
}

/** Returns what an engine was asked for. Of the files, it knows no whole paths: those are as this window knows them. */
function requestOf(
  { attributes }: Pick<Solve, 'attributes'>,
  { context, dockerfile, tags }: Partial<BuildRequest> = {},
): Partial<BuildRequest> {
  const target = attributes.get('target');
  const platforms = attributes.get('platform')?.split(',');
  const args = [...attributes].flatMap(([name, value]) =>
    name.startsWith('build-arg:') ? [[name.slice('build-arg:'.length), value]] : [],
  );
  return {
    ...(context !== undefined && { context }),
    ...(dockerfile !== undefined && { dockerfile }),
    ...(tags && { tags }),
    ...(target !== undefined && { target }),
    ...(platforms && { platforms }),
    ...(args.length > 0 && { args: Object.fromEntries(args) as Record<string, string> }),
  };
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
