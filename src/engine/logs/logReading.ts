/** How one reading of a log goes. */
export interface LogReading {
  readonly follow: boolean;
  /** The container was started anew since the last reading, at this moment, as the engine writes it. */
  readonly runStartedAt?: string | undefined;
  /** Only what was written before this moment, as the engine writes it. */
  readonly endsBefore?: string | undefined;
  /**
   * Called where what was there is all read, and what is new is about to be followed. With it, the first reading
   * begins with a whole line, and `older` can go on before it.
   */
  readonly onCaughtUp?: (() => void) | undefined;
  /** Called once the engine has answered, before anything is read of that; what this throws ends the reading. */
  readonly onAnswered?: (() => Promise<void>) | undefined;
  /** Awaited before each piece of a followed answer is read: if the reading is ended by then, nothing of it is. */
  readonly settled?: (() => Promise<void>) | undefined;
}

/** Which part of a container's log, and of what kind it is. */
export interface LogOptions {
  /** How many of the engine's records from the end. A long line is several. */
  readonly tail: number | 'all';
  /** `seconds[.nanoseconds]`, see `parseSince`; inclusive. */
  readonly since?: string | undefined;
  /** Whether the container has a terminal: its log has another form then. */
  readonly hasTty: boolean;
  /** Whether `LogLine.timestamp` is going to be shown. Default true. */
  readonly wantsStamps?: boolean;
}
