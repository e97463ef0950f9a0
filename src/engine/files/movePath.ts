import { oneLine } from '../../base/plainText.ts';
import { InputError } from '../errors.ts';
import {
  actInside,
  lookAgain,
  lookAt,
  missing,
  type ActInside,
  type FileSpot,
} from './actInside.ts';
import { toolWords } from './fileTools.ts';
import { splitLast, within } from './resolveParents.ts';

/**
 * Renames or moves a file, a link itself, or a folder, by a program in the container. Never replaces anything, nor moves
 * into it: what has the name is looked for before, the program is told so where it can be, and it is looked at after.
 *
 * @param path absolute and normalized, as `to` is, whose folder must exist.
 * @returns both paths without links on the way to them.
 * @throws InputError if it may not be moved, or was not; EngineError, `timeout` if the program may still run.
 */
export async function movePath(
  spot: FileSpot,
  path: string,
  to: string,
  signal?: AbortSignal,
): Promise<{ readonly path: string; readonly to: string }> {
  if (path === '/') throw InputError.of('The top folder cannot be renamed.');
  const target = await actInside(spot, to, signal);
  const source = await actInside(spot, path, signal);
  if (!source.stat) throw missing(spot.connection, path);
  checkTarget(source, target);
  // Before the move, because what is in a folder afterwards can be what was moved into it.
  const inner = within(target.path, splitLast(source.path).name);
  const hadInner = await hasInside(spot, source, signal);
  const result = await source.run(
    (at) => [
      ['mv', '-nT', '--', at(source.path), at(target.path)],
      ['mv', '-n', '--', at(source.path), at(target.path)],
    ],
    signal,
  );
  const left = await lookAgain(spot, source, path, signal);
  const there = await lookAgain(spot, target, to, signal);
  const from = oneLine(source.path, 200);
  const goal = oneLine(target.path, 200);
  if (left && there)
    throw InputError.of('{0} was not moved: {1} was created in the meantime.', from, goal);
  if (left) throw InputError.of('{0} was not moved: {1}', from, toolWords(result));
  if (there?.kind === 'folder' && !hadInner && (await lookAt(spot, inner, signal)))
    throw InputError.of(
      '{0} was created in the meantime, so {1} is in it now.',
      goal,
      splitLast(from).name,
    );
  if (!there) throw InputError.of('{0} was moved, but is not at {1}.', from, goal);
  return { path: source.path, to: target.path };
}

function checkTarget(source: ActInside, target: ActInside): void {
  const from = oneLine(source.path, 200);
  const goal = oneLine(target.path, 200);
  if (source.path === target.path || target.stat) throw InputError.of('{0} already exists.', goal);
  if (target.path.startsWith(`${source.path}/`))
    throw InputError.of('{0} cannot be moved into itself.', from);
  if (source.mount !== target.mount)
    throw InputError.of(
      '{0} and {1} are not in the same mount. Download and upload it instead.',
      from,
      goal,
    );
}

/** Whether a folder has something with its own name. */
async function hasInside(
  spot: FileSpot,
  { path, stat }: ActInside,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (stat?.kind !== 'folder') return false;
  return (await lookAt(spot, within(path, splitLast(path).name), signal)) !== undefined;
}
