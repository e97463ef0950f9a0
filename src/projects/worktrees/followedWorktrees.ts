import { FollowedFiles } from '../../base/followedFiles.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { wallClock, type Clock } from '../../base/time.ts';
import { findWorktreeState, type WorktreeState } from './findWorktreeState.ts';
import type { WorktreeOverrides } from './worktreeOverrides.ts';

/** Projects that are followed at a time. */
const MOST_PROJECTS = 100;

/** Follows the worktrees of projects: what git writes when another branch is checked out, or they are removed. */
export class FollowedWorktrees implements Disposable {
  readonly #overrides: WorktreeOverrides;
  readonly #onDidChange: OnState;
  readonly #clock: Clock;
  readonly #listener: Disposable;
  readonly #projects = new Map<string, FollowedFiles<FoundWorktree>>();

  /** @param onDidChange called with each new state; undefined if the project has no worktree, or is no longer followed. */
  constructor(overrides: WorktreeOverrides, onDidChange: OnState, clock: Clock = wallClock) {
    this.#overrides = overrides;
    this.#onDidChange = onDidChange;
    this.#clock = clock;
    this.#listener = overrides.onDidChange((project) => this.#projects.get(project)?.renew());
  }

  /** Begins to follow a project, or looks again if nothing was known, or its worktree was gone. */
  follow(project: string): void {
    const known = this.#projects.get(project);
    this.#projects.delete(project);
    if (known) known.retry();
    this.#projects.set(project, known ?? this.#begin(project));
    if (this.#projects.size > MOST_PROJECTS) this.#dropOldest();
  }

  dispose(): void {
    this.#listener.dispose();
    for (const one of this.#projects.values()) one.dispose();
    this.#projects.clear();
  }

  #begin(project: string): FollowedFiles<FoundWorktree> {
    const followed = new FollowedFiles<FoundWorktree>({
      read: () => this.#read(project),
      isKnown: ({ state }) => state?.isGone === false,
      textOf: (found) => JSON.stringify(found?.state ?? null),
      onDidChange: () => this.#onDidChange(project, followed.found?.state),
      clock: this.#clock,
    });
    return followed;
  }

  async #read(project: string): Promise<FoundWorktree> {
    const file = this.#overrides.pathOf(project);
    const record = await this.#overrides.read(project);
    const found = record && (await findWorktreeState(record));
    const state = found && { ...found, base: record.base };
    return { paths: [file, ...(state?.paths ?? [])], state };
  }

  #dropOldest(): void {
    const [oldest] = this.#projects;
    if (!oldest) return;
    const [project, followed] = oldest;
    followed.dispose();
    this.#projects.delete(project);
    this.#onDidChange(project, undefined);
  }
}

type OnState = (project: string, state: NamedWorktree | undefined) => void;

/** The worktree of a project, with the name of the project in the compose files. */
export interface NamedWorktree extends WorktreeState {
  readonly base: string;
}

interface FoundWorktree {
  readonly paths: readonly string[];
  readonly state: NamedWorktree | undefined;
}
