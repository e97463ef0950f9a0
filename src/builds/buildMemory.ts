import type { Memento } from '../base/lifetime.ts';
import { isSecretName, isSecretValue } from '../engine/options/secretDetection.ts';
import { RecentEntries } from '../base/recentEntries.ts';

const KEY = 'gantry.lastBuilds';
/** Maximum number of targets of a Dockerfile to remember; the most recent ones. */
const MOST_TARGETS = 30;

/**
 * The last values of the build form for each Dockerfile. VS Code stores them unencrypted in a file, so arguments that
 * look like secrets are left out.
 */
export class BuildMemory {
  readonly #drafts: RecentEntries<BuildDraft>;

  /** @param memory storage of the workspace, because the paths belong to it. */
  constructor(memory: Memento) {
    this.#drafts = new RecentEntries(memory, KEY);
  }

  /** Returns the last values for a Dockerfile. @param dockerfile absolute path. */
  last(dockerfile: string): BuildDraft | undefined {
    return this.#drafts.get(dockerfile);
  }

  async keep(dockerfile: string, draft: BuildDraft): Promise<void> {
    const args = Object.entries(draft.args).filter(
      ([name, value]) => !isSecretName(name) && !isSecretValue(value),
    );
    // Without the cache, every build is slow, so it applies to one build only.
    const { context: _context, ...lasting } = draft;
    const { target = '', tags } = draft;
    const otherTags = (draft.tagsOf ?? []).filter(([name]) => name !== target);
    const tagsOf = [[target, tags] as const, ...otherTags].slice(0, MOST_TARGETS);
    const kept = { ...lasting, tagsOf, args: Object.fromEntries(args), noCache: false };
    await this.#drafts.put(dockerfile, kept);
  }
}

/** Draft of a build in the form. */
export interface BuildDraft {
  /** The folder that the user selected as the context of this build. */
  readonly context?: string;
  readonly tags: readonly string[];
  /** The last tags of each target; the last stage has the empty name. Newest first. */
  readonly tagsOf?: readonly (readonly [target: string, tags: readonly string[]])[] | undefined;
  readonly target?: string | undefined;
  readonly args: Readonly<Record<string, string>>;
  /** Platforms; by default those of the engine. */
  readonly platforms?: readonly string[];
  /** A builder of `docker buildx` instead of the engine, and whether it pushes the image. */
  readonly builder?: string | undefined;
  readonly push?: boolean;
  /** Where the values are, never the values. */
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly ssh: boolean;
  readonly noCache: boolean;
  readonly pull: boolean;
}

/** Where the value of a secret comes from. It is read when the build asks for it, and not kept. */
export type SecretSource =
  /** An absolute path, or relative to the context. */
  | { readonly file: string }
  /** The name of an environment variable. */
  | { readonly env: string }
  /** Only for the user: asked for during the build. */
  | { readonly prompt: true };
