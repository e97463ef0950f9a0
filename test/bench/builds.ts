import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BuildTranscript } from '../../src/builds/buildTranscript.ts';
import { startRequest } from '../../src/engine/builds/dockerfile/readDockerfile.ts';
import { serveContext } from '../../src/engine/builds/context/serveContext.ts';
import { buildWithBuildKit } from '../../src/engine/builds/buildWithBuildKit.ts';
import type { BuildEvent, BuildProviders } from '../../src/engine/builds/model.ts';
import { askWell } from '../bed/http.ts';
import { BED_IMAGE } from '../bed/images.ts';
import type { Measurement, Measurements } from './benchmark.ts';
import { busyInBuild } from './editor/buildLines.ts';
import { timesInTurn } from './figures.ts';
import { withNewest, type Stage } from './stage.ts';

const NAME = 'gantry-bench';
const ROUNDS = 5;
const FILES = 200;
const FILE_BYTES = 1_000_000;

/** The number of lines that a step writes. */
export const LINES = 10_000;

type BuildStage = Stage & { readonly plugins: string };

/** Measures builds, compared with `docker buildx build`, and the extension host while a build writes. */
export function benchBuilds(): Promise<
  Measurements<'cached' | 'first' | 'changed' | 'lines' | 'busy'>
> {
  return withNewest(async (stage) => ({
    cached: await benchCached(stage),
    ...(await benchContext(stage)),
    lines: { subject: await linesInOrder(stage) },
    busy: { subject: await busyInBuild(stage.engine.url) },
  }));
}

function benchCached(stage: BuildStage): Promise<Measurement> {
  const context = contextOf(stage, 'cached', [
    `FROM ${BED_IMAGE} AS tools`,
    'RUN echo tools > /tools',
    `FROM ${BED_IMAGE}`,
    'COPY Dockerfile /',
    'COPY --from=tools /tools /',
    'RUN cat /tools',
  ]);
  return compared(stage, context, 10);
}

/** 200 MB of which the engine has nothing, and of which it lacks one file. */
async function benchContext(stage: BuildStage): Promise<Measurements<'first' | 'changed'>> {
  const context = contextOf(stage, 'large', ['FROM scratch', 'COPY . /']);
  for (let at = 0; at < FILES; at++) writeFile(context, at);
  const prune = async (): Promise<void> => {
    await askWell(stage.socket, 'POST', '/build/prune?all=1', { timeout: 60_000 });
  };
  const change = (): Promise<void> => {
    writeFile(context, 0);
    return Promise.resolve();
  };
  return {
    first: await compared(stage, context, ROUNDS, prune),
    changed: await compared(stage, context, ROUNDS, change),
  };
}

/** Counts the lines of a step's log that arrive in order. */
async function linesInOrder(stage: BuildStage): Promise<number> {
  const command = `RUN seq ${LINES} | sed 's/^/line /'`;
  const context = contextOf(stage, 'output', [`FROM ${BED_IMAGE}`, command]);
  const transcript = new BuildTranscript();
  let text = '';
  await build(stage, context, (event) => (text += transcript.add(event)));
  const lines = text.split('\n').filter((line) => /^#\d+ line \d+$/.test(line));
  return lines.filter((line, at) => line.endsWith(` line ${at + 1}`)).length;
}

/** Builds a folder in turn with Gantry and with buildx. */
function compared(
  stage: BuildStage,
  context: string,
  rounds: number,
  before?: () => Promise<void>,
): Promise<Measurement> {
  const env = { DOCKER_HOST: stage.engine.url, HOME: stage.folder };
  const command = ['build', '--tag', `${NAME}-peer`, '--progress', 'plain', context];
  const works = {
    subject: () => build(stage, context),
    peer: () => promisify(execFile)(join(stage.plugins, 'docker-buildx'), command, { env }),
  };
  return timesInTurn(rounds, works, before);
}

const NO_PROVIDERS: BuildProviders = {
  credentials: () => Promise.resolve(undefined),
  secret: () => Promise.reject(new Error('There are no secrets.')),
};

async function build(
  { connection }: Stage,
  context: string,
  onEvent: (event: BuildEvent) => void = () => undefined,
): Promise<void> {
  const request = { context, dockerfile: join(context, 'Dockerfile'), tags: [NAME] };
  const controls = { onEvent, signal: new AbortController().signal };
  const files = serveContext(request, 'bench');
  await buildWithBuildKit(connection, await startRequest(request), NO_PROVIDERS, files, controls);
}

/** Creates a folder with a Dockerfile. */
function contextOf({ folder }: Stage, name: string, lines: readonly string[]): string {
  const context = join(folder, name);
  mkdirSync(context);
  writeFileSync(join(context, 'Dockerfile'), `${lines.join('\n')}\n`);
  return context;
}

function writeFile(context: string, at: number): void {
  writeFileSync(join(context, `file-${at}`), randomBytes(FILE_BYTES));
}
