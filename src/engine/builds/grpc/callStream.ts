/** One gRPC call that the peer makes to us, as its handler sees it. */
export interface CallStream {
  /**
   * Returns the values of a metadata key in their order, as they were sent: repeated keys are not joined, and
   * nothing is decoded. Empty if the key is missing.
   *
   * @param name in lower case.
   */
  metadata(name: string): readonly string[];
  /**
   * The messages of the peer, without their gRPC frames; may be read once. Ends when the peer half-closes. Throws
   * an EngineError `tooLarge` or `badAnswer` for a frame that is not allowed, `cut` if the connection breaks, and
   * the reason of `signal` if the call is canceled. Reading on demand holds the peer back.
   */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Sends a message. Resolves when the peer can accept more, or when the call ends. Rejects if it has ended. */
  write(...parts: readonly Uint8Array[]): Promise<void>;
  /** Aborted when the call ends for whatever reason, also when its handler is done. */
  readonly signal: AbortSignal;
}

/**
 * Serves one call. Resolving ends the call with status OK. Throwing a GrpcError ends it with that status; any other
 * error with status UNKNOWN and its message, which the peer may show to a user and keep in its history.
 */
export type CallHandler = (call: CallStream) => Promise<void>;
