import type { NewEntry } from '../archive/writeTar.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { EngineError, InputError } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { BUILDER_OPERATION } from './grpc/builderConnection.ts';
import { buildBySession, SESSION_OPERATION } from './tar/buildBySession.ts';
import { buildByTar } from './tar/buildByTar.ts';
import { buildWithBuildKit, checkWithBuildKit, type BuildControls } from './buildWithBuildKit.ts';
import { NoBuildKitError } from './noBuildKitError.ts';
import { withHostGateway } from './withHostGateway.ts';
import type {
  BuildContext,
  BuildProviders,
  BuildRequest,
  BuildResult,
  BuildWarning,
} from './model.ts';
import { sentence } from '../../base/sentence.ts';

/**
 * Builds an image with BuildKit over gRPC. If the engine has none, or a proxy hides it, by `POST /build`: with a
 * session if the engine has them, and never with the classic builder unless asked to.
 *
 * @throws BuildFailedError if the build fails; InputError for what the engine cannot do; the
 * error of a provider or of the files; the abort reason of the signal.
 */
export async function buildImage(
  connection: Connection,
  request: BuildRequest,
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
export interface BuildFiles {
  /** Answers an engine that asks for files. */
  readonly served: BuildContext;
  /** Opens the files that are not ignored, for a tar; by Podman's ignore files if it is for Podman. */
  readonly entries: (isPodman: boolean) => AsyncIterable<NewEntry>;
}

/** How a build is watched and stopped. */
export interface ImageBuildControls extends BuildControls {
  /** Whether Docker takes its old builder, without BuildKit: the user has asked for it. */
  readonly isClassic?: boolean;
}

/** Whether an engine refused `version=2`. */
function isWithoutBuildKit(error: unknown): boolean {
  if (!(error instanceof EngineError) || error.status === undefined) return false;
  return /buildkit/i.test(error.engineMessage ?? '');
}

/**
 * Checks a Dockerfile without building it. Resolves to the warnings of the builder.
 *
 * @throws InputError if the engine cannot; otherwise as `buildImage`.
 */
export async function checkBuild(
  connection: Connection,
  request: BuildRequest,
  providers: BuildProviders,
  { served }: Pick<BuildFiles, 'served'>,
  signal: AbortSignal,
): Promise<readonly BuildWarning[]> {
  const cannot = sentence('This engine cannot check a Dockerfile without building it.');
  if (!capabilitiesOf(await connection.info(signal)).checksDockerfiles)
    throw new InputError(cannot);
  try {
    // No rule depends on the hosts.
    const checked = { ...request, addHosts: [] };
    return await checkWithBuildKit(connection, checked, providers, served, signal);
  } catch (error) {
    throw isHidden(error) ? new InputError(cannot) : error;
  }
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
