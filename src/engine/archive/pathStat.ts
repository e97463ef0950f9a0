import { asNumber, asRecord, asText } from '../wire.ts';

/** What an engine tells of one path in a container. */
export interface PathStat {
  readonly kind: PathKind;
  /** Bytes; of a link, of its target's text. */
  readonly size: number;
  /** The nine bits of who may do what. */
  readonly permissions: number;
  /** Milliseconds since 1970; 0 where it is not told. */
  readonly modifiedAt: number;
  /** Of a link, the full path in the container that it ends at; empty otherwise. */
  readonly linkTarget: string;
}

/** What a path in a container leads to. `other`: a device, a pipe or a socket. */
export type PathKind = 'file' | 'folder' | 'link' | 'other';

// Bits of Go's FileMode, which is not the mode of a POSIX file system.
const [DIRECTORY, SYMLINK] = [0x8000_0000, 0x0800_0000];
const [DEVICE, PIPE, SOCKET, IRREGULAR] = [0x0400_0000, 0x0200_0000, 0x0100_0000, 0x0008_0000];

/** Reads the header `X-Docker-Container-Path-Stat`; undefined where it is none. */
export function readPathStat(header: string | undefined): PathStat | undefined {
  const wire = asRecord(parse(header ?? ''));
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
    // Podman tells the path itself of what is no link.
    linkTarget: kind === 'link' ? asText(wire['linkTarget']) : '',
  };
}

function kindOf(mode: number): PathKind {
  // A bitwise `and` is signed in JavaScript; only whether it is zero matters here.
  if ((mode & DIRECTORY) !== 0) return 'folder';
  if ((mode & SYMLINK) !== 0) return 'link';
  return (mode & (DEVICE | PIPE | SOCKET | IRREGULAR)) === 0 ? 'file' : 'other';
}

function parse(header: string): unknown {
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
