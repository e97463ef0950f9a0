import { oneLine } from '../../base/plainText.ts';
import { InputError } from '../errors.ts';
import { actInside, lookAgain, missing, type FileSpot } from './actInside.ts';
import { toolWords } from './fileTools.ts';

/**
 * Copies a file, a link itself, or a folder, with owners and modes, by a program in the container. Never replaces
 * anything.
 *
 * @param path absolute and normalized, as `to` is, whose folder must exist.
 * @returns both paths without links on the way to them.
 * @throws InputError if it may not be copied, or not all of it was; EngineError, `timeout` if the program may still run.
 */
export async function copyPath(
  spot: FileSpot,
  path: string,
  to: string,
  signal?: AbortSignal,
): Promise<{ readonly path: string; readonly to: string }> {
  if (path === '/') throw InputError.of('The top folder cannot be copied.');
  const target = await actInside(spot, to, signal);
  const source = await actInside(spot, path, signal);
  if (!source.stat) throw missing(spot.connection, path);
  const from = oneLine(source.path, 200);
  const goal = oneLine(target.path, 200);
  if (target.stat) throw InputError.of('{0} already exists.', goal);
  if (target.path.startsWith(`${source.path}/`))
    throw InputError.of('{0} cannot be copied into itself.', from);
  const result = await source.run(
    (at) => [
      ['cp', '-aT', '--', at(source.path), at(target.path)],
      ['cp', '-a', '--', at(source.path), at(target.path)],
    ],
    signal,
  );
  await lookAgain(spot, source, path, signal);
  const there = await lookAgain(spot, target, to, signal);
  if (result.exitCode !== 0 || !there)
    throw InputError.of('{0} was not copied completely: {1}', from, toolWords(result));
  return { path: source.path, to: target.path };
}
