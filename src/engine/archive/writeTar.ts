import { pack, type Pack } from 'tar-stream';
import { asError } from '../errors.ts';
import { drained } from '../http/drained.ts';

/**
 * Yields the bytes of a tar with these entries, owned by root by default. Reads no further ahead than the reader.
 *
 * @throws errors of `entries`; Error if the contents of a file do not have the size given in its entry.
 */
export async function* writeTar(
  entries: AsyncIterable<NewEntry> | Iterable<NewEntry>,
): AsyncGenerator<Uint8Array> {
  const tar = pack();
  void fill(tar, entries);
  try {
    for await (const chunk of tar) yield chunk as Uint8Array;
  } finally {
    tar.destroy();
  }
}

export interface NewEntry {
  /** Relative to the folder that the tar is extracted into. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'pipe';
  /** The nine permission bits; setuid, setgid and the sticky bit only if they are set explicitly. */
  readonly permissions: number;
  readonly uid?: number;
  readonly gid?: number;
  /** Milliseconds since 1970. Written as the nearest date from 1970 to 2038. */
  readonly modifiedAt: number;
  /** Size of a file in bytes. `open` must yield exactly this many bytes. */
  readonly size?: number;
  /** For a file: the name of an earlier entry that is the same file. It is written as a hard link to that. */
  readonly sameAs?: string | undefined;
  readonly linkTarget?: string;
  /** Opens the contents of a file; called when the entry is written. */
  readonly open?: () => AsyncIterable<Uint8Array>;
}

/** Never rejects: a failure becomes the error of the tar stream. */
async function fill(
  tar: Pack,
  entries: AsyncIterable<NewEntry> | Iterable<NewEntry>,
): Promise<void> {
  try {
    for await (const entry of entries) {
      if (tar.destroyed) return;
      await add(tar, entry);
    }
    tar.finalize();
  } catch (error) {
    tar.destroy(asError(error));
  }
}

const TYPES = {
  file: 'file',
  folder: 'directory',
  link: 'symlink',
  pipe: 'fifo',
} as const;

/** Is cut off in the header. Without it, the encoder takes a mode of 0 for one that was not given. */
const GIVEN_MODE = 0o100000;

/** The largest ID that fits into a header as it is written. A larger one would be cut off. */
const LARGEST_ID = 0o777777;

/** The latest date that fits, in 2038. Engines refuse a tar whose header has a later one, or one before 1970. */
const LATEST_MS = 0x7fff_ffff * 1000;

function add(tar: Pack, entry: NewEntry): Promise<void> {
  return new Promise((resolve, reject) => {
    const { name, kind, permissions, modifiedAt, sameAs, linkTarget = sameAs, open } = entry;
    const { uid = 0, gid = 0 } = entry;
    const hasData = kind === 'file' && sameAs === undefined;
    const size = hasData ? (entry.size ?? 0) : 0;
    const type = sameAs === undefined ? TYPES[kind] : 'link';
    const mode = permissions | GIVEN_MODE;
    const mtime = new Date(Math.min(Math.max(modifiedAt, 0), LATEST_MS));
    const sink = tar.entry(
      {
        name,
        type,
        mode,
        mtime,
        size,
        uid,
        gid,
        ...(Math.max(uid, gid) > LARGEST_ID && { pax: { uid: String(uid), gid: String(gid) } }),
        ...(linkTarget === undefined ? {} : { linkname: linkTarget }),
      },
      (error) => {
        if (error) reject(error);
        else resolve();
      },
    );
    // A wrong file size is also emitted as an error of the sink, which would otherwise be unhandled.
    sink.on('error', reject);
    if (hasData && open) pour(open(), sink, tar).catch(reject);
    else sink.end(undefined);
  });
}

async function pour(
  source: AsyncIterable<Uint8Array>,
  sink: ReturnType<Pack['entry']>,
  tar: Pack,
): Promise<void> {
  for await (const chunk of source) {
    if (tar.destroyed || sink.destroyed) return;
    if (!sink.write(chunk)) await drained(sink);
  }
  sink.end(undefined);
}
