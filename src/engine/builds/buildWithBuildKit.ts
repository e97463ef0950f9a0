import { basename } from 'node:path';
import { settledWithin } from '../../base/time.ts';
import { EngineError, unlessNotFound } from '../errors.ts';
import { openBuilder } from './grpc/builderConnection.ts';
import type { Connection } from '../http/connection.ts';
import { badAnswer } from '../http/readReply.ts';
import { inspectImage } from '../images/images.ts';
import { fullName, parseReference } from '../options/reference.ts';
import { asId } from '../wire/wire.ts';
import { baseRegistries } from './dockerfile/baseRegistries.ts';
import type { StartedRequest } from './dockerfile/readDockerfile.ts';
import { removeBuild } from './buildHistory.ts';
import { failedLines, refusedBase } from './failedLines.ts';
import { BuildFailedError } from './buildFailedError.ts';
import type {
  BuildContext,
  BuildControls,
  BuildEvent,
  BuildProviders,
  BuildRequest,
  BuildResult,
  BuildWarning,
} from './model.ts';
import { newBuildRef, solve } from './solve.ts';

/**
 * Builds an image with BuildKit: `POST /grpc`, `Control/Solve`.
 *
 * @throws BuildFailedError `failed` or `notFound` if the build fails; EngineError `badRequest` for a name
 * that is not valid; the errors of `openBuilder` if there is no BuildKit; the error of a provider.
 */
export async function buildWithBuildKit(
  connection: Connection,
  request: StartedRequest,
  providers: BuildProviders,
  context: BuildContext,
  { ref, onEvent, signal }: BuildControls,
): Promise<BuildResult> {
  const exporter = new Map<string, string>();
  if (request.tags.length > 0) exporter.set('name', request.tags.map(exactName).join(','));
  const attributes = attributesOf(request);
  let failed = '';
  const watched = (event: BuildEvent): void => {
    if (event.kind === 'step' && event.step.state === 'failed') failed ||= event.step.name;
    onEvent(event);
  };
  const job = { ...jobOf(request), providers, context, attributes, ref, signal };
  const work = solve(connection, { ...job, onEvent: watched, exporter });
  return builtImage(
    connection,
    await work.catch((error: unknown) => {
      throw placeFailure(error, request, failed);
    }),
  );
}

/**
 * Checks a Dockerfile without building it: `Control/Solve` for an outline. Removes it from the history of builds.
 *
 * @throws BuildFailedError if the Dockerfile is not valid, or if the builder has no checks.
 */
export async function checkWithBuildKit(
  connection: Connection,
  request: StartedRequest,
  providers: BuildProviders,
  context: BuildContext,
  signal: AbortSignal,
): Promise<readonly BuildWarning[]> {
  const warnings: BuildWarning[] = [];
  const onEvent = (event: BuildEvent): void => {
    if (event.kind === 'warning') warnings.push(event.warning);
  };
  const attributes = new Map([
    ...attributesOf(request),
    ['requestid', 'frontend.outline'],
    ['frontend.caps', 'moby.buildkit.frontend.subrequests'],
  ]);
  const ref = newBuildRef();
  const job = { ...jobOf(request), providers, context, attributes, ref, onEvent, signal };
  // Until then, it knows nothing of the check.
  const builder = await openBuilder(connection, signal);
  try {
    await solve(connection, job, builder);
  } finally {
    await removeCheck(connection, ref, signal);
  }
  return warnings;
}

/** Removes a check from the history. If it is canceled, the removal goes on, but is not waited for. */
async function removeCheck(
  connection: Connection,
  ref: string,
  signal: AbortSignal,
): Promise<void> {
  const removal = removeBuild(connection, ref, AbortSignal.timeout(REMOVAL_LIMIT_MS));
  // What is left is not listed.
  await settledWithin(REMOVAL_LIMIT_MS, removal, { signal }).catch(() => undefined);
}

/** Time limit for the removal of a check from the history, in milliseconds. */
const REMOVAL_LIMIT_MS = 2_000;

function jobOf(request: StartedRequest) {
  return {
    request,
    registries: baseRegistries(request.source.text, request),
    entitlements: request.network === 'host' ? ['network.host'] : [],
  };
}

/**
 * Returns the error of a build with what the Dockerfile that was built says about it. Engines before 23 report only the
 * step. Other errors stay.
 */
function placeFailure(error: unknown, request: StartedRequest, step: string): unknown {
  if (!(error instanceof BuildFailedError)) return error;
  const { text } = request.source;
  const { message, failure } = error;
  const base = refusedBase(message, text, request);
  const lines = failure.source ? undefined : failedLines(text, request, { message, step });
  return error.withFailure({
    ...(lines && { source: { file: basename(request.dockerfile), text, lines } }),
    ...(base && { base }),
  });
}

/** Returns a request in the words of the frontend. */
function attributesOf(request: BuildRequest): ReadonlyMap<string, string> {
  const { target, platforms = [], addHosts = [], network = 'default' } = request;
  const attributes = new Map([['filename', basename(request.dockerfile)]]);
  if (target !== undefined) attributes.set('target', target);
  if (platforms.length > 0) attributes.set('platform', platforms.join(','));
  if (request.noCache === true) attributes.set('no-cache', '');
  if (request.pull === true) attributes.set('image-resolve-mode', 'pull');
  if (addHosts.length > 0) attributes.set('add-hosts', addHosts.map(hostOf).join(','));
  if (network !== 'default') attributes.set('force-network-mode', network);
  for (const [name, value] of Object.entries(request.args ?? {}))
    attributes.set(`build-arg:${name}`, value);
  for (const [name, value] of Object.entries(request.labels ?? {}))
    attributes.set(`label:${name}`, value);
  return attributes;
}

/** Returns `name=address` for `name:address`. */
function hostOf(entry: string): string {
  return entry.replace(/^([^:=]+)[:=]/, '$1=');
}

/** Returns a name in full: the builder, unlike the engine, completes none. */
function exactName(tag: string): string {
  const reference = parseReference(tag);
  if (!reference.ok || reference.value.digest !== undefined)
    throw new EngineError('badRequest', { engineMessage: `invalid reference format: ${tag}` });
  return fullName({ ...reference.value, tag: reference.value.tag ?? 'latest' });
}

/**
 * Returns the image from the result of the exporter: which of two digests is the ID depends on the image store.
 * Cannot be canceled, because the image exists.
 */
export async function builtImage(
  connection: Connection,
  metadata: ReadonlyMap<string, string>,
  operation = 'POST /grpc',
): Promise<BuildResult> {
  const digest = asId(metadata.get('containerimage.digest'));
  const config = asId(metadata.get('containerimage.config.digest'));
  const known = [digest, config].filter((one) => one !== '');
  const [first] = known;
  if (first === undefined) throw badAnswer(connection, operation);
  for (const id of known) {
    const image = await unlessNotFound(inspectImage(connection, id));
    if (image) return { imageId: image.id, ...(digest !== config && { digest }) };
  }
  return { imageId: first };
}
