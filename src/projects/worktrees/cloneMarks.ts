/**
 * Marks of the volumes that a window copies for the project of a worktree. A crash leaves them, so that incomplete copies
 * are not used, neither by another window.
 */

import { createHash } from 'node:crypto';
import { mkdir, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isThere } from './findWorktreeState.ts';
import type { WorktreeOverrides } from './worktreeOverrides.ts';

/**
 * Runs the copies with a mark. It stays if some are incomplete.
 *
 * @param isLeft whether an error means that something incomplete is left.
 */
export async function withCloneMark<T>(
  place: MarkPlace,
  isLeft: (error: unknown) => boolean,
  run: () => Promise<T>,
): Promise<T> {
  const path = pathOf(place);
  await mkdir(dirname(path), { recursive: true });
  // One that is there is of another window, or of a crash.
  const isNew = await writeFile(path, '', { flag: 'wx' }).then(
    () => true,
    () => false,
  );
  try {
    const done = await run();
    await unlink(path).catch(() => undefined);
    return done;
  } catch (error) {
    if (isNew && !isLeft(error)) await unlink(path).catch(() => undefined);
    throw error;
  }
}

/** Whether a window copies volumes for a project, or a crash has ended it. Never rejects. */
export function hasCloneMark(place: MarkPlace): Promise<boolean> {
  return isThere(pathOf(place));
}

interface MarkPlace {
  readonly overrides: Pick<WorktreeOverrides, 'pathOf'>;
  readonly project: string;
  /** The URL of the engine. */
  readonly engine: string;
}

function pathOf({ overrides, project, engine }: MarkPlace): string {
  const key = createHash('sha256').update(engine).digest('hex').slice(0, 8);
  return `${overrides.pathOf(project)}.${key}.cloning`;
}
