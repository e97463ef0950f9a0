/** Builds an image from a tar of its context: `POST /build`, for engines without BuildKit's own interface. */

import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { type NewEntry, writeTar } from '../../archive/writeTar.ts';
import { capabilitiesOf } from '../../capabilities/capabilities.ts';
import { InputError } from '../../errors.ts';
import type { Connection } from '../../http/connection.ts';
import type { EngineRequest } from '../../http/engineRequest.ts';
import { badAnswer } from '../../http/readReply.ts';
import { dockerfileInContext } from '../context/readIgnoreFile.ts';
import { ARCHIVE_TYPE } from '../../images/imageArchive.ts';
import { buildQuery, type TarBuild } from './buildQuery.ts';
import { followBuild, type FollowedBuild } from './followBuild.ts';
import { ignoreFileInTar } from './ignoreFileInTar.ts';
import { baseRegistries } from '../dockerfile/baseRegistries.ts';
import { wholeDockerfile, type StartedRequest } from '../dockerfile/readDockerfile.ts';
import { copyOf } from '../dockerfile/copyOf.ts';
import { GivenSecrets } from '../givenSecrets.ts';
import type { BuildControls, BuildProviders, BuildRequest, BuildResult } from '../model.ts';
import type { Dockerfile } from '../dockerfile/dockerfile.ts';
import { withoutQuotes } from '../dockerfile/readInstructions.ts';
import { tarBuildError, type FailedBuild } from './tarBuildError.ts';
import type { RegistryAuth } from '../../wire/registryAuth.ts';
import { reveal } from '../../../base/secret.ts';
import { quotable } from '../../../base/plainText.ts';
import { inEnglish, sentence } from '../../../base/sentence.ts';

/**
 * Builds an image from a tar: `POST /build`. On Docker the build has no session, so it gets no credentials, secrets or
 * SSH agent.
 *
 * @param context opens the files of the context, without those that are ignored; by Podman's ignore files if it is
 * for Podman.
 * @throws InputError for what this builder cannot do; BuildFailedError if the build fails, `notFound` if a base image
 *   is missing; UploadError if a file cannot be read; the error of a provider; the abort reason of the signal.
 */
export async function buildByTar(
  connection: Connection,
  request: StartedRequest,
  providers: BuildProviders,
  context: (isPodman: boolean) => AsyncIterable<NewEntry>,
  controls: BuildControls,
): Promise<BuildResult> {
  const { signal } = controls;
  const builder = await builderOf(connection, controls);
  const given = new GivenSecrets(providers, request.args);
  checkRequest(request, builder);
  warnOfCopy(request, builder, controls);
  const { plan, entries } = await planOf(request, builder, given.providers, signal);
  // BuildKit asks for credentials by the session.
  const headers =
    builder === 'buildkit' ? {} : await registryConfig(request, given.providers, signal);
  const wire: EngineRequest = {
    method: 'POST',
    path: '/build',
    query: buildQuery(plan),
    headers,
    upload: { type: ARCHIVE_TYPE, open: () => writeTar(entries(context(builder === 'buildah'))) },
    signal,
  };
  const job = { ...controls, request, dockerfile: plan.dockerfile, given };
  return runBuild(connection, wire, job);
}

/** Sends a build and waits for its image. @throws as `buildByTar`. */
export async function runBuild(
  connection: Connection,
  wire: EngineRequest,
  job: FollowedBuild & FailedBuild,
): Promise<BuildResult> {
  const { imageId, failure } = await followBuild(connection, wire, job);
  if (failure) throw tarBuildError(failure, job);
  if (imageId === undefined) throw badAnswer(connection, 'POST /build');
  return { imageId };
}

async function builderOf(
  connection: Connection,
  { signal, isClassic = false }: BuildControls,
): Promise<TarBuild['builder']> {
  if (!capabilitiesOf(await connection.info(signal)).hasBuildKit) return 'buildah';
  return isClassic ? 'classic' : 'buildkit';
}

/**
 * Returns `X-Registry-Config` for the registries of the images that a Dockerfile names, and for no others; no header
 * if there are no credentials. The padding stays, because engines ignore a value without it.
 */
async function registryConfig(
  request: StartedRequest,
  providers: Pick<BuildProviders, 'credentials'>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const known: [string, RegistryAuth][] = [];
  const registries = [...baseRegistries(request.source.text, request)].slice(0, MOST_REGISTRIES);
  for (const [registry, repository] of registries) {
    const auth = await providers.credentials(registry, signal, repository);
    if (auth) known.push([registry === 'docker.io' ? HUB_KEY : registry, auth]);
  }
  if (known.length === 0) return {};
  const values = Object.fromEntries(known.map(([key, auth]) => [key, wireAuth(auth)]));
  const header = Buffer.from(JSON.stringify(values))
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  return { 'X-Registry-Config': header };
}

function wireAuth({ username, password, identitytoken, registrytoken }: RegistryAuth): object {
  return {
    username,
    password: password && reveal(password),
    identitytoken: identitytoken && reveal(identitytoken),
    registrytoken: registrytoken && reveal(registrytoken),
  };
}

/** The key of Docker Hub, as the Docker CLI writes it. */
const HUB_KEY = 'https://index.docker.io/v1/';
/** The most registries of one build. */
const MOST_REGISTRIES = 100;

/** Returns what is asked for, and a function that adds to the context what this needs. */
async function planOf(
  request: StartedRequest,
  builder: TarBuild['builder'],
  providers: BuildProviders,
  signal: AbortSignal,
) {
  const dockerfile = nameInContext(request);
  const own = [fileEntry(dockerfile, wholeDockerfile(request.source), 0o644)];
  const secrets = new Map<string, string>();
  for (const id of request.secrets ?? []) {
    // No file of the context has this name.
    const name = `.gantry-secret-${randomBytes(12).toString('hex')}`;
    secrets.set(id, name);
    own.push(fileEntry(name, await providers.secret(id, signal), 0o600));
  }
  const plan: TarBuild = { request, dockerfile, builder, secrets };
  const skipped = new Set([dockerfile]);
  const isOutside = dockerfile === OUTSIDE_NAME;
  const ignoreFile = await ignoreFileInTar(request, builder, dockerfile, isOutside);
  if (ignoreFile) {
    own.push(fileEntry(ignoreFile.name, Buffer.from(ignoreFile.text), 0o644));
    skipped.add(ignoreFile.name);
  }
  const entries = async function* (context: AsyncIterable<NewEntry>): AsyncGenerator<NewEntry> {
    yield* own;
    for await (const entry of context)
      if (!skipped.has(entry.name)) yield withoutLinkTo(skipped, entry);
  };
  return { plan, entries };
}

/** Returns an entry without a link to what is replaced in the context, which is still what its other names have. */
function withoutLinkTo(skipped: ReadonlySet<string>, entry: NewEntry): NewEntry {
  const isLinked = entry.sameAs !== undefined && skipped.has(entry.sameAs);
  return isLinked ? { ...entry, sameAs: undefined } : entry;
}

function checkRequest(request: BuildRequest, builder: TarBuild['builder']): void {
  requireOnePlatform(request);
  const { secrets = [], ssh } = request;
  if (ssh === true)
    throw new InputError(sentence('This builder cannot use an SSH agent. Build without it.'));
  if (secrets.length > 0 && builder !== 'buildah')
    throw new InputError(
      sentence(
        "Build secrets require the engine's /grpc or /session endpoint. Neither is accessible here.",
      ),
    );
  const odd = secrets.find((id) => !/^[\w.-]{1,256}$/.test(id));
  if (odd !== undefined)
    throw new InputError(
      sentence('"{0}" is not a valid secret ID. Use letters and digits.', quotable(odd)),
    );
}

/** @throws InputError if a build is for several platforms, which `POST /build` cannot have. */
export function requireOnePlatform({ platforms = [] }: BuildRequest): void {
  if (platforms.length < 2) return;
  throw new InputError(sentence('This engine builds one platform at a time. Select one platform.'));
}

/** Whether a Dockerfile copies the whole context. */
function copiesAll({ escape, instructions }: Dockerfile): boolean {
  const copies = instructions.map((instruction) => copyOf(instruction, escape));
  const sources = copies.flatMap((copy) => (copy?.isFromContext === true ? copy.sources : []));
  const paths = sources.map((source) => posix.join('/', withoutQuotes(source, escape)));
  return paths.some((path) => path === '/' || path === '/*');
}

/** BuildKit applies no ignore file to a tar, so it copies a Dockerfile from outside the context, too. */
function warnOfCopy(
  request: StartedRequest,
  builder: TarBuild['builder'],
  { onEvent }: BuildControls,
): void {
  const isSeen = builder === 'buildkit' && nameInContext(request) === OUTSIDE_NAME;
  if (!isSeen || !copiesAll(request.source.outline)) return;
  const copied = sentence(
    'The Dockerfile is outside the context. This build copies it into the image as {0}.',
    OUTSIDE_NAME,
  );
  onEvent({ kind: 'warning', warning: { message: inEnglish(copied), sentence: copied } });
}

/** Returns the path of the Dockerfile in the tar; one of its own if it is outside the context. */
function nameInContext(request: BuildRequest): string {
  // The same text has the same name, so that it does not spoil the cache of `COPY .`.
  return dockerfileInContext(request) ?? OUTSIDE_NAME;
}

/** The name in the tar of a Dockerfile from outside the context. */
const OUTSIDE_NAME = '.dockerfile.gantry';

function fileEntry(name: string, data: Uint8Array, permissions: number): NewEntry {
  const content = async function* (): AsyncGenerator<Uint8Array> {
    if (data.length > 0) yield await Promise.resolve(data);
  };
  return { name, kind: 'file', permissions, modifiedAt: 0, size: data.length, open: content };
}
