import * as vscode from 'vscode';
import { BuildHistories } from '../builds/buildHistories.ts';
import { Builds } from '../builds/builds.ts';
import {
  BAKE_FILES,
  DOCKERFILE_SELECTOR,
  DOCKERFILES,
  isDockerfile,
} from '../builds/dockerfiles.ts';
import type { BuildHistorySource } from '../builds/buildHistorySource.ts';
import { RecordedFailures, type WorkspaceFile } from '../builds/recordedFailures.ts';
import {
  findBuildError,
  followBuilds,
  listBuilds,
  replayBuild,
} from '../engine/builds/buildHistory.ts';
import { capabilitiesOf } from '../engine/capabilities/capabilities.ts';
import type { Engines } from '../engines/engines.ts';
import { DisposableStore, toDisposable, type Disposable, type Memento } from '../base/lifetime.ts';
import { BuildOutput } from '../output/buildOutput.ts';
import { BuildProblems, currentText } from '../output/buildProblems.ts';
import { wallClock } from '../base/time.ts';
import { BuildMemory } from '../builds/buildMemory.ts';
import type { BuildsAccess } from '../builds/buildsAccess.ts';
import type { BuildxAccess } from '../builds/buildx/runBuildx.ts';

/** Returns what builds images in this window, and shows it. */
export function openBuilds({
  engines,
  memory,
  describe,
  installation,
  owner,
  buildx,
  labelFiles,
}: BuildsOptions): OpenedBuilds {
  const store = new DisposableStore();
  const builds = store.add(new Builds(wallClock));
  const sourceOf = (id: string) => historySource(engines, id, describe);
  const histories = store.add(new BuildHistories(sourceOf, wallClock));
  const problems = store.add(new BuildProblems());
  store.listen(engines.onDidRemove, ({ id }) => {
    builds.drop(id);
    histories.drop(id);
  });
  return {
    builds,
    connect: async (engine, signal) => engines.get(engine)?.engine.connect(signal),
    historyOf: (engine) => histories.of(engine),
    output: store.add(new BuildOutput(builds, describe)),
    problems,
    failures: recordedFailures(builds, problems),
    memory: new BuildMemory(memory),
    installation,
    owner,
    isTrusted: () => vscode.workspace.isTrusted,
    labelFiles,
    buildx,
    dockerfiles: findDockerfiles,
    activeDockerfile,
    hide: hideIn(engines, histories),
    bakeFiles: () => findFiles(BAKE_FILES),
    dispose: () => {
      store.dispose();
    },
  };
}

function hideIn(engines: Engines, histories: BuildHistories): NonNullable<BuildsAccess['hide']> {
  return (engine, id) => {
    histories.of(engine)?.hide(id);
    return engines.get(engine)?.inventory.hide(id) ?? toDisposable(() => undefined);
  };
}

function recordedFailures(builds: Builds, problems: BuildProblems): RecordedFailures {
  return new RecordedFailures({
    isOwn: ({ engine, ref }) => builds.get(engine, ref) !== undefined,
    filesNamed,
    show: (file, failure, at) => problems.show(file, { failure, warnings: [] }, at),
    hide: (file, at) => {
      problems.hide(file, at);
    },
  });
}

/** What builds in this window, until it is disposed. */
export type OpenedBuilds = BuildsAccess & Disposable & { readonly failures: RecordedFailures };

interface BuildsOptions {
  readonly engines: Engines;
  /** Storage of the workspace. */
  readonly memory: Memento;
  readonly installation: BuildsAccess['installation'];
  readonly owner: BuildsAccess['owner'];
  readonly buildx: BuildxAccess;
  readonly labelFiles: BuildsAccess['labelFiles'];
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
}

function historySource(
  engines: Engines,
  id: string,
  describe: BuildsOptions['describe'],
): BuildHistorySource | undefined {
  const unit = engines.get(id);
  const phase = unit?.inventory.phase;
  if (!unit || phase?.kind !== 'live' || !capabilitiesOf(phase.info).keepsBuilds) return undefined;
  return {
    follow: async (onChange, signal) =>
      followBuilds(await unit.engine.connect(signal), onChange, signal),
    list: async (signal) =>
      (await listBuilds(await unit.engine.connect(signal), signal)).map(({ ref }) => ref),
    replay: async (ref, onEvent, signal) =>
      replayBuild(await unit.engine.connect(signal), ref, onEvent, signal),
    findFailure: async (ref, signal) => {
      const error = await findBuildError(await unit.engine.connect(signal), ref, signal);
      return error && { message: describe(error), source: error.failure.source };
    },
  };
}

/** The most files of the same name that are read. */
const MOST_NAMESAKES = 50;

/** Returns the files of the workspace with this name, as they are in their editors. */
async function filesNamed(name: string): Promise<readonly WorkspaceFile[]> {
  // In a pattern, these would mean something.
  if (name === '' || /[\\/*?[\]{},!]/.test(name)) return [];
  const files = (await localFiles(`**/${name}`, MOST_NAMESAKES)).map(async (uri) => {
    const text = await currentText(uri);
    return text === undefined ? [] : [{ path: uri.fsPath, text }];
  });
  return (await Promise.all(files)).flat();
}

async function localFiles(pattern: string, most: number): Promise<readonly vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(pattern, '**/node_modules/**', most);
  return found.filter(({ scheme }) => scheme === 'file');
}

const MOST_FILES = 200;

async function findDockerfiles(): Promise<readonly string[]> {
  return (await findFiles(DOCKERFILES)).filter(isDockerfile);
}

function activeDockerfile(): string | undefined {
  const { document } = vscode.window.activeTextEditor ?? {};
  const isOne = document && vscode.languages.match(DOCKERFILE_SELECTOR, document) > 0;
  return isOne && isDockerfile(document.uri.path) ? document.uri.fsPath : undefined;
}

/** Returns files of the workspace, that of the active editor first. */
async function findFiles(pattern: string): Promise<readonly string[]> {
  const active = vscode.window.activeTextEditor?.document.uri.fsPath;
  const paths = (await localFiles(pattern, MOST_FILES)).map(({ fsPath }) => fsPath).sort();
  return [...paths.filter((path) => path === active), ...paths.filter((path) => path !== active)];
}
