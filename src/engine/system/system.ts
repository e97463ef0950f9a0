import type { Connection } from '../http/connection.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { asHealth } from '../containers/readContainer.ts';
import { failedWith } from '../errors.ts';
import type { EngineEvent } from '../model.ts';
import { JsonRecords } from '../wire/jsonRecords.ts';
import { asId, asImageId, asLine, asList, asNumber, asRecord } from '../wire/wire.ts';

/**
 * The events that change what a list shows, and those about an exit, under Docker's and Podman's names. They are listed one by one because
 * a health check would otherwise send three more events each time it runs.
 */
const EVENT_NAMES: readonly string[] = [
  ...['create', 'start', 'restart', 'stop', 'die', 'pause', 'unpause', 'rename', 'update'],
  ...['destroy', 'health_status', 'commit', 'init', 'died', 'remove', 'cleanup', 'restore'],
  ...['prune', 'pull', 'tag', 'untag', 'delete', 'import', 'load', 'build', 'loadfromarchive'],
  ...['connect', 'disconnect'],
  // These change no list. They tell why a container ended.
  ...['oom', 'kill'],
];

/** The latest time that a `Date` can have. */
const LATEST_MS = 8.64e15;

const EVENT_TYPES: readonly string[] = ['container', 'image', 'volume', 'network'];

/**
 * Follows the engine's events of containers, images, volumes and networks: `GET /events`. Resolves when the engine has
 * responded. The iteration ends when the engine ends the stream, and throws EngineError `cut` if the connection breaks.
 *
 * @param options `since`: `seconds[.nanoseconds]` of the engine's clock, inclusive.
 */
export async function followEvents(
  connection: Connection,
  options: { readonly since?: string },
  signal: AbortSignal,
): Promise<AsyncIterable<EngineEvent>> {
  const filters = JSON.stringify({ type: EVENT_TYPES, event: EVENT_NAMES });
  const reply = await connection.stream({
    method: 'GET',
    path: '/events',
    query: { since: options.since, filters },
    signal,
    isVital: true,
  });
  return readEvents(connection, reply.body);
}

async function* readEvents(
  connection: Connection,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<EngineEvent> {
  const where = { endpoint: connection.endpoint.url, operation: 'GET /events' };
  const records = new JsonRecords(where);
  for await (const chunk of body) {
    for (const record of records.push(chunk)) {
      const event = readEvent(record);
      if (event) yield event;
    }
  }
}

/** Reads one record of the stream; undefined if it has no type or action. */
export function readEvent(record: unknown): EngineEvent | undefined {
  const wire = asRecord(record);
  const type = asLine(wire['Type']);
  // Three actions have additional text after a colon.
  const [action = '', words] = asLine(wire['Action']).split(':', 2);
  if (type === '' || action === '') return undefined;
  const actor = asRecord(wire['Actor']);
  const id = asLine(actor['ID']);
  // Docker reports the health after the action, Podman in a field of its own.
  const word = action === 'health_status' ? (wire['HealthStatus'] ?? words?.trim()) : undefined;
  const health = asHealth(word);
  const container = connectedContainer(type, action, actor);
  return {
    type,
    action,
    id,
    ...(health === undefined ? {} : { health }),
    ...(container === '' ? {} : { container }),
    ...readTime(wire),
    ...(type === 'container' ? readExit(action, asRecord(actor['Attributes'])) : {}),
  };
}

/** Only the nanoseconds tell events of the same second apart. */
function readTime(wire: Readonly<Record<string, unknown>>): Pick<EngineEvent, 'at'> {
  const nanoseconds = asNumber(wire['timeNano']) ?? 0;
  const seconds = asNumber(wire['time']) ?? 0;
  const at = nanoseconds > 0 ? Math.round(nanoseconds / 1000) / 1000 : seconds * 1000;
  return at > 0 && at <= LATEST_MS ? { at } : {};
}

/** Docker and Podman write numbers as texts, under different names. */
function readExit(
  action: string,
  attributes: Readonly<Record<string, unknown>>,
): Pick<EngineEvent, 'exitCode' | 'signal'> {
  if (action === 'kill') {
    const signal = asId(attributes['signal']);
    return signal === '' ? {} : { signal };
  }
  if (action !== 'die' && action !== 'died') return {};
  const code = asLine(attributes['exitCode'] ?? attributes['containerExitCode']);
  return /^-?\d{1,10}$/.test(code) ? { exitCode: Number(code) } : {};
}

/** Docker names the container among the attributes. For Podman it is the actor. */
function connectedContainer(
  type: string,
  action: string,
  { ID: id, Attributes: attributes }: Readonly<Record<string, unknown>>,
): string {
  if (type !== 'network' || (action !== 'connect' && action !== 'disconnect')) return '';
  return asId(asRecord(attributes)['container'] ?? id);
}

/**
 * Returns the engine's clock in whole seconds since 1970, from the `Date` header of `GET /_ping`; undefined if
 * there is none. The local clock can differ, especially from an engine in a virtual machine.
 */
export async function engineTime(
  connection: Connection,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const reply = await connection.send({ method: 'GET', path: '/_ping', signal });
  const milliseconds = Date.parse(reply.headers['date'] ?? '');
  return Number.isNaN(milliseconds) ? undefined : String(Math.floor(milliseconds / 1000));
}

/** Disk usage of images, as far as the engine reports it. */
export interface DiskUse {
  /** Size of all layers in bytes, each counted once; undefined if the engine does not know. */
  readonly layers: number | undefined;
  /** By image ID. */
  readonly images: ReadonlyMap<string, ImageUse>;
}

/** Disk usage of one image. */
interface ImageUse {
  /** Size in bytes, including shared layers. */
  readonly size: number;
  /** Size in bytes of the layers shared with other images; undefined if the engine does not know. */
  readonly shared: number | undefined;
}

/** Time limit in milliseconds. The engine walks all layers, which can take long. */
const LIMIT_MS = 120_000;
/** In bytes: the response repeats the lists of containers, images and volumes. */
const ANSWER_LIMIT = 64 * 1024 * 1024;

/**
 * Reads the disk usage of images: `GET /system/df`. Expensive on every engine, so call it only on demand by the user.
 */
export async function imageDiskUse(connection: Connection, signal?: AbortSignal): Promise<DiskUse> {
  return readDiskUse(await requestDiskUse(connection, 'image', signal));
}

/** Kind that an engine can be asked to measure alone. */
export type DiskUseType = 'container' | 'image' | 'volume' | 'build-cache';

/**
 * Requests `GET /system/df`, once more if the engine fails. Some engines ignore the type and compute everything.
 *
 * @param type everything if undefined.
 */
export async function requestDiskUse(
  connection: Connection,
  type: DiskUseType | undefined,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const request: EngineRequest = {
    method: 'GET',
    path: '/system/df',
    query: { type, verbose: true },
    limitMs: LIMIT_MS,
    answerLimit: ANSWER_LIMIT,
    signal,
  };
  const reply = await connection.send(request).catch((error: unknown) => {
    // The containerd image store fails if a snapshot is removed while it is measured, and the status is not specific.
    if (failedWith(error, 'notFound', 'failed')) return connection.send(request);
    throw error;
  });
  return reply.json();
}

/**
 * Returns the sizes of volumes in bytes, by name: `GET /system/df`. A volume is missing if the engine does not know
 * its size. The engine walks all files of every volume, so call it only on demand by the user.
 */
export async function listVolumeSizes(
  connection: Connection,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  return readVolumeSizes(await requestDiskUse(connection, 'volume', signal));
}

/** Reads the sizes of volumes, in the format of old or new API versions. */
export function readVolumeSizes(value: unknown): ReadonlyMap<string, number> {
  const wire = asRecord(value);
  const usage = asRecord(wire['VolumesUsage'] ?? wire['VolumeUsage']);
  const list = asList(wire['Volumes'] ?? usage['Items']).map(asRecord);
  const sizes = list.flatMap((one): (readonly [string, number])[] => {
    const name = asLine(one['Name']);
    // Docker reports -1 if the driver does not report a size.
    const size = asNumber(asRecord(one['UsageData'])['Size']) ?? -1;
    return name === '' || size < 0 ? [] : [[name, size]];
  });
  return new Map(sizes);
}

/** Reads the response, in the format of old or new API versions. */
export function readDiskUse(value: unknown): DiskUse {
  const wire = asRecord(value);
  const usage = asRecord(wire['ImagesUsage'] ?? wire['ImageUsage']);
  const layers = asNumber(wire['LayersSize']) ?? asNumber(usage['TotalSize']) ?? 0;
  // Podman reports 0 for a size that it does not count, and then no shared sizes.
  const isCounted = layers > 0;
  const list = asList(wire['Images'] ?? usage['Items']).map(asRecord);
  const images = list.flatMap((one): (readonly [string, ImageUse])[] => {
    const id = asImageId(one['Id']);
    const shared = asNumber(one['SharedSize']) ?? -1;
    const size = asNumber(one['Size']) ?? 0;
    return id === '' ? [] : [[id, { size, shared: isCounted && shared >= 0 ? shared : undefined }]];
  });
  return { layers: isCounted ? layers : undefined, images: new Map(images) };
}
