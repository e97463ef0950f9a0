import { oneLine } from '../../base/plainText.ts';
import { statPath, type ArchiveRoot } from '../archive/archive.ts';
import type { PathStat } from '../archive/pathStat.ts';
import { EngineError, InputError, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { checkNoMount, type ContainerOrVolume } from './checkNoMount.ts';
import { runFirst, type FileTools } from './fileTools.ts';
import { resolveParents, splitLast, within, type ResolvedPath } from './resolveParents.ts';
import type { ToolResult } from './runInVolume.ts';

/**
 * Looks at a path right before a program acts on it: resolves the links on the way to it, and checks that nothing is
 * mounted there.
 *
 * @throws InputError that names a mount; EngineError `notFound` if the folder of the path does not exist.
 */
export async function actInside(
  spot: FileSpot,
  path: string,
  signal?: AbortSignal,
): Promise<ActInside> {
  const { connection, owner, tools } = spot;
  const found = await locate(spot, path, signal);
  if (!found) throw missing(connection, path);
  const mount = await checkNoMount(connection, owner, found.path, signal);
  return {
    ...found,
    mount,
    run: (commandsAt, late) =>
      runFirst(
        tools,
        commandsAt((one) => tools.folder + one),
        late,
      ),
  };
}

/** Where an act changes files: how they are looked at, and where programs act on them. */
export interface FileSpot {
  readonly connection: Connection;
  /** Where the files are looked at. */
  readonly archive: ArchiveRoot;
  readonly owner: ContainerOrVolume;
  readonly tools: FileTools;
}

/** A path that a program is about to act on. */
export interface ActInside {
  /** Without links on the way to it. */
  readonly path: string;
  /** What is there, not followed; undefined if nothing is. */
  readonly stat: PathStat | undefined;
  /** The mount that has it. */
  readonly mount: string;
  /**
   * Runs the first of several commands whose options the program knows.
   *
   * @param commandsAt gets a function that returns where the program sees a path.
   */
  run(
    commandsAt: (at: (path: string) => string) => readonly (readonly string[])[],
    signal?: AbortSignal,
  ): Promise<ToolResult>;
}

/** Returns the error for a path at which nothing is. */
export function missing({ endpoint }: Connection, path: string): EngineError {
  return new EngineError('notFound', { endpoint: endpoint.url, engineMessage: oneLine(path, 200) });
}

/** Resolves the links on the way to a path. Returns undefined if its folder does not exist. */
async function locate(
  spot: FileSpot,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ResolvedPath | undefined> {
  const { connection, archive, tools } = spot;
  const found = await unlessNotFound(resolveParents(connection, archive, path, signal));
  const whole = await seenInside(spot, found?.path ?? path, signal);
  if (found?.path === whole)
    return { path: whole, stat: found.stat ?? (await lookInside(tools, whole, signal)) };
  const { folder } = splitLast(whole);
  const isThere = found !== undefined || (await lookAt(spot, folder, signal))?.kind === 'folder';
  return isThere ? { path: whole, stat: await lookAt(spot, whole, signal) } : undefined;
}

/** Returns what is at a path; undefined if nothing is. */
export async function lookAt(
  { connection, archive, tools }: FileSpot,
  path: string,
  signal?: AbortSignal,
): Promise<PathStat | undefined> {
  const stat = await unlessNotFound(statPath(connection, archive, path, signal));
  return stat ?? lookInside(tools, path, signal);
}

/** Some engines do not report broken links, and some not what is in a mount in memory. */
async function lookInside(
  tools: FileTools,
  path: string,
  signal: AbortSignal | undefined,
): Promise<PathStat | undefined> {
  const kind = await tools.kindOf?.(tools.folder + path, signal);
  return kind && { kind, size: 0, permissions: 0, modifiedAt: 0, linkTarget: '' };
}

/** Some engines follow links in volumes without saying so: where it can, a program says where a folder is. */
async function seenInside(
  { tools }: FileSpot,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { folder, name } = splitLast(path);
  if (folder === '/' || !tools.follow) return path;
  const end = await tools.follow(tools.folder + folder, signal);
  if (end === undefined) return path;
  if (tools.folder !== '' && end !== tools.folder && !end.startsWith(`${tools.folder}/`))
    throw InputError.of('{0} leads out of the volume.', oneLine(folder, 200));
  return within(end.slice(tools.folder.length) || '/', name);
}

/**
 * Looks at a path again after an act. Links can have been swapped meanwhile: then the act was elsewhere.
 *
 * @param path as it was given.
 * @returns what is there now.
 * @throws InputError if the path leads elsewhere now.
 */
export async function lookAgain(
  spot: FileSpot,
  act: ActInside,
  path: string,
  signal?: AbortSignal,
): Promise<PathStat | undefined> {
  const now = await locate(spot, path, signal);
  if (now?.path === act.path) return now.stat;
  throw InputError.of(
    'The folder of {0} was replaced or removed during the work, which may have changed other files.',
    oneLine(act.path, 200),
  );
}
