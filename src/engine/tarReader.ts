import { extract, type Extract, type ExtractEvents } from 'tar-stream';
import { ByteQueue } from './byteQueue.ts';

/** What an entry of a tar is. `other`: a device, a pipe, or a kind nobody knows. */
export type TarKind = 'file' | 'folder' | 'link' | 'hardLink' | 'other';

/** One entry of a tar. Its name and target are as they were written, by whoever wrote them. */
export interface TarEntry {
  readonly name: string;
  readonly kind: TarKind;
  /** Bytes of its contents. */
  readonly size: number;
  /** The nine bits of who may do what. */
  readonly permissions: number;
  /** Milliseconds since 1970; 0 where it is not told. */
  readonly modifiedAt: number;
  /** Of both kinds of links; empty otherwise. */
  readonly linkTarget: string;
  /** Read once, or not at all, before the next entry is asked for. */
  readonly contents: AsyncIterable<Uint8Array>;
}

/**
 * The entries of a tar in order, as its bytes come: no more is asked for than is read. A reader that leaves
 * closes the source at once.
 *
 * @throws Error where it is no tar or ends too early; what the source throws, as it is.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = source[Symbol.asyncIterator]();
  const tar = extract();
  void feed(bytes, tar);
  try {
    for await (const entry of tar) {
      yield shaped(entry);
      // Whatever was not read of it.
      entry.resume();
    }
  } finally {
    tar.destroy();
    // Not after the next bytes, which may never come.
    await bytes.return?.();
  }
}

/** Never rejects: what goes wrong is the tar's error. */
async function feed(bytes: AsyncIterator<Uint8Array>, tar: Extract): Promise<void> {
  try {
    for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) {
      if (tar.destroyed) return;
      if (!tar.write(next.value)) await drained(tar);
    }
    tar.end(undefined);
  } catch (error) {
    tar.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

function drained(tar: Extract): Promise<void> {
  return new Promise((resolve) => {
    const onMore = (): void => {
      tar.off('drain', onMore).off('close', onMore);
      resolve();
    };
    if (tar.destroyed) resolve();
    else tar.on('drain', onMore).on('close', onMore);
  });
}

// A Map, for a plain object would know words such as `constructor`, too.
const KINDS: ReadonlyMap<string, TarKind> = new Map([
  ['file', 'file'],
  ['contiguous-file', 'file'],
  ['directory', 'folder'],
  ['symlink', 'link'],
  ['link', 'hardLink'],
]);

type Source = ExtractEvents['entry'][1];

function shaped(entry: Source): TarEntry {
  const { name, type, size, mode, mtime } = entry.header;
  // Of an entry that is no link there is none, whatever the type says.
  const linkname = entry.header.linkname as string | null;
  const kind = KINDS.get(type) ?? 'other';
  const modifiedAt = mtime.getTime();
  return {
    name,
    kind,
    size: kind === 'file' ? size : 0,
    permissions: mode & 0o777,
    modifiedAt: modifiedAt > 0 ? modifiedAt : 0,
    linkTarget: kind === 'link' || kind === 'hardLink' ? (linkname ?? '') : '',
    contents: contentsOf(entry),
  };
}

/**
 * The bytes of one entry. The entry's own iterator would hand over each piece at a tick of its own, and would end the
 * whole tar where its reader leaves in the middle.
 */
function contentsOf(entry: Source): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const queue = new ByteQueue({
        pause: () => entry.pause(),
        resume: () => entry.resume(),
        abandon: () => {
          entry.off('data', onData);
          entry.resume();
        },
      });
      const onData = (piece: unknown): void => {
        queue.push(piece as Uint8Array);
      };
      entry.on('end', () => {
        queue.finish();
      });
      entry.on('error', (error: Error) => {
        queue.fail(error);
      });
      entry.on('close', () => {
        queue.fail(new Error('The tar ends in the middle of a file'));
      });
      entry.on('data', onData);
      return queue;
    },
  };
}
