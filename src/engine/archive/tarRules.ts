import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import type { TarHeader } from './tarValidator.ts';

/**
 * Finds what Docker and Podman refuse in a tar, because they do so in the middle of it. Both refuse each of these,
 * but for a folder and a file of one name, which only Docker does.
 */
export class TarRules {
  /** Kind of each path. */
  readonly #kinds = new Map<string, Kind>();
  #room = ROOM;
  #problem: TarProblem | undefined;
  #linkOut: string | undefined;

  /** The first entry that engines refuse, if any. */
  get problem(): TarProblem | undefined {
    return this.#problem;
  }

  /** The first symbolic link whose relative target is outside of the folder, if any. Some engines refuse it. */
  get linkOut(): string | undefined {
    return this.#linkOut;
  }

  /** Checks the next entry of the tar. */
  check(header: TarHeader): void {
    if (this.#problem) return;
    const why = this.#find(header);
    if (why) this.#problem = { name: header.name, why, type: header.type };
  }

  #find({ name, type, linkTarget, isValid }: TarHeader): TarProblem['why'] | undefined {
    if (!isValid) return 'header';
    if (!TYPES.includes(type)) return 'type';
    const path = pathOf(name);
    if (isTooLong(path)) return 'name';
    if (type === SYMLINK && linkTarget === '') return 'link';
    if (type === HARD_LINK && this.#isUnknown(linkTarget, path)) return 'link';
    const kind = kindOf(path, name, type, linkTarget);
    if (kind === 'linkOut' && !linkTarget.startsWith('/')) this.#linkOut ??= name;
    return this.#add(path, kind) ? undefined : 'name';
  }

  /** Whether no earlier entry is the target of a hard link, or it is a folder. */
  #isUnknown(target: string, path: string): boolean {
    const end = pathOf(target);
    const kind = this.#kinds.get(end);
    if (end === path || end === '/' || kind === 'folder') return true;
    const isKnown = kind !== undefined || this.#room <= 0 || !isExact(end);
    return !isKnown && !this.#above(end).includes('link');
  }

  /** Returns false if an earlier entry is in the way. */
  #add(path: string, kind: Kind): boolean {
    if (path === '/') return kind === 'folder';
    if (!isExact(path)) return true;
    const known = this.#kinds.get(path);
    if (known === undefined) this.#room -= path.length + ENTRY;
    if (this.#room > 0) this.#kinds.set(path, kind);
    const above = this.#above(path);
    if (above.includes('file') || above.includes('linkOut')) return false;
    return known === undefined || (known === 'folder') === (kind === 'folder');
  }

  /** Returns the kinds of the folders above a path, as far as they are entries. */
  #above(path: string): readonly (Kind | undefined)[] {
    const parts = path.split('/').slice(1, -1);
    return parts.map((_, at) => this.#kinds.get(`/${parts.slice(0, at + 1).join('/')}`));
  }
}

/** An entry that engines refuse to extract into an empty folder, and why. */
export interface TarProblem {
  readonly name: string;
  /**
   * `type`: only files, folders, links, devices and pipes are extracted. `link`: a hard link needs an earlier entry
   * that is not a folder, and a link needs a target. `name`: it is too long, or an earlier entry is in its way, such
   * as a file, or a link that leads out of the folder.
   */
  readonly why: 'type' | 'header' | 'link' | 'name';
  readonly type: string;
}

/** `linkOut`: a symbolic link that leads out of the folder. What is below it is not extracted into the folder. */
type Kind = 'folder' | 'file' | 'link' | 'linkOut';

const HARD_LINK = '1';
const SYMLINK = '2';
const FOLDER = '5';
/** The type of a file in old archives, or of a folder if its name ends in a slash. */
const OLD_FILE = '\0';
/** The types of entries that engines extract. */
const TYPES = `${OLD_FILE}0123456`;
/** Limit of what is remembered, in characters. What comes after it is not compared with earlier entries. */
const ROOM = 64 * 1024 * 1024;
/** Characters of an entry besides its path. */
const ENTRY = 80;

function kindOf(path: string, name: string, type: string, target: string): Kind {
  if (type === SYMLINK) {
    const end = posix.join(posix.dirname(path).slice(1), target);
    return target.startsWith('/') || /^\.\.(?:\/|$)/.test(end) ? 'linkOut' : 'link';
  }
  return type === FOLDER || (type === OLD_FILE && name.endsWith('/')) ? 'folder' : 'file';
}

function pathOf(name: string): string {
  return posix.resolve('/', `./${name}`);
}

/** Whether a file system refuses the path below the folder of a volume. */
function isTooLong(path: string): boolean {
  // A byte that is not UTF-8 was replaced.
  const size = (text: string): number => Buffer.byteLength(text.replaceAll('\ufffd', '?'));
  return size(path) > PATH_LIMIT || path.split('/').some((part) => size(part) > NAME_LIMIT);
}

const NAME_LIMIT = 255;
/** Limit of Linux without the end and the folder. */
const PATH_LIMIT = 4095 - '/volume'.length;

/** Whether no byte was replaced because it is not UTF-8: then two paths could look the same. */
function isExact(path: string): boolean {
  return !path.includes('\ufffd');
}
