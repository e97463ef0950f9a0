import { archiveContainer, wholePath, type ArchiveRoot } from '../archive/archive.ts';
import { PathKindError, type PathStat } from '../archive/pathStat.ts';
import { capabilitiesOf, type Capabilities } from '../capabilities/capabilities.ts';
import {
  containerMounts,
  type ContainerDetails,
  type MountDetails,
} from '../containers/containerDetails.ts';
import { inspectContainer } from '../containers/containers.ts';
import type { Connection } from '../http/connection.ts';
import { asRecord } from '../wire/wire.ts';
import type { ReadOnlyReason } from './fileErrors.ts';
import { statInside, type FileFacts } from './fileFacts.ts';
import { mountAt } from './mountAt.ts';
import { resolvePath } from './resolvePath.ts';

/**
 * Returns whether a file can be written, and how. Follows links as the container does.
 *
 * @param path absolute and normalized.
 * @throws EngineError `notFound` if the container or the folder of the path does not exist; PathKindError if it is not
 *   a file; NameEncodingError.
 */
export async function judgeWrite(
  connection: Connection,
  root: ArchiveRoot,
  path: string,
  options: JudgeOptions = {},
  signal?: AbortSignal,
): Promise<WriteJudgement> {
  const id = archiveContainer(root);
  const [details, found, info] = await Promise.all([
    inspectContainer(connection, id, signal),
    resolvePath(connection, root, path, signal),
    connection.info(signal),
  ]);
  const { stat } = found;
  if (stat && stat.kind !== 'file') throw new PathKindError(path, stat.kind);
  const can = capabilitiesOf(info);
  const whole = wholePath(root, found.path);
  // Targets of mounts can have links, too.
  const place = judgePlace(details, can, [whole, wholePath(root, path)]);
  const { isAlone, mount } = place;
  const known = { ...found, container: details, mount };
  const reason = (stat?.size ?? 0) > WRITE_LIMIT ? 'tooLarge' : place.reason;
  if (reason) return { ...known, facts: undefined, way: 'refused', reason };
  const isNeeded = isAlone || !can.keepsOwnersInArchives || options.links === undefined;
  // Some engines do not report broken links, and would replace them.
  const isSeen = stat !== undefined || !can.keepsOwnersInArchives;
  const isAsked = isSeen && details.state === 'running' && isNeeded;
  const facts = isAsked ? await statInside(connection, id, whole, signal) : undefined;
  if (!stat && facts?.isLink === true) throw new PathKindError(path, 'link');
  return { ...known, facts, ...wayOf({ isAlone, facts, stat, ...options }, can) };
}

/** Returns whether a container can be written to at a path, as far as its mounts decide. */
export function judgePlace(
  details: ContainerDetails,
  can: Capabilities,
  paths: readonly string[],
): PlaceJudgement {
  const mounts = containerMounts(details);
  const places = paths.map((path) => mountAt(path, mounts));
  const reason = places.map((one) => refusalOf(one, details, can)).find((one) => one !== undefined);
  const isAlone = places.some((one) => one?.target === paths[0]);
  return { reason, mount: places.find(isListed), isAlone };
}

interface PlaceJudgement extends Pick<WriteJudgement, 'mount'> {
  readonly reason: ReadOnlyReason | undefined;
  /** Whether the file is a mount by itself. */
  readonly isAlone: boolean;
}

/** Largest file that is written, in bytes. */
export const WRITE_LIMIT = 64 * 1024 * 1024;

/** How a path can be written. */
export interface WriteJudgement {
  /** Without links, relative to the root. */
  readonly path: string;
  /** What is there; undefined if nothing is. */
  readonly stat: PathStat | undefined;
  /** What a process in the container reports of it; undefined if none was asked or could be. */
  readonly facts: FileFacts | undefined;
  /** Replaced by an archive, or written by a process in the container, so that it stays the same file. */
  readonly way: 'archive' | 'inPlace' | 'refused';
  /** Why it is refused. */
  readonly reason?: ReadOnlyReason;
  /** What has it, if that is not the file system of the container. */
  readonly mount: MountDetails | undefined;
  readonly container: Pick<ContainerDetails, 'id' | 'name' | 'state'>;
}

export interface JudgeOptions {
  /** How many names the file has, if that is known: a process in the container is asked for it otherwise. */
  readonly links?: number | undefined;
}

interface Known extends Pick<WriteJudgement, 'facts' | 'stat'>, JudgeOptions {
  /** Whether the file is a mount by itself. */
  readonly isAlone: boolean;
}

function wayOf(
  { isAlone, facts, links = facts?.links ?? 1, stat }: Known,
  can: Capabilities,
): Pick<WriteJudgement, 'way' | 'reason'> {
  const canRun = facts !== undefined;
  if (isAlone) return canRun ? { way: 'inPlace' } : { way: 'refused', reason: 'fileMount' };
  if (facts?.isLink === true || (canRun && links > 1)) return { way: 'inPlace' };
  if (links > 1) return { way: 'refused', reason: 'hardLinks' };
  if (stat && !canRun && !can.keepsOwnersInArchives)
    return { way: 'refused', reason: 'ownerUnknown' };
  return { way: 'archive' };
}

type Place = ReturnType<typeof mountAt<MountDetails>>;

/** Whether a mount is one of the user, not one that the engine makes by itself. */
function isListed(mount: Place): mount is MountDetails {
  return mount !== undefined && 'source' in mount;
}

function refusalOf(
  mount: Place,
  { raw }: ContainerDetails,
  can: Capabilities,
): ReadOnlyReason | undefined {
  if (isListed(mount)) {
    if (mount.isReadOnly) return 'readOnlyMount';
    return mount.type === 'tmpfs' && !can.writesToTmpfs ? 'tmpfs' : undefined;
  }
  if (mount?.type === 'tmpfs') return 'kernel';
  return asRecord(asRecord(raw)['HostConfig'])['ReadonlyRootfs'] === true
    ? 'readOnlyRoot'
    : undefined;
}
