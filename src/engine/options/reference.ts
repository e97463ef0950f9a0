/**
 * Image references: `[registry[:port]/]path[:tag][@digest]`. Checked here, before any request, because
 * engines differ in what they refuse and one of them leaves a half-made image behind when it does.
 */

import type { L10n } from '../../l10n.ts';
import { parsed, refused, type ParseResult } from '../parseResult.ts';

/** A reference taken apart. */
export interface Reference {
  /** Host and port: `docker.io` where none was written. */
  readonly registry: string;
  /** The path in the registry: `library/busybox` for `busybox`. */
  readonly repository: string;
  /** The name as it was typed, without tag and digest. */
  readonly familiar: string;
  readonly tag?: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest?: string;
}

/** A repository with the tag to give to an image. */
export interface RepositoryAndTag {
  readonly repository: string;
  readonly tag?: string;
}

/** Which rule a text breaks. */
export type ReferenceProblemKind =
  | 'empty'
  | 'spaces'
  | 'scheme'
  | 'nameMissing'
  | 'upperCase'
  | 'looksLikeId'
  | 'badRegistry'
  | 'badName'
  | 'nameTooLong'
  | 'badTag'
  | 'tagTooLong'
  | 'badDigest'
  | 'digestNotAllowed'
  | 'twoTags';

/** What is wrong with a reference. */
export interface ReferenceProblem {
  readonly kind: ReferenceProblemKind;
  /** The offending part, as it was typed; of a name that is too long, the name in full. */
  readonly part: string;
}

const DEFAULT_REGISTRY = 'docker.io';
const MAX_NAME = 255;
const MAX_TAG = 128;

const TAG = /^\w[\w.-]*$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const ID = /^[0-9a-f]{64}$/;
const PATH_PART = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const HOST_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const REGISTRY = new RegExp(
  String.raw`^(?:${HOST_LABEL}(?:\.${HOST_LABEL})*|\[[0-9a-fA-F:]+\])(?::\d+)?$`,
);

type Checked<Value> = ParseResult<Value, ReferenceProblem>;

/** Reads a reference to an image: its parts with the usual defaults filled in, or the first rule it breaks. */
export function parseReference(text: string): Checked<Reference> {
  const early = earlyProblem(text);
  if (early) return refused(early);
  const { name, tag, digest } = cut(text);
  if (digest !== undefined && !DIGEST.test(digest)) return problem('badDigest', digest);
  const tagFault = tag === undefined ? undefined : tagProblem(tag);
  if (tagFault) return refused(tagFault);
  if (name === '') return problem('nameMissing', text);
  const place = parseName(name);
  if (!place.ok) return place;
  return parsed({
    ...place.value,
    familiar: name,
    ...(tag !== undefined && { tag }),
    ...(digest !== undefined && { digest }),
  });
}

/**
 * Reads the name to give to an image. The tag may stand in the repository or beside it, not in both with
 * different values; a digest is refused, for it comes from the content.
 */
export function parseRepositoryAndTag(repository: string, tag?: string): Checked<RepositoryAndTag> {
  const reference = parseReference(repository);
  if (!reference.ok) return reference;
  const { familiar, tag: ownTag, digest } = reference.value;
  if (digest !== undefined) return problem('digestNotAllowed', digest);
  if (tag === undefined) {
    return parsed({ repository: familiar, ...(ownTag !== undefined && { tag: ownTag }) });
  }
  const tagFault = tagProblem(tag);
  if (tagFault) return refused(tagFault);
  if (ownTag !== undefined && ownTag !== tag) return problem('twoTags', `${ownTag}, ${tag}`);
  return parsed({ repository: familiar, tag });
}

/** The reference as text: the name as typed, with its tag and digest. */
export function formatReference(reference: Reference): string {
  const tag = reference.tag === undefined ? '' : `:${reference.tag}`;
  const digest = reference.digest === undefined ? '' : `@${reference.digest}`;
  return `${reference.familiar}${tag}${digest}`;
}

/** The reference with nothing left out: `docker.io/library/busybox:latest` for `busybox:latest`. */
export function fullName(reference: Reference): string {
  const { registry, repository } = reference;
  return formatReference({ ...reference, familiar: `${registry}/${repository}` });
}

/** One sentence that says what is wrong and what would be right. */
export function describeReferenceProblem(fault: ReferenceProblem, l10n: L10n): string {
  return MESSAGES[fault.kind](fault.part, l10n);
}

/** A table and not a switch, so that the compiler asks for a sentence with every new kind. */
const MESSAGES: Readonly<Record<ReferenceProblemKind, (part: string, l10n: L10n) => string>> = {
  empty: (_, l10n) => l10n.t('The image name is empty. Write one such as busybox:latest.'),
  spaces: (part, l10n) =>
    l10n.t('The image name "{0}" has a space in it. Image names have none.', part),
  scheme: (part, l10n) =>
    l10n.t('Leave out "{0}": an image name begins with the registry or the name.', part),
  nameMissing: (part, l10n) => l10n.t('"{0}" has no image name before the tag or digest.', part),
  upperCase: (part, l10n) =>
    l10n.t('"{0}" has capital letters. Image names are written in lower case.', part),
  looksLikeId: (part, l10n) => l10n.t('"{0}" is an image ID, not an image name.', part),
  badRegistry: (part, l10n) =>
    l10n.t('"{0}" is not a registry. Write it as host or host:port.', part),
  badName: (part, l10n) =>
    l10n.t(
      '"{0}" is not an image name. Names are lower-case letters and digits, parted by single . - _ or /.',
      part,
    ),
  nameTooLong: (part, l10n) =>
    l10n.t(
      'The image name has {0} characters with its registry. It may have {1}.',
      part.length,
      MAX_NAME,
    ),
  badTag: (part, l10n) =>
    l10n.t(
      '"{0}" is not a tag. Tags are letters, digits and . - _, and begin with a letter, digit or _.',
      part,
    ),
  tagTooLong: (part, l10n) =>
    l10n.t('The tag has {0} characters. It may have {1}.', part.length, MAX_TAG),
  badDigest: (part, l10n) =>
    l10n.t('"{0}" is not a digest. It is sha256: and 64 hexadecimal digits.', part),
  digestNotAllowed: (part, l10n) =>
    l10n.t('The digest "{0}" does not belong here: it follows from the content.', part),
  twoTags: (part, l10n) => l10n.t('Two different tags are given: {0}.', part),
};

function problem(
  kind: ReferenceProblemKind,
  part: string,
): { readonly ok: false; readonly problem: ReferenceProblem } {
  return refused({ kind, part });
}

/** What spoils the text as a whole, whatever its parts are. */
function earlyProblem(text: string): ReferenceProblem | undefined {
  if (text.trim() === '') return { kind: 'empty', part: text };
  if (/\s/.test(text)) return { kind: 'spaces', part: text };
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text);
  return scheme ? { kind: 'scheme', part: scheme[0] } : undefined;
}

/** Parts the text at its first `@` and, in what is before it, at the last `:` that follows the last `/`. */
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

function parseName(name: string): Checked<Pick<Reference, 'registry' | 'repository'>> {
  if (ID.test(name)) return problem('looksLikeId', name);
  const { registry, path } = splitRegistry(name);
  if (!REGISTRY.test(registry)) return problem('badRegistry', registry);
  if (/[A-Z]/.test(path)) return problem('upperCase', path);
  if (!path.split('/').every((part) => PATH_PART.test(part))) return problem('badName', name);
  const isOfficial = registry === DEFAULT_REGISTRY && !path.includes('/');
  const repository = isOfficial ? `library/${path}` : path;
  const full = `${registry}/${repository}`;
  if (full.length > MAX_NAME) return problem('nameTooLong', full);
  return parsed({ registry, repository });
}

/** The part before the first `/` is a registry if it looks like a host; nothing else tells them apart. */
function splitRegistry(name: string): { registry: string; path: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  if (!/[.:]/.test(first) && first !== 'localhost')
    return { registry: DEFAULT_REGISTRY, path: name };
  const registry = first === `index.${DEFAULT_REGISTRY}` ? DEFAULT_REGISTRY : first;
  return { registry, path: name.slice(slash + 1) };
}
