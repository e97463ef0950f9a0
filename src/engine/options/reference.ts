import { quotable } from '../../base/plainText.ts';
import { InputError } from '../errors.ts';
import { sentence, type Sentence } from '../../base/sentence.ts';

export interface Reference {
  /** Host and port; `docker.io` by default. */
  readonly registry: string;
  /** The path in the registry: `library/busybox` for `busybox`. */
  readonly repository: string;
  /** The name as typed, without tag and digest. */
  readonly familiar: string;
  readonly tag?: string;
  /** `sha256:` and 64 hexadecimal digits, or such of SHA-384 or SHA-512. */
  readonly digest?: string;
}

/** The rule that a reference breaks. */
export type ReferenceProblemKind = keyof typeof MESSAGES;

interface ReferenceProblem {
  readonly kind: ReferenceProblemKind;
  /** The invalid part as typed; for a name that is too long, the whole path. */
  readonly part: string;
}

const DEFAULT_REGISTRY = 'docker.io';
const MAX_NAME = 255;
const MAX_TAG = 128;

const TAG = /^\w[\w.-]*$/;
const DIGEST = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;
const ID = /^[0-9a-f]{64}$/;
const PATH_PART = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const HOST_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const REGISTRY = new RegExp(
  String.raw`^(?:${HOST_LABEL}(?:\.${HOST_LABEL})*|\[[0-9a-fA-F:]+\])(?::\d+)?$`,
);

/** The parsed value, or the first rule that the text breaks. */
type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: ReferenceProblem };

/**
 * Parses an image reference and fills in the default registry and path. Returns the first broken rule if it is invalid.
 */
export function parseReference(text: string): Checked<Reference> {
  const early = earlyProblem(text);
  if (early) return { ok: false, problem: early };
  const { name, tag, digest } = cut(text);
  if (digest !== undefined && !DIGEST.test(digest)) return problem('badDigest', digest);
  const tagFault = tag === undefined ? undefined : tagProblem(tag);
  if (tagFault) return { ok: false, problem: tagFault };
  if (name === '') return problem('nameMissing', text);
  const parsed = parseName(name);
  if (!parsed.ok) return parsed;
  return { ok: true, value: { ...parsed.value, familiar: name, tag, digest } };
}

/**
 * Parses the name to give to an image. The tag can be in the repository or in `tag`, but not in both with
 * different values. A digest is rejected, because it follows from the content.
 */
export function parseRepositoryAndTag(
  text: string,
  tag?: string,
): Checked<Pick<Reference, 'repository' | 'tag'>> {
  const reference = parseReference(text);
  if (!reference.ok) return reference;
  const { familiar: repository, tag: ownTag, digest } = reference.value;
  if (digest !== undefined) return problem('digestNotAllowed', digest);
  if (tag === undefined) return { ok: true, value: { repository, tag: ownTag } };
  const tagFault = tagProblem(tag);
  if (tagFault) return { ok: false, problem: tagFault };
  if (ownTag !== undefined && ownTag !== tag) return problem('twoTags', `${ownTag}, ${tag}`);
  return { ok: true, value: { repository, tag } };
}

export type Repository = Pick<Reference, 'registry' | 'repository'>;

/** Returns the digests of one repository among an image's digests (`name@sha256:…`). */
export function digestsIn(
  digests: readonly string[],
  { registry, repository }: Repository,
): readonly string[] {
  return digests.flatMap((text) => {
    const known = parseReference(text);
    if (!known.ok || known.value.digest === undefined) return [];
    const isSame = known.value.registry === registry && known.value.repository === repository;
    return isSame ? [known.value.digest] : [];
  });
}

/** Returns the name in a reference as typed, without tag and digest. Checks nothing. */
export function repositoryOf(text: string): string {
  return cut(text).name;
}

/** Formats a reference: the name as typed, with its tag and digest. */
export function formatReference(reference: Reference): string {
  const tag = reference.tag === undefined ? '' : `:${reference.tag}`;
  const digest = reference.digest === undefined ? '' : `@${reference.digest}`;
  return `${reference.familiar}${tag}${digest}`;
}

/** Formats a reference in full: `docker.io/library/busybox:latest` for `busybox:latest`. */
export function fullName(reference: Reference): string {
  const { registry, repository } = reference;
  return formatReference({ ...reference, familiar: `${registry}/${repository}` });
}

/** Returns the parsed value. @throws InputError that describes the problem and the correct form. */
export function requireValid<Value>(checked: Checked<Value>): Value {
  if (checked.ok) return checked.value;
  throw new InputError(describeReferenceProblem(checked.problem));
}

/** Returns a sentence that describes the problem and the correct form. */
export function describeReferenceProblem(fault: ReferenceProblem): Sentence {
  const { kind, part } = fault;
  // The length of these parts is the problem.
  const isLong = kind === 'nameTooLong' || kind === 'tagTooLong';
  return MESSAGES[kind](isLong ? part : quotable(part));
}

/** Message for each kind of problem. */
const MESSAGES = {
  empty: () => sentence('The image name is empty. Use the form busybox:latest.'),
  spaces: (part: string) => sentence('The image name "{0}" contains a space.', part),
  scheme: (part: string) =>
    sentence('Remove "{0}". An image name starts with the registry or the repository.', part),
  nameMissing: (part: string) =>
    sentence('"{0}" has no image name before the tag or digest.', part),
  upperCase: (part: string) =>
    sentence('"{0}" has capital letters. Image names must be lowercase.', part),
  looksLikeId: (part: string) => sentence('"{0}" is an image ID, not an image name.', part),
  badRegistry: (part: string) =>
    sentence('"{0}" is not a registry. Use the form host or host:port.', part),
  badName: (part: string) =>
    sentence(
      '"{0}" is not an image name. Use lowercase letters and digits, separated by ., -, _, or /.',
      part,
    ),
  nameTooLong: (part: string) =>
    sentence('The image name has {0} characters. The maximum is {1}.', part.length, MAX_NAME),
  badTag: (part: string) =>
    sentence(
      '"{0}" is not a tag. Use letters, digits, ., -, and _, starting with a letter, digit, or _.',
      part,
    ),
  tagTooLong: (part: string) =>
    sentence('The tag has {0} characters. The maximum is {1}.', part.length, MAX_TAG),
  badDigest: (part: string) =>
    sentence('"{0}" is not a digest. Use sha256: and 64 hexadecimal digits.', part),
  digestNotAllowed: (part: string) =>
    sentence('Remove the digest "{0}". It is computed from the content.', part),
  twoTags: (part: string) => sentence('Two different tags are set: {0}.', part),
} as const satisfies Readonly<Record<string, (part: string) => Sentence>>;

function problem(kind: ReferenceProblemKind, part: string): Checked<never> {
  return { ok: false, problem: { kind, part } };
}

/** Returns a problem of the text as a whole, regardless of its parts. */
function earlyProblem(text: string): ReferenceProblem | undefined {
  if (text.trim() === '') return { kind: 'empty', part: text };
  if (/\s/.test(text)) return { kind: 'spaces', part: text };
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text);
  return scheme ? { kind: 'scheme', part: scheme[0] } : undefined;
}

/** Splits the text at its first `@`, and the part before at the last `:` after the last `/`. */
function cut(text: string): { name: string; tag?: string; digest?: string } {
  const at = text.indexOf('@');
  const digest = at < 0 ? {} : { digest: text.slice(at + 1) };
  const rest = at < 0 ? text : text.slice(0, at);
  const colon = rest.lastIndexOf(':');
  if (colon <= rest.lastIndexOf('/')) return { name: rest, ...digest };
  return { name: rest.slice(0, colon), tag: rest.slice(colon + 1), ...digest };
}

function tagProblem(tag: string): ReferenceProblem | undefined {
  if (!TAG.test(tag)) return { kind: 'badTag', part: tag };
  return tag.length > MAX_TAG ? { kind: 'tagTooLong', part: tag } : undefined;
}

function parseName(name: string): Checked<Repository> {
  if (ID.test(name)) return problem('looksLikeId', name);
  const { registry, path } = splitRegistry(name);
  if (!REGISTRY.test(registry)) return problem('badRegistry', registry);
  if (/[A-Z]/.test(path)) return problem('upperCase', path);
  if (!path.split('/').every((part) => PATH_PART.test(part))) return problem('badName', name);
  const isOfficial = registry === DEFAULT_REGISTRY && !path.includes('/');
  const repository = isOfficial ? `library/${path}` : path;
  if (repository.length > MAX_NAME) return problem('nameTooLong', repository);
  return { ok: true, value: { registry, repository } };
}

/** Whether the first part of a name is a host. Docker takes one with capitals for a host, too. */
function isHost(first: string): boolean {
  return /[.:A-Z]/.test(first) || first === 'localhost';
}

/**
 * Splits off the registry. The part before the first `/` is a registry if it looks like a host, or has capitals, which
 * no repository can have.
 */
function splitRegistry(name: string): { registry: string; path: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  if (!isHost(first)) return { registry: DEFAULT_REGISTRY, path: name };
  const registry = first === `index.${DEFAULT_REGISTRY}` ? DEFAULT_REGISTRY : first;
  return { registry, path: name.slice(slash + 1) };
}
