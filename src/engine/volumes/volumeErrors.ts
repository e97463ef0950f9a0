/** Errors of operations on volumes. In a file of their own, because messages for them are needed from the start. */

import type { TarProblem } from '../archive/tarRules.ts';
import { asError } from '../errors.ts';
import type { Container, Volume } from '../model.ts';

/** A volume that cannot be removed because containers use it. */
export class VolumeInUseError extends Error {
  override readonly name = 'VolumeInUseError';
  readonly volume: string;
  readonly users: readonly Container[];

  constructor(volume: string, users: readonly Container[], cause?: unknown) {
    super(`${volume}: ${users.map(({ name }) => name).join(', ')}`, { cause });
    this.volume = volume;
    this.users = users;
  }
}

/** Thrown if another volume has the name of the one that the user saw. It was not changed. */
export class VolumeChangedError extends Error {
  override readonly name = 'VolumeChangedError';
  /** Whether the one that the user saw was removed, or may have been. */
  readonly isRemoved: boolean;

  constructor(volume: string, isRemoved = false) {
    super(volume);
    this.isRemoved = isRemoved;
  }
}

/** An engine mounts a volume only while a container that uses it runs, and none runs: its files are unknown. */
export class VolumeUnmountedError extends Error {
  override readonly name = 'VolumeUnmountedError';
}

/** A container that does not run has a mount where something would be written that it never sees. */
export class UnseenMountError extends Error {
  override readonly name = 'UnseenMountError';
}

/** There is already a volume of this name. Nothing was done. */
export class VolumeExistsError extends Error {
  override readonly name = 'VolumeExistsError';
}

/** A new volume could not be filled and not be removed again, or another one has only some of the files. */
export class VolumeIncompleteError extends Error {
  override readonly name = 'VolumeIncompleteError';
  readonly volume: Volume;

  constructor(volume: Volume, cause: unknown) {
    super(volume.name, { cause });
    this.volume = volume;
  }
}

/** The volume was removed and could not be created again. */
export class VolumeLostError extends Error {
  override readonly name = 'VolumeLostError';
  readonly volume: Volume;
  /** Whether it is known that the volume is gone. */
  readonly isCertain: boolean;

  constructor(volume: Volume, cause: unknown, isCertain = true) {
    super(asError(cause).message, { cause });
    this.volume = volume;
    this.isCertain = isCertain;
  }
}

/** Why the files of an archive cannot be written to a volume. Nothing was written if it was thrown before. */
export type VolumeFileProblem =
  /** It is not a tar, or ends too early. */
  | { readonly kind: 'incomplete' }
  /** It is compressed in a way that cannot be read; `format` is the program. */
  | { readonly kind: 'packed'; readonly format: string }
  /** More data follows the end of the tar. */
  | { readonly kind: 'trailing' }
  /** The file was changed while it was used. */
  | { readonly kind: 'changed' }
  /** A name leads out of the volume. */
  | { readonly kind: 'unsafe'; readonly name: string }
  /** Engines refuse an entry. */
  | { readonly kind: 'refused'; readonly entry: TarProblem };

/** An archive cannot be imported. */
export class VolumeFileError extends Error {
  override readonly name = 'VolumeFileError';
  readonly problem: VolumeFileProblem;

  constructor(problem: VolumeFileProblem, cause?: unknown) {
    super(problem.kind, { cause });
    this.problem = problem;
  }
}
