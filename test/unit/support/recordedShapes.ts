import { compareApi } from '../../../src/engine/capabilities/version.ts';
import type { Recording } from './recordings.ts';

/** What the shape of a response depends on: the engine and the requested version. */
export interface Dialect {
  readonly recording: Recording;
  readonly asked: string;
}

/** A simulated container. */
export interface PlayedContainer {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly imageId: string;
  state: 'created' | 'running' | 'exited';
  exitCode: number;
}

/** A simulated image. `hex` is its ID without the algorithm. */
export interface PlayedImage {
  readonly hex: string;
  /** The full form `docker.io/library/x:1`; undefined if untagged. */
  readonly tag?: string;
  /** The creation time in seconds. Undefined if the engine does not know it, as recorded. */
  readonly created?: number;
}

type Wire = Record<string, unknown>;

const YEAR_ONE = '0001-01-01T00:00:00Z';
const STARTED = '2026-08-01T10:00:00.000000001Z';
const ENDED = '2026-08-01T10:00:05.000000001Z';
const DIGEST = `sha256:${'d1'.repeat(32)}`;

function isAtLeast({ asked }: Dialect, version: string): boolean {
  return compareApi(asked, version) >= 0;
}

function isPodman({ recording }: Dialect): boolean {
  return recording.product === 'podman';
}

/** Returns an image name as this engine reports it. */
export function nameFor(dialect: Dialect, reference: string): string {
  return isPodman(dialect) ? reference : reference.replace(/^docker\.io\/(?:library\/)?/, '');
}

function idFor(dialect: Dialect, hex: string): string {
  return isPodman(dialect) ? hex : `sha256:${hex}`;
}

/** Returns an element of the container list. */
export function listedContainer(dialect: Dialect, one: PlayedContainer): Wire {
  const status = {
    created: 'Created',
    running: 'Up 5 seconds',
    exited: `Exited (${one.exitCode}) 2 seconds ago`,
  }[one.state];
  return {
    Id: one.id,
    Names: [`/${one.name}`],
    Image: nameFor(dialect, one.image),
    ImageID: isPodman(dialect) ? one.imageId : `sha256:${one.imageId}`,
    Command: 'sleep 600',
    Created: 1_785_578_400,
    Ports: isPodman(dialect) ? null : [],
    Labels: isPodman(dialect) ? null : {},
    State: one.state,
    Status: status,
    Mounts: [],
    ...listedNetworks(dialect, one),
    ...(!isPodman(dialect) &&
      isAtLeast(dialect, '1.52') && { Health: { Status: 'none', FailingStreak: 0 } }),
  };
}

function listedNetworks(dialect: Dialect, one: PlayedContainer): Wire {
  if (isPodman(dialect)) return { NetworkSettings: { Networks: null }, Name: '', Config: null };
  const { store } = dialect.recording;
  return {
    HostConfig: { NetworkMode: 'bridge' },
    NetworkSettings: { Networks: {} },
    ...(store === 'containerd' &&
      isAtLeast(dialect, '1.48') && {
        ImageManifestDescriptor: { digest: `sha256:${one.imageId}`, size: 1 },
      }),
  };
}

/** Returns the inspect response of a container. Empty fields may be missing, `null`, or empty. */
export function inspectedContainer(dialect: Dialect, one: PlayedContainer): Wire {
  const isRunning = one.state === 'running';
  const config: Wire = { Image: nameFor(dialect, one.image), Cmd: ['sleep', '600'] };
  const isLean = isAtLeast(dialect, '1.52') && !isPodman(dialect);
  return {
    Id: one.id,
    Name: isPodman(dialect) ? one.name : `/${one.name}`,
    Created: STARTED,
    Image: isPodman(dialect) ? one.imageId : `sha256:${one.imageId}`,
    State: {
      Status: one.state,
      Running: isRunning,
      Paused: false,
      Restarting: false,
      ExitCode: one.exitCode,
      Error: '',
      StartedAt: one.state === 'created' ? YEAR_ONE : STARTED,
      FinishedAt: one.state === 'exited' ? ENDED : YEAR_ONE,
      ...(isPodman(dialect) && { Health: { Status: '', FailingStreak: 0, Log: null } }),
    },
    Config: isLean ? config : { ...config, Labels: null, Tty: false, Env: null, Volumes: null },
  };
}

/** Returns an element of the image list. */
export function listedImage(dialect: Dialect, one: PlayedImage, containers: number): Wire {
  const { store } = dialect.recording;
  const isOld = !isAtLeast(dialect, '1.43');
  const none = (text: string): readonly string[] => (isOld ? [text] : []);
  const isCounted = isAtLeast(dialect, '1.51') || isPodman(dialect);
  return {
    Id: idFor(dialect, one.hex),
    ParentId: '',
    RepoTags: one.tag ? [nameFor(dialect, one.tag)] : none('<none>:<none>'),
    RepoDigests: one.tag ? [digestOf(dialect, one.tag)] : none('<none>@<none>'),
    Created: one.created ?? (isAtLeast(dialect, '1.44') ? 0 : -62_135_596_800),
    Size: store === 'containerd' ? 2048 : 1024,
    SharedSize: isPodman(dialect) ? 0 : -1,
    Containers: isCounted ? containers : -1,
    Labels: null,
    ...(isAtLeast(dialect, '1.44') ? {} : { VirtualSize: 1024 }),
    ...(store === 'containerd' &&
      isAtLeast(dialect, '1.48') && { Descriptor: { digest: `sha256:${one.hex}`, size: 9 } }),
  };
}

function digestOf(dialect: Dialect, tag: string): string {
  return `${nameFor(dialect, tag).replace(/:[^:/]*$/, '')}@${DIGEST}`;
}

/** Returns the inspect response of an image. */
export function inspectedImage(dialect: Dialect, one: PlayedImage): Wire {
  const { store } = dialect.recording;
  const isLean = isAtLeast(dialect, '1.50') && !isPodman(dialect);
  return {
    Id: store === 'podman' ? `sha256:${one.hex}` : idFor(dialect, one.hex),
    RepoTags: one.tag ? [nameFor(dialect, one.tag)] : [],
    RepoDigests: one.tag ? [digestOf(dialect, one.tag)] : [],
    ...(isLean ? {} : { Parent: '', Comment: '', DockerVersion: '', Author: '' }),
    ...(isAtLeast(dialect, '1.45') ? {} : { Container: '', ContainerConfig: null }),
    ...(one.created !== undefined && { Created: '2026-08-01T10:00:00Z' }),
    Architecture: 'amd64',
    Os: 'linux',
    Size: 1024,
    Config: isLean ? {} : { Cmd: null, Env: null, Labels: null },
    ...(store === 'graph' && { GraphDriver: { Name: 'overlay2', Data: null } }),
  };
}

/** Returns an event. Older versions have three more fields, which are not used. */
export function eventRecord(dialect: Dialect, type: string, action: string, id: string): Wire {
  const legacy = !isPodman(dialect) && !isAtLeast(dialect, '1.52');
  return {
    ...(legacy && { status: action, id, from: 'x' }),
    Type: type,
    Action: action,
    Actor: { ID: id, Attributes: { name: 'x', ...(action === 'die' && { exitCode: '137' }) } },
    scope: 'local',
    time: 1_785_578_400,
    timeNano: Number('1785578400123456789'),
  };
}

/** Returns the records of a successful pull, each with its line end. */
export function pullRecords(dialect: Dialect, tag: string, image: PlayedImage): readonly string[] {
  const line = (record: Wire): string =>
    JSON.stringify(record) + (isPodman(dialect) ? '\n' : '\r\n');
  const layer = 'abcdef012345';
  const downloading = {
    status: 'Downloading',
    progressDetail: { current: 5, total: 9 },
    id: layer,
  };
  if (isPodman(dialect)) {
    return [
      { status: 'Pulling fs layer', progressDetail: {}, id: layer },
      { status: 'Download complete', progressDetail: {}, id: layer },
      { status: 'Download complete', progressDetail: {}, id: image.hex.slice(0, 12) },
    ].map(line);
  }
  // The containerd store repeats records; the classic store reports each layer as complete.
  const middle =
    dialect.recording.store === 'containerd'
      ? [downloading, downloading, { status: 'Download complete', progressDetail: {}, id: layer }]
      : [downloading, { status: 'Pull complete', progressDetail: {}, id: layer }];
  return [
    { status: `Pulling from ${nameFor(dialect, tag)}`, id: 'latest' },
    { status: 'Pulling fs layer', progressDetail: {}, id: layer },
    ...middle,
    { status: `Digest: ${DIGEST}` },
    { status: `Status: Downloaded newer image for ${nameFor(dialect, tag)}` },
  ].map(line);
}

/** Returns an error response of this engine. */
export function refusalRecord(dialect: Dialect, status: number, words: string): Wire {
  if (isPodman(dialect)) return { cause: words, message: words, response: status };
  return { message: `${words}\n` };
}

/** The digest in every recorded registry. */
export const RECORDED_DIGEST = DIGEST;
