import * as vscode from 'vscode';
import { BuildHistories } from '../../builds/buildHistories.ts';
import { Builds } from '../../builds/builds.ts';
import { BAKE_FILES, DOCKERFILES, isDockerfile } from '../../builds/dockerfiles.ts';
import type { BuildHistorySource } from '../../builds/recordedBuilds.ts';
import { followBuilds, replayBuild } from '../../engine/builds/buildHistory.ts';
import { capabilitiesOf } from '../../engine/capabilities.ts';
import type { Engines } from '../../engines/engines.ts';
import { DisposableStore, type Disposable, type Memento } from '../../lifetime.ts';
import { BuildOutput } from '../../output/buildOutput.ts';
import { BuildProblems } from '../../output/buildProblems.ts';
import { wallClock } from '../../time.ts';
import { BuildMemory } from './buildMemory.ts';
import type { BuildsAccess } from './buildsAccess.ts';
import type { BuildxAccess } from '../buildx/buildxCalls.ts';
import { engineBuilder } from './engineBuilder.ts';

/** Returns what builds images in this window, and shows it. */
export function openBuilds({
  engines,
  memory,
  describe,
  installation,
  buildx,
}: BuildsOptions): OpenedBuilds {
  const store = new DisposableStore();
  const builds = store.add(new Builds(wallClock));
  const histories = store.add(new BuildHistories((id) => historySource(engines, id), wallClock));
  store.listen(engines.onDidRemove, ({ id }) => {
    builds.drop(id);
    histories.drop(id);
  });
  return {
    builds,
    builder: engineBuilder(installation, vscode.l10n),
    historyOf: (engine) => histories.of(engine),
    output: store.add(new BuildOutput(builds, describe)),
    problems: store.add(new BuildProblems()),
    memory: new BuildMemory(memory),
    isTrusted: () => vscode.workspace.isTrusted,
    buildx,
    dockerfiles: findDockerfiles,
    bakeFiles: () => findFiles(BAKE_FILES),
    dispose: () => {
      store.dispose();
    },
  };
}

/** What builds in this window, until it is disposed. */
export type OpenedBuilds = BuildsAccess & Disposable;

/** Dependencies of {@link openBuilds}. */
export interface BuildsOptions {
  readonly engines: Engines;
  /** Storage of the workspace. */
  readonly memory: Memento;
  /** Returns text that other installations do not have. */
  readonly installation: () => string;
  readonly buildx: BuildxAccess;
  /** Returns the error message to show to the user. */
  readonly describe: (error: unknown) => string;
}

function historySource(engines: Engines, id: string): BuildHistorySource | undefined {
  const unit = engines.get(id);
  const phase = unit?.inventory.phase;
  if (!unit || phase?.kind !== 'live' || !capabilitiesOf(phase.info).keepsBuilds) return undefined;
  return {
    follow: async (onChange, signal) =>
      followBuilds(await unit.engine.connect(signal), onChange, signal),
    replay: async (ref, onEvent, signal) =>
      replayBuild(await unit.engine.connect(signal), ref, onEvent, signal),
  };
}

/** The most files that are offered. */
const MOST_FILES = 200;

async function findDockerfiles(): Promise<readonly string[]> {
  return (await findFiles(DOCKERFILES)).filter(isDockerfile);
}

/** Returns files of the workspace, that of the active editor first. */
async function findFiles(pattern: string): Promise<readonly string[]> {
  const found = await vscode.workspace.findFiles(pattern, '**/node_modules/**', MOST_FILES);
  const active = vscode.window.activeTextEditor?.document.uri.fsPath;
  const paths = found
    .filter(({ scheme }) => scheme === 'file')
    .map(({ fsPath }) => fsPath)
    .sort();
  return [...paths.filter((path) => path === active), ...paths.filter((path) => path !== active)];
}
