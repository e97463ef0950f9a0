import { dirname } from 'node:path';
import { sentence } from '../../base/sentence.ts';
import type { NewEntry } from '../archive/writeTar.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { EngineError, InputError, UploadError } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { buildWithBuildKit, checkWithBuildKit } from './buildWithBuildKit.ts';
import { ContextError } from './context/contextError.ts';
import { realRoot } from './context/contextRoot.ts';
import { packContext } from './context/packContext.ts';
import { serveContext, type ServedContext } from './context/serveContext.ts';
import { startRequest, type StartedRequest } from './dockerfile/readDockerfile.ts';
import { BUILDER_OPERATION, openBuilder } from './grpc/builderConnection.ts';
import type {
  BuildControls,
  BuildProviders,
  BuildRequest,
  BuildResult,
  BuildWarning,
} from './model.ts';
import { requestWarnings } from './requestWarnings.ts';
import { buildBySession, SESSION_OPERATION } from './tar/buildBySession.ts';
import { buildByTar } from './tar/buildByTar.ts';
import { LIST_WORKERS } from './controlMessages.ts';

/**
 * Builds an image with BuildKit over gRPC. If the engine has none, or a proxy hides it, by `POST /build`: with a
 * session if the engine has them, and never with the classic builder unless asked to.
 *
 * @throws BuildFailedError if the build fails; ContextError for a file that cannot be sent; NoBuildKitError and other
 *   InputErrors for what the engine cannot do; the error of a provider; the abort reason of the signal.
 */
export async function buildImage(
  connection: Connection,
  request: BuildRequest,
  providers: BuildProviders,
  controls: ImageBuildControls,
): Promise<BuildResult> {
  let hasWarned = false;
  return withFiles(request, controls, async (started, files) => {
    const warnings = hasWarned ? [] : await requestWarnings(started);
    hasWarned = true;
    for (const warning of warnings) controls.onEvent({ kind: 'warning', warning });
    const result = await buildOnce(connection, started, providers, files, controls);
    const { sent } = files.served;
    return sent.bytes > 0 ? { ...result, sent } : result;
  });
}

/** Options for watching and stopping a build, and its builder. */
interface ImageBuildControls extends BuildControls {
  /** Text that other installations do not have: an engine compares files with what it got before. */
  readonly installation: string;
}

/** The engine has only the classic builder, which is not used unless the user agrees. */
export class NoBuildKitError extends InputError {
  constructor() {
    super(
      sentence(
        'This engine has no BuildKit. Gantry does not use the classic builder without confirmation.',
      ),
    );
  }
}

async function buildOnce(
  connection: Connection,
  request: StartedRequest,
  providers: BuildProviders,
  { served, entries }: BuildFiles,
  controls: ImageBuildControls,
): Promise<BuildResult> {
  const { hasBuildKit } = capabilitiesOf(await connection.info(controls.signal));
  if (!hasBuildKit || controls.isClassic === true)
    return buildByTar(connection, request, providers, entries, controls);
  const solve = async (): Promise<BuildResult> => {
    const exact = await withHostGateway(connection, request, controls);
    return buildWithBuildKit(connection, exact, providers, served, controls);
  };
  const solved = await unlessHidden(solve());
  if (solved) return solved;
  try {
    const built = await unlessHidden(
      buildBySession(connection, request, providers, served, controls),
    );
    return built ?? (await buildByTar(connection, request, providers, entries, controls));
  } catch (error) {
    throw isWithoutBuildKit(error) ? new NoBuildKitError() : error;
  }
}

/** The files of a build, for both transports. */
interface BuildFiles {
  /** Answers an engine that asks for files. */
  readonly served: ServedContext;
  /** Opens the files that are not ignored, for a tar; by Podman's ignore files if it is for Podman. */
  readonly entries: (isPodman: boolean) => AsyncIterable<NewEntry>;
}

/**
 * Runs a build or a check with its files. A build in which one changed is tried once more.
 *
 * @throws ContextError for a file that cannot be sent, which has more detail than the engine's own error.
 */
async function withFiles<T>(
  request: BuildRequest,
  { signal, installation, isCheck = false }: FileControls,
  work: (request: StartedRequest, files: BuildFiles) => Promise<T>,
): Promise<T> {
  const place = placeOf(request);
  // The engine decides when it wants the files, and the user has agreed to those of this place.
  const isMoved = (): boolean => placeOf(request) !== place;
  const entries: BuildFiles['entries'] = async function* (isPodman) {
    if (isMoved()) throw new ContextError('changed', '.');
    yield* packContext(request, signal, isPodman);
  };
  for (let isLast = isCheck; ; isLast = true) {
    const served = serveContext(request, installation, isCheck);
    const started = await startRequest(request);
    try {
      return await work(started, { served, entries });
    } catch (error) {
      // In a tar, the files are an upload.
      const thrown = error instanceof UploadError ? error.cause : error;
      const failure = served.failure ?? (thrown instanceof ContextError ? thrown : undefined);
      if (!failure || signal.aborted) throw error;
      // Without its context a build has made nothing. A log or a cache may stand still the next time.
      if (failure.problem !== 'changed' || isLast || isMoved()) throw failure;
    }
  }
}

interface FileControls extends Pick<ImageBuildControls, 'signal' | 'installation'> {
  /** Whether nothing is built. */
  readonly isCheck?: boolean;
}

/** Returns where the files of a build really lie. */
function placeOf({ context, dockerfile }: BuildRequest): string {
  return [context, dirname(dockerfile)].map(realRoot).join('\0');
}

/** Whether an engine refused `version=2`. */
function isWithoutBuildKit(error: unknown): boolean {
  if (!(error instanceof EngineError) || error.status === undefined) return false;
  return /buildkit/i.test(error.engineMessage ?? '');
}

/**
 * Returns a request with addresses for `host-gateway`, which BuildKit leaves to its clients.
 *
 * @throws InputError if the engine does not report the address.
 */
async function withHostGateway<Request extends BuildRequest>(
  connection: Connection,
  request: Request,
  { signal }: { readonly signal: AbortSignal },
): Promise<Request> {
  const { addHosts = [] } = request;
  if (!addHosts.some(isHostGateway)) return request;
  const address = await readAddress(connection, signal);
  if (address === undefined)
    throw new InputError(
      sentence('This engine does not report an address for {0}. Use an IP address.', HOST_GATEWAY),
    );
  const exact = addHosts.map((entry) =>
    isHostGateway(entry) ? `${entry.slice(0, -HOST_GATEWAY.length)}${address}` : entry,
  );
  return { ...request, addHosts: exact };
}

function isHostGateway(entry: string): boolean {
  return /[:=]host-gateway$/.test(entry);
}

async function readAddress(
  connection: Connection,
  signal: AbortSignal,
): Promise<string | undefined> {
  const builder = await openBuilder(connection, signal);
  try {
    const { workers } = await builder.client.call(LIST_WORKERS, {}, signal);
    const addresses = workers.map(({ labels }) => labels.get(LABEL) ?? '');
    return addresses.find((address) => /^[\da-fA-F.:]{2,45}$/.test(address));
  } finally {
    builder.dispose();
  }
}

/** In place of an address: that of the host of the engine. */
const HOST_GATEWAY = 'host-gateway';

const LABEL = 'org.mobyproject.buildkit.worker.moby.host-gateway-ip';

/**
 * Checks a Dockerfile without building it. Resolves to our warnings and those of the builder.
 *
 * @throws InputError if the engine cannot; otherwise as `buildImage`.
 */
export async function checkBuild(
  connection: Connection,
  request: BuildRequest,
  providers: BuildProviders,
  controls: Pick<ImageBuildControls, 'signal' | 'installation'>,
): Promise<readonly BuildWarning[]> {
  const { signal } = controls;
  const cannot = sentence('This engine cannot check a Dockerfile without building it.');
  if (!capabilitiesOf(await connection.info(signal)).checksDockerfiles)
    throw new InputError(cannot);
  // No rule depends on the hosts.
  const checked = { ...request, addHosts: [] };
  return withFiles(checked, { ...controls, isCheck: true }, async (started, { served }) => {
    try {
      const found = await checkWithBuildKit(connection, started, providers, served, signal);
      return [...(await requestWarnings(started)), ...found];
    } catch (error) {
      throw isHidden(error) ? new InputError(cannot) : error;
    }
  });
}

/** The statuses with which engines and proxies answer a path that they do not have or do not allow. */
const HIDDEN: readonly (number | undefined)[] = [400, 403, 404, 405, 426, 501];

/** Docker's words, with status 500, if a proxy has removed the header for the upgrade. */
const NO_UPGRADE = 'no upgrade proto in request';

/** The operations by which BuildKit is reached. */
const OPENINGS: readonly (string | undefined)[] = [BUILDER_OPERATION, SESSION_OPERATION];

/** Whether BuildKit cannot be reached in this way: nothing was started. */
function isHidden(error: unknown): boolean {
  // The failure of a build has no status; that of another request, such as for the image, is of another operation.
  if (!(error instanceof EngineError) || !OPENINGS.includes(error.operation)) return false;
  return HIDDEN.includes(error.status) || error.engineMessage?.includes(NO_UPGRADE) === true;
}

/** Awaits a build. Resolves to undefined if BuildKit cannot be reached in this way. */
async function unlessHidden(build: Promise<BuildResult>): Promise<BuildResult | undefined> {
  try {
    return await build;
  } catch (error) {
    if (!isHidden(error)) throw error;
    return undefined;
  }
}
