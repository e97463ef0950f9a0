import { checkChange } from '../options/checkChange.ts';
import { parseRepositoryAndTag, requireValid } from '../options/reference.ts';

/**
 * Checks all of `args` and converts them to a request. The name is checked here because an older engine commits
 * first and refuses the name afterwards.
 *
 * @throws InputError whose message describes the first invalid argument.
 */
export function commitSpec(args: CommitArguments): CommitRequest {
  const checked = parseRepositoryAndTag(args.repository, args.tag);
  const { repository, tag = 'latest' } = requireValid(checked);
  return {
    id: args.id,
    repository,
    tag,
    message: args.message,
    author: args.author,
    pause: args.pause ?? true,
    changes: args.changes?.map((change) => checkChange(change)),
  };
}

export interface CommitArguments extends CommitDraft {
  readonly id: string;
}

/** A checked commit. `pause` is always set because the default differs between engines. */
export interface CommitRequest extends CommitArguments {
  readonly pause: boolean;
}

/** The arguments of a commit, without its container. */
export interface CommitDraft {
  /** Can include the tag: `me/app:1`. */
  readonly repository: string;
  /** Default: `latest`. */
  readonly tag?: string;
  readonly message?: string;
  readonly author?: string;
  /** Whether the container is paused during the commit. Default: true, on every engine. */
  readonly pause?: boolean;
  /** Dockerfile instructions, one per entry. */
  readonly changes?: readonly string[];
}
