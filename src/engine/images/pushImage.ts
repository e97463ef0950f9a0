import type { Connection } from '../http/connection.ts';
import { ANONYMOUS, authHeaders } from '../wire/registryAuth.ts';
import { InputError } from '../errors.ts';
import { hideSecrets } from '../wire/hideSecrets.ts';
import type { EngineRequest } from '../http/engineRequest.ts';
import { imagePath } from './images.ts';
import type { PullRequest, PullResult } from './pullImage.ts';
import type { PullStep } from '../model.ts';
import {
  describeReferenceProblem,
  parseReference,
  requireValid,
  type Reference,
} from '../options/reference.ts';
import { followTransfer, readPullStep } from '../registries/followTransfer.ts';
import { asRecord, asText } from '../wire/wire.ts';

/**
 * Pushes an image. `onStep` is called for every progress record; aborting `signal` ends the request, and with it
 * the upload.
 *
 * @throws InputError for a name that cannot be pushed; EngineError `failed` (or the reason for the record's code)
 * with the engine's message for a failure reported inside the stream, `cut` for a stream that ended early.
 */
export async function pushImage(
  connection: Connection,
  request: PushRequest,
  onStep: (step: PullStep) => void,
  signal?: AbortSignal,
): Promise<PushResult> {
  const { familiar, tag } = pushTarget(request.reference);
  const path = imagePath(familiar, 'push');
  const hide = hideSecrets(request.auth);
  const headers = authHeaders(request.auth ?? ANONYMOUS);
  const wire: EngineRequest = { method: 'POST', path, query: { tag }, headers, signal };
  let digest: string | undefined;
  await followTransfer(connection, wire, (record) => {
    const step = readPullStep(record);
    digest = digestIn(record, step) ?? digest;
    if (step) onStep({ ...step, status: hide(step.status) });
  });
  return digest === undefined ? {} : { digest };
}

/** The image to push. Without a tag, `latest` is pushed, because an engine pushes all tags if none is given. */
export type PushRequest = Omit<PullRequest, 'platform'>;

/** The pushed image in the registry. */
export type PushResult = Pick<PullResult, 'digest'>;

const DIGEST = /\bdigest: (sha256:[0-9a-f]{64})\b/;

/**
 * Returns the name that a push sends, with its tag.
 *
 * @throws InputError for an invalid name, for a digest, and for a name without a registry of the user's, which
 * has to be tagged with one first.
 */
export function pushTarget(text: string): Reference {
  const { digest, ...reference } = requireValid(parseReference(text));
  if (digest !== undefined) {
    const part = { kind: 'digestNotAllowed', part: digest } as const;
    throw new InputError(describeReferenceProblem(part));
  }
  if (!hasOwnRegistry(reference)) {
    throw InputError.of(
      '"{0}" has no registry to push to. Tag the image with a registry first, for example registry.example.org/app:1.',
      text,
    );
  }
  return { ...reference, tag: reference.tag ?? 'latest' };
}

/** Whether a name has a registry to push to. Official images and Podman's `localhost` cannot be pushed to. */
export function hasOwnRegistry({ registry, repository }: Reference): boolean {
  if (registry === 'localhost') return false;
  return registry !== 'docker.io' || !repository.startsWith('library/');
}

/** Reads the digest of the pushed manifest. Docker reports it twice (`aux` and a status), Podman once. */
function digestIn(record: unknown, step: PullStep | undefined): string | undefined {
  const digest = asText(asRecord(asRecord(record)['aux'])['Digest']);
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  return step?.id === undefined ? DIGEST.exec(step?.status ?? '')?.[1] : undefined;
}
