/** Fetching an image from its registry: `POST /images/create`, followed record by record. */

import type { L10n } from '../../l10n.ts';
import { capabilitiesOf } from '../capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { checkPlatform } from '../options/optionChecks.ts';
import { encodeRegistryAuth, type RegistryAuth } from '../registries/registryAuth.ts';
import { inspectInRegistry } from '../registries/registryImage.ts';
import { EngineError, InputError } from '../errors.ts';
import { hideSecrets } from '../http/hideSecrets.ts';
import { hasPlatform, inspectImage, type ImageDetails } from './images.ts';
import type { PullStep } from '../model.ts';
import { isSamePlatform } from '../isSamePlatform.ts';
import { describeReferenceProblem, parseReference, type Reference } from '../options/reference.ts';
import { hasContainerdStore } from '../system/system.ts';
import { followTransfer, readPullStep } from '../registries/followTransfer.ts';

/**
 * Fetches an image and says which it is. `onStep` hears of every record as it comes; aborting `signal` ends the
 * request, and with it the download.
 *
 * @throws InputError for a reference or platform that is none; EngineError `failed` (or the reason that the
 * record's code stands for) with the engine's words for a failure told inside the stream, `cut` for a stream
 * that ended early, `failed` for an image of another platform than the one asked for.
 */
export async function pullImage(
  connection: Connection,
  request: PullRequest,
  l10n: L10n,
  onStep: (step: PullStep) => void,
  signal?: AbortSignal,
): Promise<PullResult> {
  const reference = pullTarget(request.reference, l10n);
  if (request.platform !== undefined) checkPlatform(request.platform, l10n);
  const statuses: string[] = [];
  const hide = hideSecrets(request.auth);
  await followPull(connection, request, reference, signal, (said) => {
    const step = { ...said, status: hide(said.status) };
    // Those of the image and not of a layer: its digest, its warnings, its outcome.
    if (step.id === undefined && statuses.length < STATUSES) statuses.push(step.status);
    onStep(step);
  });
  const name = nameOf(reference);
  const image = await inspectImage(connection, name, signal);
  const warning = statuses.find((status) => status.startsWith('WARNING:'));
  const other = await otherThanAsked(connection, { name, image, warning }, request, signal);
  if (other) throw otherPlatform(other, request, warning, connection, l10n);
  const digest = digestSaid(statuses) ?? reference.digest ?? digestKept(image, reference);
  return { imageId: image.id, ...(digest !== undefined && { digest }) };
}

/** What to fetch. */
export interface PullRequest {
  /** Without a tag and a digest it is `latest`. */
  readonly reference: string;
  /** `os[/arch[/variant]]`. */
  readonly platform?: string;
  readonly auth?: RegistryAuth;
}

/** What has arrived. */
export interface PullResult {
  /** `sha256:` and 64 hexadecimal digits, on every engine. */
  readonly imageId: string;
  /** Of the manifest in the registry, where the engine tells. */
  readonly digest?: string;
}

const OPERATION = 'POST /images/create';
/** So many sentences about the image itself are kept: there are a handful, unless somebody means harm. */
const STATUSES = 1000;

/** Which image a pull fetches: never all tags of a repository, for which an engine takes a missing tag. */
export function pullTarget(text: string, l10n: L10n): Reference {
  const reference = parseReference(text);
  if (!reference.ok) throw new InputError(describeReferenceProblem(reference.problem, l10n));
  const { tag, digest } = reference.value;
  return (tag ?? digest) ? reference.value : { ...reference.value, tag: 'latest' };
}

async function followPull(
  connection: Connection,
  request: PullRequest,
  reference: Reference,
  signal: AbortSignal | undefined,
  onStep: (step: PullStep) => void,
): Promise<void> {
  await followTransfer(
    connection,
    {
      method: 'POST',
      path: '/images/create',
      query: {
        fromImage: reference.familiar,
        tag: reference.digest ?? reference.tag,
        platform: request.platform,
      },
      headers: request.auth ? { 'X-Registry-Auth': encodeRegistryAuth(request.auth) } : {},
      signal,
    },
    (record) => {
      const step = readPullStep(record, {
        endpoint: connection.endpoint.url,
        operation: OPERATION,
      });
      if (step) onStep(step);
    },
  );
}

function nameOf(reference: Reference): string {
  const { familiar, tag, digest } = reference;
  return digest === undefined ? `${familiar}:${tag ?? 'latest'}` : `${familiar}@${digest}`;
}

function digestSaid(statuses: readonly string[]): string | undefined {
  return statuses
    .map((status) => /^Digest: (sha256:[0-9a-f]{64})$/.exec(status)?.[1])
    .find(Boolean);
}

/** From the image's own list, of this repository and no other: a pull from elsewhere has left its own there. */
function digestKept(image: ImageDetails, reference: Reference): string | undefined {
  const ours = image.digests
    .map((text) => parseReference(text))
    .flatMap((digest) => (digest.ok ? [digest.value] : []))
    .filter(({ registry, repository }) => {
      return registry === reference.registry && repository === reference.repository;
    });
  // Podman gives every name of an image all its digests: of several, nobody knows which this registry has.
  const digests = new Set(ours.map(({ digest }) => digest));
  return digests.size === 1 ? ours[0]?.digest : undefined;
}

/**
 * What the image is for, if not for the platform that was asked for: an engine may fetch what there is instead, and
 * call that a success.
 */
async function otherThanAsked(
  connection: Connection,
  arrived: {
    readonly name: string;
    readonly image: ImageDetails;
    readonly warning: string | undefined;
  },
  { platform, auth }: PullRequest,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { name, image, warning } = arrived;
  if (platform === undefined) return undefined;
  const info = await connection.info(signal);
  const { inspectsByPlatform, asksRegistries } = capabilitiesOf(info);
  if (image.platform === '') {
    // Containerd's store knows nothing of an image whose layers were unpacked from another one.
    const known = asksRegistries ? await platformsInRegistry(connection, name, auth, signal) : [];
    const isFor = known.some((one) => isSamePlatform(platform, one));
    return known.length === 0 || isFor ? undefined : known.join(', ');
  }
  if (isSamePlatform(platform, image.platform)) return undefined;
  if (warning !== undefined) return image.platform;
  // Where one name stands for several platforms, the engine tells only of its own.
  const isThere = inspectsByPlatform
    ? await hasPlatform(connection, name, platform, signal)
    : await hasContainerdStore(connection, signal);
  return isThere ? undefined : image.platform;
}

/** None if the registry does not say. */
async function platformsInRegistry(
  connection: Connection,
  name: string,
  auth: RegistryAuth | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  try {
    return (await inspectInRegistry(connection, name, auth, signal)).platforms;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return [];
  }
}

function otherPlatform(
  other: string,
  { platform, reference }: PullRequest,
  warning: string | undefined,
  connection: Connection,
  l10n: L10n,
): EngineError {
  const sentence = l10n.t(
    '"{0}" is not available for {1}, only for {2}.',
    reference,
    platform ?? '',
    other,
  );
  return new EngineError('failed', {
    operation: OPERATION,
    endpoint: connection.endpoint.url,
    engineMessage: warning ?? sentence,
  });
}
