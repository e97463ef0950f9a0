/** A writable stream of Node or of `tar-stream`. */
interface Sink {
  readonly destroyed: boolean;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Resolves when a stream can accept more bytes, or when it is closed. */
export function drained(sink: Sink): Promise<void> {
  return new Promise((resolve) => {
    const onMore = (): void => {
      sink.off('drain', onMore);
      sink.off('close', onMore);
      resolve();
    };
    if (sink.destroyed) {
      resolve();
      return;
    }
    sink.on('drain', onMore);
    sink.on('close', onMore);
  });
}

/** Returns a function as {@link drained}, but with one pair of listeners for all that wait at the same time. */
export function sharedDrain(sink: Sink): () => Promise<void> {
  let waiting: Promise<void> | undefined;
  return () =>
    (waiting ??= drained(sink).then(() => {
      waiting = undefined;
    }));
}
