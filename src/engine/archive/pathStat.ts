import { asNumber, asRecord, asText } from '../wire/wire.ts';
import { tryParseJson } from '../wire/parseJson.ts';

/** Facts that an engine reports about one path in a container. */
export interface PathStat {
  readonly kind: PathKind;
  /** Size in bytes; for a link, the length of its target. */
  readonly size: number;
  /** The nine permission bits. */
  readonly permissions: number;
  /** Milliseconds since 1970; 0 if unknown. */
  readonly modifiedAt: number;
  /** For a link, the absolute path of its final target in the container; otherwise empty. */
  readonly linkTarget: string;
}

/** The type of a path in a container. `other`: a device, a named pipe or a socket. */
export type PathKind = 'file' | 'folder' | 'link' | 'other';

/** A path that exists but has the wrong kind: a folder where a file was expected, or the reverse. */
export class PathKindError extends Error {
  override readonly name = 'PathKindError';
  /** Path in the container. */
  readonly path: string;
  /** The actual kind. */
  readonly kind: PathKind;

  constructor(path: string, kind: PathKind) {
    super(`${path}: ${kind}`);
    this.path = path;
    this.kind = kind;
  }
}

/** A name that is not UTF-8: no text of ours names it, so it can neither be asked for nor written. */
export class NameEncodingError extends Error {
  override readonly name = 'NameEncodingError';
  /** With a replacement for what is not UTF-8. */
  readonly path: string;

  constructor(path: string, cause?: unknown) {
    super(`${path}: not UTF-8`, { cause });
    this.path = path;
  }
}

// Bits of Go's `FileMode`, which differ from the mode bits of POSIX.
const DIRECTORY = 0x8000_0000;
const SYMLINK = 0x0800_0000;
const DEVICE = 0x0400_0000;
const PIPE = 0x0200_0000;
const SOCKET = 0x0100_0000;
const IRREGULAR = 0x0008_0000;

/** Parses the header `X-Docker-Container-Path-Stat` (JSON in Base64). Returns undefined if it is missing or invalid. */
export function readPathStat(header: string | undefined): PathStat | undefined {
  const wire = asRecord(tryParseJson(Buffer.from(header ?? '', 'base64').toString('utf8')));
  const mode = asNumber(wire['mode']);
  if (mode === undefined) return undefined;
  const kind = kindOf(mode);
  const modifiedAt = Date.parse(asText(wire['mtime']));
  const size = asNumber(wire['size']) ?? 0;
  return {
    kind,
    size: size > 0 ? size : 0,
    permissions: mode & 0o777,
    modifiedAt: modifiedAt > 0 ? modifiedAt : 0,
    // For a path that is not a link, Podman sends the path itself.
    linkTarget: kind === 'link' ? asText(wire['linkTarget']) : '',
  };
}

function kindOf(mode: number): PathKind {
  // A bitwise AND is signed in JavaScript; only whether it is zero matters here.
  if ((mode & DIRECTORY) !== 0) return 'folder';
  if ((mode & SYMLINK) !== 0) return 'link';
  return (mode & (DEVICE | PIPE | SOCKET | IRREGULAR)) === 0 ? 'file' : 'other';
}
