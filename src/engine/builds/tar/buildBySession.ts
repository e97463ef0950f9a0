import { basename } from 'node:path';
import { baseRegistries } from '../dockerfile/baseRegistries.ts';
import { newBuildSession } from '../newBuildSession.ts';
import { GivenSecrets } from '../givenSecrets.ts';
import type { BuildContext, BuildControls, BuildProviders, BuildResult } from '../model.ts';
import { serveGrpc } from '../grpc/serveGrpc.ts';
import type { Connection } from '../../http/connection.ts';
import { wholeDockerfile, type StartedRequest } from '../dockerfile/readDockerfile.ts';
import { requireOnePlatform, runBuild } from './buildByTar.ts';
import { buildQuery } from './buildQuery.ts';

/**
 * Builds an image with BuildKit by `POST /build`, with a session of its own: `POST /session`. As with `/grpc`, the
 * engine asks for what it needs of the context, and for credentials and secrets.
 *
 * @throws as `buildByTar`; the error of the context; an EngineError of `SESSION_OPERATION` if no session can be opened:
 * then nothing was started.
 */
export async function buildBySession(
  connection: Connection,
  request: StartedRequest,
  providers: BuildProviders,
  context: BuildContext,
  controls: BuildControls,
): Promise<BuildResult> {
  requireOnePlatform(request);
  // It is not sent, but as without a session, none that cannot be read is built.
  wholeDockerfile(request.source);
  const given = new GivenSecrets(providers, request.args);
  const { id, headers, services, signal } = newBuildSession({
    request,
    context,
    registries: baseRegistries(request.source.text, request),
    providers: given.providers,
    onEvent: controls.onEvent,
    signal: controls.signal,
  });
  const opening = { method: 'POST', path: '/session', headers, signal } as const;
  const { socket } = await connection.openHttp2(opening);
  const server = serveGrpc(socket, services);
  try {
    const dockerfile = basename(request.dockerfile);
    const plan = { request, dockerfile, builder: 'buildkit', secrets: new Map() } as const;
    const query = { ...buildQuery(plan), remote: 'client-session', session: id };
    const job = { ...controls, request, dockerfile, given, signal, hasSession: true };
    return await runBuild(connection, { method: 'POST', path: '/build', query, signal }, job);
  } catch (error) {
    if (context.failure && !controls.signal.aborted) throw context.failure;
    throw error;
  } finally {
    server.dispose();
  }
}

/** The operation of errors of the opening of a session. */
export const SESSION_OPERATION = 'POST /session';
