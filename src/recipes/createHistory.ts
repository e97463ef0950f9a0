import type { CreateArguments } from '../engine/options/options.ts';
import { parseReference } from '../engine/options/reference.ts';
import type { Memento } from '../base/lifetime.ts';
import {
  hasSecretArguments,
  isSecretName,
  isSecretValue,
} from '../engine/options/secretDetection.ts';
import { RecentEntries } from '../base/recentEntries.ts';

const LAST_KEY = 'gantry.lastCreates';
const END_KEY = 'gantry.lastCreateEnd';

/**
 * The last values of the create form for each image, by repository: a newer tag mostly gets the same values.
 * VS Code stores them unencrypted in a file, so values that look like secrets are removed.
 */
export class CreateHistory {
  readonly #lasts: RecentEntries<RememberedCreate>;
  readonly #ends: Memento;

  /** @param lasts storage of the workspace, because paths and names belong to it. @param ends global storage. */
  constructor(lasts: Memento, ends: Memento) {
    this.#lasts = new RecentEntries(lasts, LAST_KEY);
    this.#ends = ends;
  }

  /**
   * Returns the last values for an image of the same repository. Undefined if there are none or the image has no name.
   */
  last(image: string): RememberedCreate | undefined {
    const repository = repositoryOf(image);
    return repository === undefined ? undefined : this.#lasts.get(repository);
  }

  /** Stores the options of a container. Does nothing for an image without a name. */
  async keep(args: CreateArguments): Promise<void> {
    const repository = repositoryOf(args.image);
    if (repository !== undefined) await this.#lasts.put(repository, redactCreateArguments(args));
  }

  /** Returns the actions of the form, the last used one first. */
  ends(): readonly CreateAction[] {
    const last = ENDS.find((end) => end === this.#ends.get(END_KEY));
    return last === undefined ? ENDS : [last, ...ENDS.filter((end) => end !== last)];
  }

  async keepEnd(end: CreateAction): Promise<void> {
    await this.#ends.update(END_KEY, end);
  }
}

/** Effect of an action of the form. */
export type CreateAction = 'create' | 'start' | 'follow';

const ENDS: readonly CreateAction[] = ['start', 'follow', 'create'];

/** The last values for an image. */
export interface RememberedCreate {
  readonly args: CreateArguments;
  /** Values removed because they may be secret: names of variables, labels or fields. */
  readonly notKept: readonly string[];
}

/** Empties the values of variables and labels that look like secrets, and drops commands that do. */
export function redactCreateArguments(args: CreateArguments): RememberedCreate {
  const notKept: string[] = [];
  const emptied = (name: string, value: string): string => {
    if (value === '' || !(isSecretName(name) || isSecretValue(value))) return value;
    notKept.push(name);
    return '';
  };
  const env = args.env?.map((entry) => {
    const equals = entry.indexOf('=');
    const name = entry.slice(0, equals);
    return `${name}=${emptied(name, entry.slice(equals + 1))}`;
  });
  const labels = Object.entries(args.labels ?? {}).map(
    ([name, value]) => [name, emptied(name, value)] as const,
  );
  const fields = Object.entries(args).filter(([name, value]) => {
    const isSecret = hasSecretArguments(wordsOf(name, value));
    if (isSecret) notKept.push(name);
    return !isSecret && name !== 'start';
  });
  return {
    args: {
      ...(Object.fromEntries(fields) as Partial<CreateArguments>),
      image: args.image,
      ...(env && { env }),
      ...(args.labels && { labels: Object.fromEntries(labels) }),
    },
    notKept,
  };
}

/** Returns the command arguments in a field; empty if it has none. */
function wordsOf(name: string, value: unknown): readonly string[] {
  if (name === 'cmd' || name === 'entrypoint') return value as readonly string[];
  if (name !== 'healthcheck' || value === false) return [];
  const { test = [] } = value as Exclude<NonNullable<CreateArguments['healthcheck']>, false>;
  return typeof test === 'string' ? [test] : test;
}

function repositoryOf(image: string): string | undefined {
  const reference = parseReference(image);
  if (!reference.ok || /^(?:sha256:)?[0-9a-f]{12,64}$/.test(image)) return undefined;
  return `${reference.value.registry}/${reference.value.repository}`;
}
