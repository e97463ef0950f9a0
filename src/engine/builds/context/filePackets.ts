/** The messages of `moby.filesync.v1.FileSync/DiffCopy`: fsutil's packets. */

import { bigInteger, bytes, integer, message, nested, text } from '../grpc/protobuf.ts';
import type { ContextEntry } from './walkContext.ts';

/** Facts that the engine gets about a file. */
export interface WireStat {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly modifiedAt: bigint;
  readonly target: string;
}

const STAT = message<WireStat>({
  path: text(1),
  mode: integer(2),
  size: integer(5),
  modifiedAt: bigInteger(6),
  target: text(7),
});

export interface WirePacket {
  readonly type: number;
  readonly stat: WireStat | undefined;
  readonly id: number;
  readonly data: Uint8Array;
}

/** The field of the content of files. */
export const DATA = 4;
export const PACKET = message<WirePacket>({
  type: integer(1),
  stat: nested(2, STAT),
  id: integer(3),
  data: bytes(DATA),
});

export const PACKET_TYPE = { stat: 0, request: 1, data: 2, end: 3, error: 4 } as const;

/** The bits of Go's file modes. */
const MODE = {
  folder: 2 ** 31,
  link: 2 ** 27,
  pipe: 2 ** 25,
  file: 0,
  setuid: 2 ** 23,
  setgid: 2 ** 22,
  sticky: 2 ** 20,
} as const;

/** Returns what the engine learns about a file. */
export function statOf({
  path,
  kind,
  mode,
  size,
  modifiedAt,
  target = '',
}: ContextEntry): WireStat {
  const special =
    (mode & 0o4000 ? MODE.setuid : 0) +
    (mode & 0o2000 ? MODE.setgid : 0) +
    (mode & 0o1000 ? MODE.sticky : 0);
  return {
    path,
    mode: MODE[kind] + special + (mode & 0o777),
    size: kind === 'file' && target !== '' ? 0 : size,
    modifiedAt,
    target,
  };
}
