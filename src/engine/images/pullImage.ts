import { capabilitiesOf } from '../capabilities/capabilities.ts';
import type { Connection } from '../http/connection.ts';
import { checkPlatform } from '../options/optionChecks.ts';
import { authHeaders, type RegistryAuth } from '../wire/registryAuth.ts';
import { inspectInRegistry } from '../registries/registryImage.ts';
import { EngineError } from '../errors.ts';
import { hideSecrets } from '../wire/hideSecrets.ts';
import { hasPlatform, inspectImage, type ImageDetails, hasContainerdStore } from './images.ts';
import type { PullStep } from '../model.ts';
import { isSamePlatform } from '../options/isSamePlatform.ts';
import { digestsIn, parseReference, requireValid, type Reference } from '../options/reference.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { followTransfer, readPullStep } from '../registries/followTransfer.ts';
import { sentence } from '../../base/sentence.ts';

/**
 * Pulls an image and returns its ID. `onStep` is called for every progress record; aborting `signal` ends the
 * request, and with it the download.
 *
 * @throws InputError for an invalid reference or platform; EngineError `failed` (or the reason for the record's
 * code) with the engine's message for a failure reported inside the stream, `cut` for a stream that ended early,
 * `failed` for an image of another platform than the requested one.
 */
export async function pullImage(
  connection: Connection,
  request: PullRequest,
  onStep: (step: PullStep) => void,
  signal?: AbortSignal,
): Promise<PullResult> {
  const reference = pullTarget(request.reference);
  if (request.platform !== undefined) checkPlatform(request.platform);
  const statuses: string[] = [];
  const hide = hideSecrets(request.auth);
  const wire: EngineRequest = {
    method: 'POST',
    path: '/images/create',
    query: {
      fromImage: reference.familiar,
      tag: reference.digest ?? reference.tag,
      platform: request.platform,
    },
    headers: authHeaders(request.auth),
    signal,
  };
  await followTransfer(connection, wire, (record) => {
    const read = readPullStep(record);
    if (!read) return;
    const step = { ...read, status: hide(read.status) };
    // Statuses of the image, not of a layer: digest, warnings, outcome.
    if (step.id === undefined && statuses.length < STATUSES) statuses.push(step.status);
    onStep(step);
  });
  const name = nameOf(reference);
  const image = await inspectImage(connection, name, signal);
  const warning = statuses.find((status) => status.startsWith('WARNING:'));
  const other = await otherThanAsked(connection, { name, image, warning }, request, signal);
  if (other) throw otherPlatform(other, request, warning, connection);
  const digest = reportedDigest(statuses) ?? reference.digest ?? keptDigest(image, reference);
  return { imageId: image.id, ...(digest !== undefined && { digest }) };
}

export interface PullRequest {
  /** Without a tag or digest, `latest` is pulled. */
  readonly reference: string;
  /** `os[/arch[/variant]]`. */
  readonly platform?: string;
  readonly auth?: RegistryAuth;
}

export interface PullResult {
  /** `sha256:` and 64 hexadecimal digits, on every engine. */
  readonly imageId: string;
  /** Digest of the manifest in the registry, if the engine reports it. */
  readonly digest?: string;
}

const OPERATION = 'POST /images/create';
/** Limit on the statuses kept per pull, against a malicious engine. A pull sends a handful. */
const STATUSES = 1000;

/**
 * Returns the image that a pull fetches. Adds the tag `latest` if there is neither tag nor digest, because
 * engines pull all tags of a repository if the tag is missing.
 */
export function pullTarget(text: string): Reference {
  const reference = requireValid(parseReference(text));
  const { tag, digest } = reference;
  return (tag ?? digest) ? reference : { ...reference, tag: 'latest' };
}

function nameOf(reference: Reference): string {
  const { familiar, tag, digest } = reference;
  return digest === undefined ? `${familiar}:${tag ?? 'latest'}` : `${familiar}@${digest}`;
}

function reportedDigest(statuses: readonly string[]): string | undefined {
  return statuses
    .map((status) => /^Digest: (sha256:[0-9a-f]{64})$/.exec(status)?.[1])
    .find(Boolean);
}

/**
 * Returns the digest in the image's own list for this repository. The list can also have digests of other
 * repositories that the image was pulled from.
 */
function keptDigest(image: ImageDetails, reference: Reference): string | undefined {
  // Podman lists all digests under every name. If there are several, the one of this registry is unknown.
  const [digest, ...others] = new Set(digestsIn(image.digests, reference));
  return others.length === 0 ? digest : undefined;
}

/**
 * Returns the platform of the pulled image if it is not the requested one. An engine may pull another platform
 * instead, and report success.
 */
async function otherThanAsked(
  connection: Connection,
  arrived: { readonly name: string; readonly image: ImageDetails; readonly warning?: string },
  { platform, auth }: PullRequest,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { name, image, warning } = arrived;
  if (platform === undefined) return undefined;
  const info = await connection.info(signal);
  const { inspectsByPlatform, asksRegistries } = capabilitiesOf(info);
  if (image.platform === '') {
    // The containerd image store reports no platform for an image whose layers were unpacked from another image.
    const known = asksRegistries ? await platformsInRegistry(connection, name, auth, signal) : [];
    const isFor = known.some((one) => isSamePlatform(platform, one));
    return known.length === 0 || isFor ? undefined : known.join(', ');
  }
  if (isSamePlatform(platform, image.platform)) return undefined;
  if (warning !== undefined) return image.platform;
  // Where one name can have several platforms, the engine reports only its own.
  const isThere = inspectsByPlatform
    ? await hasPlatform(connection, name, platform, signal)
    : await hasContainerdStore(connection, signal);
  return isThere ? undefined : image.platform;
}

/** Returns the platforms in the registry; empty if the registry does not report them. */
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
): EngineError {
  const message = sentence(
    '"{0}" is not available for {1}, only for {2}.',
    reference,
    platform ?? '',
    other,
  );
  return new EngineError('failed', {
    operation: OPERATION,
    endpoint: connection.endpoint.url,
    engineMessage: warning ?? message,
  });
}
