/** The image a person wants made of a container, to the request that makes it, checked before it is sent. */

import type { L10n } from '../../l10n.ts';
import { checkChange } from '../options/checkChange.ts';
import type { CommitRequest } from '../containers/containers.ts';
import { InputError } from '../errors.ts';
import { describeReferenceProblem, parseRepositoryAndTag } from '../options/reference.ts';

/**
 * Checks all of `args` and makes the request of it. The name is checked here because an older engine commits
 * first and refuses afterwards. Throws InputError, its message naming the first fault.
 */
export function commitSpec(args: CommitArguments, l10n: L10n): CommitRequest {
  const target = parseRepositoryAndTag(args.repository, args.tag);
  if (!target.ok) throw new InputError(describeReferenceProblem(target.problem, l10n));
  return {
    id: args.id,
    repository: target.value.repository,
    tag: target.value.tag ?? 'latest',
    message: args.message,
    author: args.author,
    pause: args.pause ?? true,
    changes: args.changes?.map((change) => checkChange(change, l10n)),
  };
}

/** What to commit. */
export interface CommitArguments extends CommitDraft {
  readonly id: string;
}

/** A commit but for its container. */
export interface CommitDraft {
  /** May have the tag in it: `me/app:1`. */
  readonly repository: string;
  /** `latest` where it stands nowhere. */
  readonly tag?: string;
  readonly message?: string;
  readonly author?: string;
  /** Whether the container stands still meanwhile. Default true, on every engine. */
  readonly pause?: boolean;
  /** Dockerfile instructions, one each. */
  readonly changes?: readonly string[];
}
