import { oneLine, withoutTrailing } from '../../base/plainText.ts';
import type { PathKind } from '../archive/pathStat.ts';
import { containerMounts } from '../containers/containerDetails.ts';
import { inspectContainer } from '../containers/containers.ts';
import { InputError, unlessNotFound } from '../errors.ts';
import { runExec } from '../exec/runExec.ts';
import { SYSTEM_ENV } from '../exec/systemEnv.ts';
import type { Connection } from '../http/connection.ts';
import { usersOfVolume } from '../volumes/removeVolume.ts';
import { hasMountInside, type ContainerOrVolume } from './checkNoMount.ts';
import { runInVolume, VOLUME_FOLDER, type ToolResult, type VolumeHelper } from './runInVolume.ts';

/** Where programs change files. */
export interface FileTools {
  /** The folder in their container in which the paths begin; empty for its root. */
  readonly folder: string;
  /**
   * Runs a program as root until it exits.
   *
   * @returns undefined if there is no such program any more.
   */
  run(command: readonly string[], signal?: AbortSignal): Promise<ToolResult | undefined>;
  /** Returns a folder without links, as their container sees it; undefined if no program says it. */
  follow?(folder: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Returns what is at a path, not followed, whatever engines see of it; undefined if nothing is or can say so. */
  kindOf?(path: string, signal?: AbortSignal): Promise<PathKind | undefined>;
}

/** A program that changes files. */
export type FileProgram = 'rm' | 'mv' | 'cp';

/** Nothing can run the program that an act needs. */
export class NoToolsError extends InputError {
  readonly why: 'stopped' | 'missing' | 'volume';

  constructor(why: NoToolsError['why'], text: string, ...values: readonly string[]) {
    super({ text, values });
    this.why = why;
  }
}

/**
 * Finds where a program can change the files of a container, or of a volume: there in a running container that mounts
 * it, else in one of the image.
 *
 * @throws NoToolsError; EngineError `notFound` if the container does not exist.
 */
export async function findFileTools(
  connection: Connection,
  { kind, id }: ContainerOrVolume,
  program: FileProgram,
  helper?: VolumeHelper,
  signal?: AbortSignal,
): Promise<FileTools> {
  if (kind === 'volume') return findVolumeTools(connection, id, program, helper, signal);
  const { name, isRunning, state } = await inspectContainer(connection, id, signal);
  if (!isRunning || state === 'paused')
    throw new NoToolsError(
      'stopped',
      '{0} does not run. Start it first: the program {1} has to run in it.',
      oneLine(name, 100),
      program,
    );
  if (await hasProgram(connection, id, program, signal)) return toolsIn(connection, id, '');
  throw new NoToolsError(
    'missing',
    '{0} does not have the program {1}, which has to run in it.',
    oneLine(name, 100),
    program,
  );
}

async function findVolumeTools(
  connection: Connection,
  volume: string,
  program: FileProgram,
  helper: VolumeHelper | undefined,
  signal: AbortSignal | undefined,
): Promise<FileTools> {
  for (const { id } of await usersOfVolume(connection, volume, signal)) {
    const details = await unlessNotFound(inspectContainer(connection, id, signal));
    if (details?.isRunning !== true || details.state === 'paused') continue;
    const mount = containerMounts(details).find(
      ({ type, source, isReadOnly }) => type === 'volume' && source === volume && !isReadOnly,
    );
    // What is mounted in the volume there is not of the volume.
    if (!mount || (await hasMountInside(connection, details, mount.target, signal))) continue;
    if (await hasProgram(connection, id, program, signal))
      return toolsIn(connection, id, withoutTrailing(mount.target, '/'));
  }
  if (helper)
    return {
      folder: VOLUME_FOLDER,
      run: (command, late) => runInVolume(connection, volume, helper, command, late),
    };
  throw new NoToolsError(
    'volume',
    'No running container that can write to the volume {0} has the program {1}.',
    oneLine(volume, 100),
    program,
  );
}

function toolsIn(connection: Connection, container: string, folder: string): FileTools {
  return {
    folder,
    run: async (command, signal) => {
      const process = { command, user: '0:0', env: SYSTEM_ENV };
      const result = await runExec(connection, container, process, LIMITS, signal);
      return result && { exitCode: result.exitCode, words: result.stderr.toString('utf8') };
    },
    follow: async (path, signal) => {
      const process = { command: ['readlink', '-f', path], user: '0:0', env: SYSTEM_ENV };
      const result = await runExec(connection, container, process, {}, signal);
      const end = result?.exitCode === 0 ? result.output.replace(/\n$/, '') : '';
      return end.startsWith('/') ? end : undefined;
    },
    kindOf: async (path, signal) => {
      const process = { command: ['ls', '-ld', '--', path], user: '0:0', env: SYSTEM_ENV };
      const result = await runExec(connection, container, process, {}, signal);
      return result?.exitCode === 0 ? (KINDS.get(result.output[0]) ?? 'other') : undefined;
    },
  };
}

/** Large folders take long. */
const LIMITS = { limitMs: 60 * 60_000, outputLimit: 64 * 1024 };

/** By the first letter of a long list. */
const KINDS: ReadonlyMap<string | undefined, PathKind> = new Map([
  ['d', 'folder'],
  ['l', 'link'],
  ['-', 'file'],
]);

async function hasProgram(
  connection: Connection,
  container: string,
  program: FileProgram,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const process = { command: [program, '--help'], user: '0:0', env: SYSTEM_ENV };
  return (await runExec(connection, container, process, {}, signal)) !== undefined;
}

/**
 * Runs the first of several commands whose options the program knows: they differ.
 *
 * @returns what it wrote to STDERR, and its exit code.
 * @throws NoToolsError if there is no such program.
 */
export async function runFirst(
  tools: FileTools,
  commands: readonly (readonly string[])[],
  signal?: AbortSignal,
): Promise<ToolResult> {
  let last: ToolResult | undefined;
  for (const command of commands) {
    last = await tools.run(command, signal);
    if (!last || last.exitCode === 0 || !UNKNOWN_OPTION.test(last.words)) break;
  }
  if (last) return last;
  const [program = ''] = commands[0] ?? [];
  throw new NoToolsError('missing', 'The program {0} could not be run.', program);
}

const UNKNOWN_OPTION = /(?:unrecognized|unknown|invalid|illegal) option/i;

/** Returns the first line that a program wrote to STDERR, as a sentence. */
export function toolWords({ words, exitCode }: ToolResult): string {
  const line = words.split('\n').find((one) => one.trim() !== '');
  return line === undefined ? `exit code ${exitCode ?? '?'}` : oneLine(line, 300);
}
