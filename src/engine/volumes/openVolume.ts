import { posix } from 'node:path';
import { orDisposed } from '../../base/lifetime.ts';
import { openArchive } from '../archive/archive.ts';
import { TarSummary, summarized } from '../archive/tarSummary.ts';
import { capabilitiesOf, type Capabilities } from '../capabilities/capabilities.ts';
import { createExec, startExec, waitForExecExit } from '../exec/exec.ts';
import { EngineError } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { Container, Volume } from '../model.ts';
import { OutputFrames } from '../wire/outputFrames.ts';
import { checkMounted } from './checkMounted.ts';
import { inspectSame, usersOfVolume } from './removeVolume.ts';
import type { MountedVolume, VolumeContainers } from './volumeContainers.ts';
import { inspectVolume } from './volumes.ts';

/**
 * Opens a tar of all files of a volume.
 *
 * @throws EngineError; VolumeUnmountedError; VolumeChangedError if another volume has the name now.
 */
export async function openVolume(
  connection: Connection,
  name: string,
  { containers, reading: { method, volume }, isFresh = false }: VolumeSource,
  signal?: AbortSignal,
): Promise<OpenVolume> {
  const known = isFresh ? volume : await inspectSame(connection, volume, signal);
  const summary = new TarSummary();
  const where = { endpoint: connection.endpoint.url, operation: `GET /volumes/${name}` };
  const opened = (tar: AsyncIterable<Uint8Array>, held?: Partial<MountedVolume>): OpenVolume => ({
    tar: summarized(tar, summary, where),
    summary,
    check: async () => held?.check?.(),
    [Symbol.asyncDispose]: async () => {
      // Work can fail before it reads anything. Docker does not remove a container while its files are being read.
      if (held) await tar[Symbol.asyncIterator]().return?.();
      await held?.[Symbol.asyncDispose]?.();
    },
  });
  if (typeof method === 'object') {
    const { container, path } = method;
    return opened(execute(connection, container, ['tar', '-cf', '-', '-C', path, '.'], signal));
  }
  if (method === 'export') {
    const check = () => checkMounted(connection, known, signal);
    await check();
    const path = `/libpod/volumes/${encodeURIComponent(name)}/export`;
    return opened((await connection.stream({ method: 'GET', path, signal })).body, { check });
  }
  // Without the signal: after an abort, the volume is free only once its container is removed.
  const mounted = await containers.open(connection, name, undefined, known);
  const archive = openArchive(connection, mounted.root, '/.', signal);
  return opened(await orDisposed(archive, mounted), mounted);
}

/** The files of a volume, until it is disposed of. */
interface OpenVolume extends Pick<MountedVolume, 'check' | typeof Symbol.asyncDispose> {
  /**
   * Read once, and to its end.
   *
   * @throws EngineError `cut` if the tar is incomplete; `failed` if the engine or `tar` fails.
   */
  readonly tar: AsyncIterable<Uint8Array>;
  readonly summary: TarSummary;
}

export interface VolumeSource {
  readonly containers: VolumeContainers;
  readonly reading: VolumeReading;
  /** Whether the reading was chosen right before, so that the volume is not looked up again. */
  readonly isFresh?: boolean;
}

/**
 * Metadata that a copy of a volume can lose: who owns the files, the owner and mode of the folder that has them, or
 * extended attributes of users.
 */
export type VolumeLoss = 'owners' | 'rootOwner' | 'xattrs';

/** Way of reading the files of a volume, and what that loses. */
export interface VolumeReading {
  readonly method: 'export' | 'archive' | { readonly container: string; readonly path: string };
  readonly losses: readonly VolumeLoss[];
  /** The volume as it was then. */
  readonly volume: Volume;
}

/**
 * Chooses how to read a volume so that as little as possible is lost. If the archives of an engine have no owners, a
 * running container that mounts the volume, and nothing in it, and has `tar` is used, if there is one.
 *
 * @throws EngineError `notFound` if the volume does not exist; VolumeUnmountedError.
 */
export async function chooseReading(
  connection: Connection,
  name: string,
  signal?: AbortSignal,
): Promise<VolumeReading> {
  const volume = await inspectVolume(connection, name, signal);
  await checkMounted(connection, volume, signal);
  const can = capabilitiesOf(await connection.info(signal));
  const losses = sureLosses(can);
  if (can.keepsOwnersInArchives) return { method: 'archive', losses, volume };
  if (can.keepsOwnersInCopies) return { method: 'export', losses, volume };
  const users = await usersOfVolume(connection, name, signal);
  for (const user of users.filter(({ state }) => state === 'running')) {
    const path = user.mounts.find((one) => one.volume === name)?.path;
    if (path === undefined || !(await canPack(connection, user, path, signal))) continue;
    return { method: { container: user.id, path }, losses: ['xattrs'], volume };
  }
  return { method: 'archive', losses: ['owners'], volume };
}

/** Returns what a copy of any volume of an engine loses, as far as it is the same for all. */
export function sureLosses({
  keepsOwnersInArchives,
  keepsOwnersInCopies,
}: Capabilities): readonly VolumeLoss[] {
  if (keepsOwnersInArchives) return ['xattrs'];
  return keepsOwnersInCopies ? ['rootOwner'] : [];
}

/** Whether a container has `tar`, and nothing else is mounted in the folder: that would be in the archive, too. */
async function canPack(
  connection: Connection,
  { id }: Container,
  path: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const folder = posix.resolve('/', path);
  // As the kernel writes it in the list of mounts.
  const listed = folder.replace(
    /[ \t\n\\]/g,
    (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  try {
    const command = ['sh', '-c', CAN_PACK, 'sh', listed, folder];
    for await (const _ of execute(connection, id, command, signal)) continue;
    return true;
  } catch (error) {
    if (error instanceof EngineError && error.reason !== 'cut') return false;
    throw error;
  }
}

/** A part of the path can be a link, such as `/var/run`: the list of mounts has where it leads. */
const CAN_PACK = `
command -v tar && real=$(cd -P "$2" && pwd) || exit 1
while read -r _ at _; do case "$at" in "$1"/* | "$real"/*) exit 1 ;; esac; done </proc/self/mounts`;

/** Yields what a command writes to stdout. @throws EngineError `failed` with its stderr if it fails. */
async function* execute(
  connection: Connection,
  container: string,
  command: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const spec = { command, user: '0', hasTty: false };
  const id = await createExec(connection, container, spec, signal);
  const stream = await startExec(connection, id, spec, signal);
  const frames = new OutputFrames();
  let problem = '';
  for await (const chunk of stream.output) {
    for (const { source, bytes } of frames.push(chunk)) {
      if (source === 'stdout') yield bytes;
      else problem = (problem + Buffer.from(bytes).toString('utf8')).slice(-PROBLEM_LIMIT);
    }
  }
  const code = await waitForExecExit(connection, id, signal);
  if (code === 0 || (code === 1 && CHANGED.test(problem))) return;
  throw new EngineError('failed', {
    endpoint: connection.endpoint.url,
    operation: `exec ${command.join(' ')}`,
    engineMessage: problem.trim() || `exit code ${code ?? '?'}`,
  });
}

/** In characters. */
const PROBLEM_LIMIT = 2000;
/** Pattern of how `tar` reports that a file was written in the meantime: the archive is complete. */
const CHANGED = /file changed as we read it|File removed before we read it/;
