import * as vscode from 'vscode';
import { BuildHistories } from '../builds/buildHistories.ts';
import { Builds } from '../builds/builds.ts';
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

/** Returns what builds images in this window, and shows it. */
export function openBuilds({
  engines,
  memory,
  describe,
  installation,
  owner,
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
    hide: hideIn(engines, histories),
    dispose: () => store.dispose(),
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
    hide: (file, at) => problems.hide(file, at),
  });
}

/** Access to the builds of this window, until it is disposed. */
export type OpenedBuilds = BuildsAccess & Disposable & { readonly failures: RecordedFailures };

interface BuildsOptions {
  readonly engines: Engines;
  /** Storage of the workspace. */
  readonly memory: Memento;
  readonly installation: BuildsAccess['installation'];
  readonly owner: BuildsAccess['owner'];
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
  const { findFiles } = vscode.workspace;
  const found = await findFiles(`**/${name}`, '**/node_modules/**', MOST_NAMESAKES);
  const local = found.filter(({ scheme }) => scheme === 'file');
  const files = local.map(async (uri) => {
    const text = await currentText(uri);
    return text === undefined ? [] : [{ path: uri.fsPath, text }];
  });
  return (await Promise.all(files)).flat();
}
