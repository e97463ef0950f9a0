import { pack, type Pack } from 'tar-stream';
import { asError } from '../errors.ts';

/**
 * The bytes of a tar with these entries, all owned by root. No more is read than is taken.
 *
 * @throws what the entries throw; Error where a file has not as many bytes as were said.
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

/** One entry of a tar that is to be written. */
export interface NewEntry {
  /** Below the folder that the tar is unpacked in. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link';
  /** The nine bits of who may do what. */
  readonly permissions: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  /** Bytes of a file: exactly so many are to come. */
  readonly size?: number;
  /** What a link says. */
  readonly linkTarget?: string;
  /** Of a file; called when its turn has come. */
  readonly open?: () => AsyncIterable<Uint8Array>;
}

/** Never rejects: what goes wrong is the tar's error. */
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

const TYPES = { file: 'file', folder: 'directory', link: 'symlink' } as const;

function add(tar: Pack, entry: NewEntry): Promise<void> {
  return new Promise((resolve, reject) => {
    const { name, kind, permissions, modifiedAt, size = 0, linkTarget, open } = entry;
    const sink = tar.entry(
      {
        ...{ name, type: TYPES[kind], mode: permissions, mtime: new Date(modifiedAt), size },
        ...(linkTarget === undefined ? {} : { linkname: linkTarget }),
      },
      (error) => {
        if (error) reject(error);
        else resolve();
      },
    );
    if (kind === 'file' && open) pour(open(), sink, tar).catch(reject);
    else sink.end(undefined);
  });
}

type Sink = ReturnType<Pack['entry']>;

async function pour(source: AsyncIterable<Uint8Array>, sink: Sink, tar: Pack): Promise<void> {
  for await (const chunk of source) {
    if (tar.destroyed || sink.destroyed) return;
    if (!sink.write(chunk)) await drained(sink);
  }
  sink.end(undefined);
}

function drained(sink: Sink): Promise<void> {
  return new Promise((resolve) => {
    const onMore = (): void => {
      sink.off('drain', onMore).off('close', onMore);
      resolve();
    };
    if (sink.destroyed) resolve();
    else sink.on('drain', onMore).on('close', onMore);
  });
}
