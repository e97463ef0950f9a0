import { randomBytes } from 'node:crypto';
import { oneLine } from '../../base/plainText.ts';
import { attachContainer } from '../containers/attachContainer.ts';
import { removeContainer, startContainer } from '../containers/containerLifecycle.ts';
import { createContainer } from '../containers/containers.ts';
import type { CreateRequest } from '../containers/createRequest.ts';
import { TEMPORARY_VOLUME_LABEL } from '../containers/openTemporaryContainer.ts';
import { waitForContainer } from '../containers/waitForContainer.ts';
import { InputError, isRefusal } from '../errors.ts';
import type { DuplexStream } from '../http/duplexStream.ts';
import type { Connection } from '../http/connection.ts';
import { inspectImage } from '../images/images.ts';
import { TEMPORARY_LABEL, TEMPORARY_TOOL_LABEL } from '../images/temporaryMarks.ts';
import { inspectSame } from '../volumes/removeVolume.ts';
import { mountOf } from '../volumes/volumeContainers.ts';
import { inspectVolume } from '../volumes/volumes.ts';
import { ByteStore } from '../wire/byteStore.ts';
import { OutputFrames } from '../wire/outputFrames.ts';
import { asRecord } from '../wire/wire.ts';

/**
 * Runs a program of a local image on the files of a volume, in a container that has nothing else: no network, a
 * read-only root, no other mount. It is removed afterwards, and by the engine if this window ends first.
 *
 * @returns undefined if the image has no such program.
 * @throws InputError if the image brings volumes of its own; EngineError, also if there is no such image.
 */
export async function runInVolume(
  connection: Connection,
  volume: string,
  { image, owner }: VolumeHelper,
  command: readonly string[],
  signal?: AbortSignal,
): Promise<ToolResult | undefined> {
  const { id: imageId, raw } = await inspectImage(connection, image, signal);
  if (Object.keys(asRecord(asRecord(asRecord(raw)['Config'])['Volumes'])).length > 0)
    throw InputError.of(
      'The image {0} brings volumes of its own. Select another one.',
      oneLine(image, 100),
    );
  // Creating the container would create a missing volume.
  const known = await inspectVolume(connection, volume, signal);
  signal?.throwIfAborted();
  const request = toolContainer(imageId, volume, owner, command);
  const { id } = await createContainer(connection, request);
  try {
    await inspectSame(connection, known, signal);
    return await runToEnd(connection, id, signal);
  } finally {
    // Also ends the program after an abort. Never with volumes: this one could be anonymous.
    await removeContainer(connection, id, { force: true }).catch(() => undefined);
  }
}

/** A local image whose programs act on a volume, and the mark of this window on the container. */
export interface VolumeHelper {
  readonly image: string;
  readonly owner: string;
}

/** How a program has ended. */
export interface ToolResult {
  readonly exitCode: number | undefined;
  /** What the program wrote to STDERR. */
  readonly words: string;
}

/** Where the volume is: images have no such folder, whose files an engine would copy into an empty volume. */
export const VOLUME_FOLDER = '/gantry-volume';

/** What root needs to act on the files of others. */
const CAPABILITIES: readonly string[] = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'MKNOD'];

/** An engine that removes a container by itself removes its anonymous volumes, too. */
const ANONYMOUS = /^[0-9a-f]{64}$/;

function toolContainer(
  image: string,
  volume: string,
  owner: string,
  [program = '', ...args]: readonly string[],
): CreateRequest {
  return {
    name: `gantry-temporary-${randomBytes(6).toString('hex')}`,
    body: {
      Image: image,
      Entrypoint: [program],
      Cmd: args,
      User: '0:0',
      WorkingDir: '/',
      Env: ['LC_ALL=C'],
      NetworkDisabled: true,
      Healthcheck: { Test: ['NONE'] },
      Labels: {
        [TEMPORARY_LABEL]: owner,
        [TEMPORARY_VOLUME_LABEL]: volume,
        [TEMPORARY_TOOL_LABEL]: program,
      },
      HostConfig: {
        ...mountOf(volume, VOLUME_FOLDER),
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        AutoRemove: !ANONYMOUS.test(volume),
        CapDrop: ['ALL'],
        CapAdd: CAPABILITIES,
        SecurityOpt: ['no-new-privileges'],
      },
    },
  };
}

/** Waits, attaches and starts, in this order: it may be over and removed at once. */
async function runToEnd(
  connection: Connection,
  id: string,
  signal: AbortSignal | undefined,
): Promise<ToolResult | undefined> {
  const { exit } = await waitForContainer(connection, id, 'next-exit', signal);
  const output = await attachContainer(connection, id, { wantsInput: false }, signal);
  const words = readWords(output);
  words.catch(() => undefined);
  try {
    await startContainer(connection, id, signal);
  } catch (error) {
    output.close();
    // The engines differ in how they say that an image has no such program.
    if (isRefusal(error)) return undefined;
    throw error;
  }
  const text = await words;
  const { exitCode } = await exit;
  return NOT_RUN.includes(exitCode) && text === '' ? undefined : { exitCode, words: text };
}

const NOT_RUN: readonly number[] = [126, 127];
const MOST_BYTES = 64 * 1024;

async function readWords({ output }: DuplexStream): Promise<string> {
  const frames = new OutputFrames();
  const store = new ByteStore();
  for await (const chunk of output)
    for (const { source, bytes } of frames.push(chunk))
      if (source === 'stderr' && store.size < MOST_BYTES) store.add(bytes);
  return store.drain().toString('utf8');
}
