/** Errors of writing a file of a container or volume. In a file of their own: messages need them from the start. */

/** Why a file cannot be written. */
export type ReadOnlyReason =
  /** The root file system of the container is read-only. */
  | 'readOnlyRoot'
  /** The mount that has it is read-only. */
  | 'readOnlyMount'
  /** It is in a `tmpfs` mount, which the engine does not write to. */
  | 'tmpfs'
  /** It is in a file system of the kernel. */
  | 'kernel'
  /** It is a mount by itself, which can only be written where a process can run in the container. */
  | 'fileMount'
  /** It has several names, and can only be written where a process can run in the container. */
  | 'hardLinks'
  /** The engine does not report its owner, and no process can run in the container that does. */
  | 'ownerUnknown'
  /** As before, for a volume: no running container that could tell mounts it to be written. */
  | 'volumeOwnerUnknown'
  /** It is in an image. */
  | 'image'
  /** It exceeds what is written. */
  | 'tooLarge';

/** A file that cannot be written. Nothing was changed. */
export class FileReadOnlyError extends Error {
  override readonly name = 'FileReadOnlyError';
  /** Path in the container. */
  readonly path: string;
  readonly reason: ReadOnlyReason;
  /** The path of the mount that has the file. */
  readonly mount: string | undefined;

  constructor(path: string, reason: ReadOnlyReason, mount?: string) {
    super(`${path}: ${reason}`);
    this.path = path;
    this.reason = reason;
    this.mount = mount;
  }
}

/** A file that is not what was expected before it is written. Nothing was changed. */
export class FileConflictError extends Error {
  override readonly name = 'FileConflictError';
  readonly path: string;
  /** The hash of what the file has; undefined if there is no file. */
  readonly hash: string | undefined;

  constructor(path: string, hash: string | undefined) {
    super(`${path}: changed`);
    this.path = path;
    this.hash = hash;
  }
}

/** What replacing a file drops. */
export type FileLoss = 'setuid' | 'attributes';

/** A file exists, and was not to be replaced. */
export class PathExistsError extends Error {
  override readonly name = 'PathExistsError';
  readonly path: string;

  constructor(path: string) {
    super(`${path}: exists`);
    this.path = path;
  }
}

/**
 * What a file has after a write that failed or that cannot be proven: what it had before, what was to be written,
 * something else, nothing since it is gone, or that could not be read.
 */
export type FileOutcome = 'old' | 'new' | 'other' | 'gone' | 'unknown';

/** A write that failed, or a file that is not what was written. */
export class FileWriteError extends Error {
  override readonly name = 'FileWriteError';
  readonly path: string;
  readonly now: FileOutcome;
  /** Another path that the given one leads to after the write, through links that were changed meanwhile. */
  readonly movedTo: string | undefined;

  constructor(path: string, now: FileOutcome, details: FileWriteDetails = {}) {
    super(`${path}: ${now}`, { cause: details.cause });
    this.path = path;
    this.now = now;
    this.movedTo = details.movedTo;
  }
}

interface FileWriteDetails {
  readonly cause?: unknown;
  readonly movedTo?: string;
}
