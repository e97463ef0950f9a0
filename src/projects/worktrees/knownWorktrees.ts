import { join } from 'node:path';
import { Emitter, type Disposable } from '../../base/lifetime.ts';
import type { Container } from '../../engine/model.ts';
import { isOfFile, projectOf } from '../projectLabels.ts';

/**
 * Knows what to show of the worktrees of projects: of those that have a file of their own in the storage of the
 * extension. Loads and reads nothing as long as no container names one.
 */
export class KnownWorktrees<Shown> implements Disposable {
  readonly #folder: string;
  readonly #open: OpenFollowed<Shown>;
  readonly #changes = new Emitter<string>();
  readonly #known = new Map<string, Shown>();
  #followed: ReturnType<OpenFollowed<Shown>> | undefined;

  /** Fires with the name of a project of which something else is known. */
  readonly onDidChange = this.#changes.event;

  /** @param folder that of the files. */
  constructor(folder: string, open: OpenFollowed<Shown>) {
    this.#folder = folder;
    this.#open = open;
  }

  /** Begins to follow the worktree of a container's project. */
  follow(container: Container): void {
    const project = this.projectOf(container);
    if (project === undefined) return;
    this.#followed ??= this.#open((name, shown) => {
      if (shown === undefined) this.#known.delete(name);
      else this.#known.set(name, shown);
      this.#changes.fire(name);
    });
    void this.#followed.then((followed) => followed.follow(project));
  }

  /** Returns what is known of the worktree of a container's project. */
  of(container: Container): Shown | undefined {
    return this.#known.get(this.projectOf(container) ?? '');
  }

  /** Returns the project of a container if it has a file of its own. Labels prove no more than that. */
  projectOf(container: Container): string | undefined {
    const project = projectOf(container) ?? '';
    return isOfFile(container, join(this.#folder, `${project}.yaml`)) ? project : undefined;
  }

  dispose(): void {
    this.#changes.dispose();
  }
}

/** Opens what follows projects, and reports what is to be shown of them. */
type OpenFollowed<Shown> = (
  report: (project: string, shown: Shown | undefined) => void,
) => Promise<{ readonly follow: (project: string) => void }>;
