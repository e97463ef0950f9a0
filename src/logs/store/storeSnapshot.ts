/** The current locations of all lines, the oldest first. */
export interface StoreSnapshot {
  /** Number of times that the store was cleared. IDs of another generation are invalid. */
  readonly generation: number;
  readonly firstId: number;
  readonly endId: number;
  readonly blocks: readonly BlockLocation[];
  /** The path of the spill file, if it exists. */
  readonly file: string | undefined;
}

/** The location of a run of lines, in shared memory or in the spill file. */
export interface BlockLocation {
  /** The serial number of the block, unique in the store. Also stored in its page. */
  readonly serial: number;
  /** The ID of the first line. */
  readonly firstId: number;
  /** The current number of lines. */
  readonly count: number;
  /** The end of the text in the page. */
  readonly textEnd: number;
  /** The page; see `Page`. Undefined if it is in the file. */
  readonly memory?: SharedArrayBuffer;
  /** The location of the page's image in the spill file. */
  readonly image?: SpillLocation;
}

/** A range of the spill file, in bytes. */
export interface SpillLocation {
  readonly position: number;
  readonly size: number;
}
