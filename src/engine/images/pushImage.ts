/** Sending an image to its registry: `POST /images/{name}/push`, followed record by record. */

import type { L10n } from '../../l10n.ts';
import type { Connection } from '../http/connection.ts';
import { ANONYMOUS, encodeRegistryAuth, type RegistryAuth } from '../registries/registryAuth.ts';
import { InputError } from '../errors.ts';
import { hideSecrets } from '../http/hideSecrets.ts';
import { imagePath } from './images.ts';
import type { PullStep } from '../model.ts';
import { describeReferenceProblem, parseReference, type Reference } from '../options/reference.ts';
import { followTransfer, readPullStep } from '../registries/followTransfer.ts';
import { asRecord, asText } from '../wire.ts';

/**
 * Sends an image. `onStep` hears of every record as it comes; aborting `signal` ends the request, and with it the
 * upload.
 *
 * @throws InputError for a name that cannot be pushed; EngineError `failed` (or the reason that the record's code
 * stands for) with the engine's words for a failure told inside the stream, `cut` for a stream that ended early.
 */
export async function pushImage(
  connection: Connection,
  request: PushRequest,
  l10n: L10n,
  onStep: (step: PullStep) => void,
  signal?: AbortSignal,
): Promise<PushResult> {
  const { familiar, tag } = pushTarget(request.reference, l10n);
  const path = imagePath(familiar, 'push');
  const where = { endpoint: connection.endpoint.url, operation: `POST ${path}` };
  const hide = hideSecrets(request.auth);
  let digest: string | undefined;
  await followTransfer(
    connection,
    {
      ...{ method: 'POST', path, query: { tag }, signal },
      headers: { 'X-Registry-Auth': encodeRegistryAuth(request.auth ?? ANONYMOUS) },
    },
    (record) => {
      const step = readPullStep(record, where);
      digest = digestIn(record, step) ?? digest;
      if (step) onStep({ ...step, status: hide(step.status) });
    },
  );
  return digest === undefined ? {} : { digest };
}

/** What to send. */
export interface PushRequest {
  /** Without a tag it is `latest`: an engine that is told none sends all there are. */
  readonly reference: string;
  readonly auth?: RegistryAuth;
}

/** What the registry has now. */
export interface PushResult {
  /** Of the manifest in the registry, where the engine tells. */
  readonly digest?: string;
}

const DIGEST = /\bdigest: (sha256:[0-9a-f]{64})\b/;

/**
 * Which name a push sends, with its tag.
 *
 * @throws InputError for a text that is none, for a digest, and for a name that belongs to no registry of the
 * person's: it has to be tagged with one first.
 */
export function pushTarget(text: string, l10n: L10n): Reference {
  const parsed = parseReference(text);
  if (!parsed.ok) throw new InputError(describeReferenceProblem(parsed.problem, l10n));
  const { digest, ...reference } = parsed.value;
  if (digest !== undefined) {
    const part = { kind: 'digestNotAllowed', part: digest } as const;
    throw new InputError(describeReferenceProblem(part, l10n));
  }
  if (!hasOwnRegistry(reference)) {
    throw new InputError(
      l10n.t(
        '"{0}" says no registry of yours. Give the image a name with one first, such as registry.example.org/app:1.',
        text,
      ),
    );
  }
  return { ...reference, tag: reference.tag ?? 'latest' };
}

/** Whether a name says where it may be pushed: nobody pushes to the official images, or to Podman's `localhost`. */
export function hasOwnRegistry({ registry, repository }: Reference): boolean {
  if (registry === 'localhost') return false;
  return registry !== 'docker.io' || !repository.startsWith('library/');
}

/** Docker tells it twice, Podman once. */
function digestIn(record: unknown, step: PullStep | undefined): string | undefined {
  const said = asText(asRecord(asRecord(record)['aux'])['Digest']);
  if (/^sha256:[0-9a-f]{64}$/.test(said)) return said;
  return step?.id === undefined ? DIGEST.exec(step?.status ?? '')?.[1] : undefined;
}
