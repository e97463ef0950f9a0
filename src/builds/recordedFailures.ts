import { linesStillThere } from '../engine/builds/failedLines.ts';
import type { BuildSource } from '../engine/builds/model.ts';
import { repositoryOf } from '../engine/options/reference.ts';
import type { RecordedFailure } from './buildHistorySource.ts';
import type { RecordedBuild } from './recordedBuilds.ts';

/** Maximum number of failed builds looked at, newest first. */
const MOST_FAILURES = 10;

/**
 * Shows the errors of builds that other clients started: those whose Dockerfile is in the workspace, with the lines
 * as they were built. Reads the error of a build once.
 */
export class RecordedFailures {
  readonly #ports: FailurePorts;
  /** Of each build that was looked at, the file that its error is shown in, if there is one. */
  readonly #seen = new Map<RecordedBuild, Promise<string | undefined>>();

  constructor(ports: FailurePorts) {
    this.#ports = ports;
  }

  /**
   * Applies the builds of the history as they are now. The error of a build is hidden when it is no longer the last one
   * of its kind.
   *
   * @param signal aborted when the view is hidden: what was not read yet is read the next time.
   */
  async look(builds: readonly RecordedBuild[], signal: AbortSignal): Promise<void> {
    const failed = new Set(lastOnes(builds).filter((build) => this.#isRelevant(build)));
    const newest = [...failed].toSorted((a, b) => b.startedAt - a.startedAt);
    for (const build of this.#seen.keys()) if (!failed.has(build)) await this.#hide(build);
    for (const build of newest.slice(0, MOST_FAILURES)) {
      if (!this.#seen.has(build)) this.#seen.set(build, this.#show(build, signal));
      await this.#seen.get(build);
    }
  }

  #isRelevant(build: RecordedBuild): boolean {
    return build.phase === 'failed' && !this.#ports.isOwn(build);
  }

  async #show(build: RecordedBuild, signal: AbortSignal): Promise<string | undefined> {
    try {
      const found = await build.readFailure(signal);
      const file = found?.source && (await this.#fileOf(build, found.source));
      if (found && file !== undefined) await this.#ports.show(file, found, endOf(build));
      return file;
    } catch {
      // What the engine does not have any more is not asked for again.
      if (signal.aborted) this.#seen.delete(build);
      return undefined;
    }
  }

  async #hide(build: RecordedBuild): Promise<void> {
    const file = await this.#seen.get(build);
    this.#seen.delete(build);
    if (file !== undefined) this.#ports.hide(file, endOf(build));
  }

  /** Returns the only matching file. Of several with the same lines, the one with the same text counts. */
  async #fileOf({ record }: RecordedBuild, source: BuildSource): Promise<string | undefined> {
    const path = [record.folder ?? '', record.dockerfile ?? source.file].join('/');
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    const all = await this.#ports.filesNamed(parts.at(-1) ?? '');
    const inFolder = all.filter((file) => isAt(file.path, parts));
    const same = inFolder.filter(({ text }) => linesStillThere(source, text));
    const equal = same.filter(({ text }) => text === source.text);
    const [only, ...others] = equal.length > 0 ? equal : same;
    return others.length === 0 ? only?.path : undefined;
  }
}

/** Dependencies for showing failures. */
export interface FailurePorts {
  /** Whether this window has started the build, and shows its error itself. */
  readonly isOwn: (build: RecordedBuild) => boolean;
  /** Returns the files of the workspace with this name. */
  readonly filesNamed: (name: string) => Promise<readonly WorkspaceFile[]>;
  /**
   * Shows an error in a file.
   *
   * @param at when it was found, in milliseconds since 1970.
   */
  readonly show: (file: string, failure: RecordedFailure, at: number) => Promise<void>;
  /** Hides what was shown with the same time. */
  readonly hide: (file: string, at: number) => void;
}

export interface WorkspaceFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/** Returns the last finished build of each kind. */
function lastOnes(builds: readonly RecordedBuild[]): readonly RecordedBuild[] {
  const finished = builds.filter(({ phase }) => phase === 'done' || phase === 'failed');
  const ordered = finished.toSorted((a, b) => a.startedAt - b.startedAt);
  return [...new Map(ordered.map((build) => [kindOf(build), build])).values()];
}

/** The repositories tell projects apart whose paths are the same. The tag may be a new one in each build. */
function kindOf({ engine, record }: RecordedBuild): string {
  const { dockerfile, folder, context, tags, target } = record;
  const repositories = new Set(tags.map(repositoryOf));
  return JSON.stringify([engine, dockerfile, folder, context, [...repositories].sort(), target]);
}

/** The parts are relative to the root of a repository, which may be any folder above the file. */
function isAt(path: string, parts: readonly string[]): boolean {
  return path.replaceAll('\\', '/').endsWith(`/${parts.join('/')}`);
}

function endOf({ endedAt, startedAt }: RecordedBuild): number {
  return endedAt ?? startedAt;
}
