import type { CreateArguments } from '../../engine/options/options.ts';
import { parseReference } from '../../engine/options/reference.ts';
import { hasSecretArguments, isSecretName, isSecretValue } from '../../recipes/secretDetection.ts';

const LAST_KEY = 'gantry.lastCreates';
const END_KEY = 'gantry.lastCreateEnd';
/** Of so many images, the ones used last. */
const KEPT = 30;

/**
 * What was filled in last for each image, by its repository: a newer tag is started the same way. It is kept by the
 * editor in a file of its own, so nothing that looks like a secret is in it.
 */
export class CreateHistory {
  readonly #lasts: CreateMemento;
  readonly #ends: CreateMemento;

  /** @param lasts of the workspace, for paths and names are its own. @param ends of the person. */
  constructor(lasts: CreateMemento, ends: CreateMemento) {
    this.#lasts = lasts;
    this.#ends = ends;
  }

  /** For an image of the same repository; undefined where there was none, or the image has no name. */
  last(image: string): RememberedCreate | undefined {
    const repository = repositoryOf(image);
    return this.#all().find(([key]) => key === repository)?.[1];
  }

  /** Keeps what a container was made of; of an image without a name, nothing. */
  async keep(args: CreateArguments): Promise<void> {
    const repository = repositoryOf(args.image);
    if (repository === undefined) return;
    const others = this.#all().filter(([key]) => key !== repository);
    const entry = [repository, redactCreateArguments(args)] as const;
    await this.#lasts.update(LAST_KEY, [entry, ...others].slice(0, KEPT));
  }

  /** The ends of the form, the one used last first. */
  ends(): readonly CreateAction[] {
    const last = ENDS.find((end) => end === this.#ends.get(END_KEY));
    return last === undefined ? ENDS : [last, ...ENDS.filter((end) => end !== last)];
  }

  async keepEnd(end: CreateAction): Promise<void> {
    await this.#ends.update(END_KEY, end);
  }

  #all(): Kept {
    const kept = this.#lasts.get(LAST_KEY);
    return Array.isArray(kept) ? (kept as Kept) : [];
  }
}

/** What picking an end of the form does. */
export type CreateAction = 'create' | 'start' | 'follow';

const ENDS: readonly CreateAction[] = ['start', 'follow', 'create'];

/** What was filled in last for an image. */
export interface RememberedCreate {
  readonly args: CreateArguments;
  /** What of it was not kept, since it may be secret: names of variables and labels, or of fields. */
  readonly notKept: readonly string[];
}

/** What the editor keeps for us, by key. */
interface CreateMemento {
  get: (key: string) => unknown;
  update: (key: string, value: unknown) => PromiseLike<void>;
}

type Kept = readonly (readonly [repository: string, remembered: RememberedCreate])[];

/** The same without what looks like a secret: its variable or label stays, its value is empty. */
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
    const isKept = name !== 'start' && !hasSecretArguments(wordsOf(name, value));
    if (!isKept && name !== 'start') notKept.push(name);
    return isKept;
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

/** The words of a field in which a program is told something. */
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
