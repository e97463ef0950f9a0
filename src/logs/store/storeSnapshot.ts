/** Where all lines lie at this moment, the oldest first. */
export interface StoreSnapshot {
  /** How often the store was cleared; ids of another generation mean nothing. */
  readonly generation: number;
  readonly firstId: number;
  readonly endId: number;
  readonly blocks: readonly BlockLocation[];
  /** Path of the spill file, once there is one. */
  readonly file: string | undefined;
}

/** Where a run of lines lies: in shared memory, or in the spill file. */
export interface BlockLocation {
  /** Of the block, for as long as the store lives; stands in its page, too. */
  readonly serial: number;
  /** Of its first line. */
  readonly firstId: number;
  /** How many lines it holds at this moment. */
  readonly count: number;
  /** Position behind its text, in the page. */
  readonly textEnd: number;
  /** The page; see `Page`. Absent where it lies in the file. */
  readonly memory?: SharedArrayBuffer;
  /** Where the page's image is in the spill file. */
  readonly image?: SpillLocation;
}

/** A piece of the spill file, in bytes. */
export interface SpillLocation {
  readonly position: number;
  readonly size: number;
}
