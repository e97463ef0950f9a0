/** A writable stream of Node or of `tar-stream`. */
interface Sink {
  readonly destroyed: boolean;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Resolves when a stream can take more bytes, or when it is closed. */
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
