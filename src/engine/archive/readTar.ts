import { extract, type Extract, type ExtractEvents } from 'tar-stream';
import { ByteQueue } from '../http/byteQueue.ts';
import { yieldToEventLoop } from '../../time.ts';
import { asError } from '../errors.ts';

type ToFailure = (error: Error) => Error;

const HEADER_SIZE = 512;
/** So many bytes at most are held of what comes before the first entry's contents. */
const HEAD_LIMIT = 8 * 1024 * 1024;

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
      yield { ...fieldsOf(entry), contents: contentsOf(entry, toFailure) };
      // Whatever was not read of it.
      entry.resume();
    }
  } catch (error) {
    throw toFailure(asError(error));
  } finally {
    tar.destroy();
    // Not after the next bytes, which may never come.
    await bytes.return?.();
  }
}

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
 * The first entry of a tar alone, its contents straight from the source: for a tar of one file, in half the time.
 *
 * @param toFailure shapes what the entry and its contents throw.
 * @throws Error where it is no tar or ends too early; what the source throws, as it is.
 */
export async function* readFirstEntry(
  source: AsyncIterable<Uint8Array>,
  toFailure: ToFailure = (error) => error,
): AsyncGenerator<TarEntry> {
  const bytes = source[Symbol.asyncIterator]();
  try {
    const head = await readHead(bytes);
    if (head) yield { ...fieldsOf(head.entry), contents: contentsAfter(head, bytes, toFailure) };
  } catch (error) {
    throw toFailure(asError(error));
  } finally {
    await bytes.return?.();
  }
}

interface Head {
  readonly entry: Source;
  /** What was read to know of it, with the first of its contents. */
  readonly read: readonly Uint8Array[];
}

/** Undefined where there is no entry. */
async function readHead(bytes: AsyncIterator<Uint8Array>): Promise<Head | undefined> {
  const tar = extract();
  const found: { entry?: Source; failure?: Error } = {};
  tar.on('entry', (_header, entry) => (found.entry ??= entry));
  tar.on('error', (error) => (found.failure = error));
  const read: Uint8Array[] = [];
  let size = 0;
  try {
    for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) {
      read.push(next.value);
      size += next.value.length;
      tar.write(next.value);
      // It looks at what it was given when whoever gave it has done.
      await yieldToEventLoop();
      if (found.failure) throw found.failure;
      if (found.entry) return { entry: found.entry, read };
      if (size > HEAD_LIMIT) throw new Error('The tar has no entry');
    }
    return undefined;
  } finally {
    tar.destroy();
  }
}

async function* contentsAfter(
  { entry, read }: Head,
  bytes: AsyncIterator<Uint8Array>,
  toFailure: ToFailure,
): AsyncGenerator<Uint8Array> {
  let before = entry.offset + HEADER_SIZE;
  let left = fieldsOf(entry).size;
  const taken = (piece: Uint8Array): Uint8Array => {
    const contents = piece.subarray(before, before + left);
    before = Math.max(0, before - piece.length);
    left -= contents.length;
    return contents;
  };
  for (const piece of read) {
    const contents = taken(piece);
    if (contents.length > 0) yield contents;
  }
  while (left > 0) {
    const next = await bytes.next();
    if (next.done === true) throw toFailure(new Error('The tar ends in the middle of a file'));
    yield taken(next.value);
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
    tar.destroy(asError(error));
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

function fieldsOf(entry: Source): Omit<TarEntry, 'contents'> {
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
