import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps a stream in a file of this machine until it is disposed of. An engine that locks a container while its archive
 * is read takes nothing from it before the end: both at once would wait for each other for good.
 *
 * @throws errors of the stream, and of the file.
 */
export async function spooled(source: AsyncIterable<Uint8Array>): Promise<Spooled> {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-copy-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'contents');
    await using file = await open(path, 'wx', 0o600);
    for await (const bytes of source) await file.writeFile(bytes);
    return { read: () => contentsOf(path), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** What was read of a stream. */
interface Spooled extends AsyncDisposable {
  readonly read: () => AsyncIterable<Uint8Array>;
}

async function* contentsOf(path: string): AsyncGenerator<Uint8Array> {
  await using file = await open(path);
  yield* file.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>;
}
