import { randomBytes } from 'node:crypto';
import { VolumeExistsError } from './volumeErrors.ts';
import { quotable } from '../../base/plainText.ts';
import { InputError, isLost, unlessNotFound } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { badAnswer } from '../http/readReply.ts';
import { checkLabels } from '../options/optionChecks.ts';
import { inspectVolume, readVolume } from './volumes.ts';
import type { Volume } from '../model.ts';

/**
 * Creates a volume: `POST /volumes/create`. Engines answer 201 also if there is one of this name and then ignore
 * all options, so the name is looked up first, and the volume in the response is compared with the request.
 *
 * If the answer is lost, the volume is looked up. That another client did not create a volume with the same labels and
 * options at the same moment is not known: what removes or fills the volume needs `createOwnVolume`.
 *
 * @throws InputError if a field is invalid, before any request; EngineError.
 */
export async function createVolume(
  connection: Connection,
  request: CreateVolumeRequest,
  signal?: AbortSignal,
): Promise<{ readonly volume: Volume; readonly outcome: 'created' | 'alreadyThere' }> {
  const { name } = checkVolume(request);
  const known = name === undefined ? undefined : await findVolume(connection, name, signal);
  if (known) return { volume: known, outcome: 'alreadyThere' };
  const volume = await post(connection, request, signal).catch(async (error: unknown) => {
    const isUnknown = isLost(error) && name !== undefined && signal?.aborted !== true;
    const found = isUnknown ? await findVolume(connection, name).catch(() => undefined) : undefined;
    if (!found) throw error;
    return found;
  });
  const isOurs = name === undefined || isAsRequested(volume, request);
  return { volume, outcome: isOurs ? 'created' : 'alreadyThere' };
}

/**
 * Creates a volume that is proven to be ours: its label {@link CREATION_LABEL} has a random value of this request. The
 * labels of a volume never change, so only such a volume may be removed if it cannot be filled.
 *
 * @throws VolumeExistsError if there is a volume of this name, also if another client created it in the meantime or
 *   the answer was lost; InputError; EngineError.
 */
export async function createOwnVolume(
  connection: Connection,
  { name, labels }: Pick<CreateVolumeRequest, 'labels'> & { readonly name: string },
): Promise<Volume> {
  const request = { name, labels: { ...labels, [CREATION_LABEL]: newCreation() } };
  // Without a signal: after an abort, it would not be known whether the volume is there.
  const { volume, outcome } = await createVolume(connection, request);
  if (outcome === 'alreadyThere') throw new VolumeExistsError(name);
  return volume;
}

/** The label of a volume that a clone or an import created. It is not copied. */
export const CREATION_LABEL = 'io.gantry.creation';

/** Returns a value for {@link CREATION_LABEL}. */
export function newCreation(): string {
  return randomBytes(16).toString('hex');
}

/** The volume to create. Without a name, the engine invents one, and the volume is anonymous. */
export interface CreateVolumeRequest {
  readonly name?: string;
  /** `local` by default. */
  readonly driver?: string;
  /** The options of the driver. */
  readonly options?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Docker waits 15 s for a plugin that does not exist. */
const LIMIT_MS = 120_000;

async function post(
  connection: Connection,
  { name, driver, options, labels }: CreateVolumeRequest,
  signal: AbortSignal | undefined,
): Promise<Volume> {
  const reply = await connection.send({
    method: 'POST',
    path: '/volumes/create',
    body: { Name: name, Driver: driver, DriverOpts: options, Labels: labels },
    limitMs: LIMIT_MS,
    signal,
  });
  const made = readVolume(reply.json());
  if (!made) throw badAnswer(connection, 'POST /volumes/create');
  return made;
}

/** Returns a volume, or undefined if there is none of this name. @throws EngineError. */
export function findVolume(
  connection: Connection,
  name: string,
  signal?: AbortSignal,
): Promise<Volume | undefined> {
  return unlessNotFound(inspectVolume(connection, name, signal));
}

/** Returns the request unchanged. @throws InputError that names the invalid field. */
function checkVolume(request: CreateVolumeRequest): CreateVolumeRequest {
  const { name, driver, options = {}, labels = {} } = request;
  if (name !== undefined) checkVolumeName(name);
  if (driver !== undefined) checkVolumeDriver(driver);
  if (Object.keys(options).some((key) => !/^[^\s=\0]+$/.test(key)))
    throw InputError.of('A driver option needs a name without spaces.');
  checkLabels(labels);
  return request;
}

/** Accepts a name that all engines accept. */
export function checkVolumeName(name: string): string {
  if (/^[a-zA-Z0-9][a-zA-Z0-9_.-]{1,254}$/.test(name)) return name;
  throw InputError.of(
    '"{0}" is not a valid volume name. Use 2 to 255 letters, digits, _, ., or -.',
    quotable(name),
  );
}

/** Accepts the name of a volume driver: `local` or that of a plugin. */
export function checkVolumeDriver(driver: string): string {
  if (/^[a-zA-Z0-9][\w.:/@-]{0,254}$/.test(driver)) return driver;
  throw InputError.of(
    '"{0}" is not a volume driver. Use local or the name of a plugin.',
    quotable(driver),
  );
}

/** Whether a volume has what was requested. Podman adds options of its own, and some drivers change values. */
function isAsRequested(made: Volume, { driver = 'local', options, labels }: CreateVolumeRequest) {
  const has = (all: Volume['labels'], wanted: Volume['labels'] = {}): boolean =>
    Object.keys(wanted).every((key) => Object.hasOwn(all, key));
  const isSame = (all: Volume['labels'], wanted: Volume['labels'] = {}): boolean =>
    Object.entries(wanted).every(([key, value]) => all[key] === value);
  return made.driver === driver && has(made.options, options) && isSame(made.labels, labels);
}
