import { extract, type Extract, type ExtractEvents } from 'tar-stream';
import { ByteQueue } from './byteQueue.ts';

type ToFailure = (error: Error) => Error;

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
 * @param toFailure shapes what the entries and their contents throw.
 * @throws Error where it is no tar or ends too early; what the source throws, as it is.
 */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  toFailure: ToFailure = (error) => error,
): AsyncGenerator<TarEntry> {
  const bytes = source[Symbol.asyncIterator]();
  const tar = extract();
  void feed(bytes, tar);
  try {
    for await (const entry of tar) {
      yield shaped(entry, toFailure);
      // Whatever was not read of it.
      entry.resume();
    }
  } catch (error) {
    throw toFailure(error instanceof Error ? error : new Error(String(error)));
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

function shaped(entry: Source, toFailure: ToFailure): TarEntry {
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
    contents: contentsOf(entry, toFailure),
  };
}

/**
 * The bytes of one entry. The entry's own iterator would hand over each piece at a tick of its own, and would end the
 * whole tar where its reader leaves in the middle.
 */
function contentsOf(entry: Source, toFailure: ToFailure): AsyncIterable<Uint8Array> {
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
  // From the start: the tar may break before anybody asks for the first byte.
  entry.on('end', () => {
    queue.finish();
  });
  entry.on('error', (error: Error) => {
    queue.fail(toFailure(error));
  });
  entry.on('close', () => {
    queue.fail(toFailure(new Error('The tar ends in the middle of a file')));
  });
  return {
    [Symbol.asyncIterator]: () => {
      entry.on('data', onData);
      return queue;
    },
  };
}
