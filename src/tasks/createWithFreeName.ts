import { freeContainerName } from '../commands/create/portConflicts.ts';
import { failedWith } from '../engine/errors.ts';
import type { Container } from '../engine/model.ts';

/**
 * Creates a container under the name that is wanted; where that is taken, as by the container of the last run, under
 * the next free one.
 */
export async function createWithFreeName<Created>(
  wanted: string | undefined,
  { create, list }: NamedCreateOperations<Created>,
): Promise<{ readonly created: Created; readonly name: string | undefined }> {
  let name = wanted;
  for (let tries = 1; ; tries++) {
    try {
      return { created: await create(name), name };
    } catch (error) {
      if (name === undefined || tries === MOST_TRIES || !failedWith(error, 'conflict')) throw error;
      const free = freeContainerName(name, await list());
      // The conflict is about something else.
      if (free === name) throw error;
      name = free;
    }
  }
}

/** How a container is created, and what there is beside it. */
export interface NamedCreateOperations<Created> {
  readonly create: (name: string | undefined) => Promise<Created>;
  /** All containers, also those that do not run. */
  readonly list: () => Promise<readonly Container[]>;
}

/** Others may take names at the same moment. */
const MOST_TRIES = 5;
