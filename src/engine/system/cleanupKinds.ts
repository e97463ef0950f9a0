/** Kinds that can be cleaned up, in the order of removal: without a container, others may be unused. */
export const CLEANUP_KINDS = ['containers', 'images', 'volumes', 'networks', 'buildCache'] as const;

export type CleanupKind = (typeof CLEANUP_KINDS)[number];

/** The kinds that use disk space. */
export const DISK_KINDS = ['images', 'containers', 'volumes', 'buildCache'] as const;

/** The disk space that one kind uses. */
export interface KindUse {
  readonly kind: (typeof DISK_KINDS)[number];
  readonly count: number;
  /** In bytes. Of containers only the writable layers; a volume of unknown size counts as 0. */
  readonly size: number;
  /** In bytes: what is not used. */
  readonly reclaimable: number;
  /** Whether the size of something is unknown, so that there can be more of both. */
  readonly isAtLeast?: true;
}
