import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BuildTranscript } from '../../src/builds/buildTranscript.ts';
import { startRequest } from '../../src/engine/builds/dockerfile/readDockerfile.ts';
import { serveContext } from '../../src/engine/builds/context/serveContext.ts';
import { buildWithBuildKit } from '../../src/engine/builds/buildWithBuildKit.ts';
import type { BuildEvent, BuildProviders } from '../../src/engine/builds/model.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { startDocker, type BedEngine } from '../bed/engines.ts';
import { askWell } from '../bed/http.ts';
import { BED_IMAGE, importBusybox } from '../bed/images.ts';
import { newestSystem, PLUGINS } from '../bed/newestSystem.ts';
import { benchBuildLines } from './editor/buildLines.ts';
import { inTurn, rounded } from './figures.ts';
import { atMost, exactly } from './limit.ts';
import type { BenchRow } from './row.ts';

const NAME = 'gantry-bench';
const ROUNDS = 5;
const [FILES, SIZE] = [200, 1_000_000] as const;
const LINES = 10_000;

/** Measures builds, compared with `docker buildx build`, and the extension host while a build writes. */
export async function benchBuilds(): Promise<BenchRow[]> {
  const { root } = await newestSystem((text) => process.stderr.write(text));
  const build = { system: root, hasContainerdStore: false, oldestApi: '' };
  const engine = await startDocker({ build });
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  const connection = openConnection(parseEndpoint(engine.socket, 'setting'));
  const stage = { engine, connection, folder, buildx: join(root, PLUGINS, 'docker-buildx') };
  try {
    await importBusybox(engine);
    return [
      await benchCached(stage),
      ...(await benchContext(stage)),
      await benchOutput(stage),
      await benchBuildLines(engine.url),
    ];
  } finally {
    connection.dispose();
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An engine, a folder for files, and the peer's program. */
interface Stage {
  readonly engine: BedEngine;
  readonly connection: Connection;
  readonly folder: string;
  readonly buildx: string;
}

async function benchCached(stage: Stage): Promise<BenchRow> {
  const context = contextOf(stage, 'cached', [
    `FROM ${BED_IMAGE} AS tools`,
    'RUN echo tools > /tools',
    `FROM ${BED_IMAGE}`,
    'COPY Dockerfile /',
    'COPY --from=tools /tools /',
    'RUN cat /tools',
  ]);
  return ratioOf('build with everything cached', 1, await compared(stage, context, 10));
}

/** 200 MB of which the engine has nothing, and of which it lacks one file. */
async function benchContext(stage: Stage): Promise<BenchRow[]> {
  const context = contextOf(stage, 'large', ['FROM scratch', 'COPY . /']);
  for (let at = 0; at < FILES; at++) writeFile(context, at);
  const size = `${(FILES * SIZE) / 1e6} MB`;
  const prune = async (): Promise<void> => {
    await askWell(stage.engine.socket, 'POST', '/build/prune?all=1', { timeout: 60_000 });
  };
  const first = await compared(stage, context, ROUNDS, prune);
  const changed = await compared(stage, context, ROUNDS, () => {
    writeFile(context, 0);
    return Promise.resolve();
  });
  return [
    ratioOf(`first build of a context of ${size}`, 1.5, first),
    ratioOf(`build of ${size} of which one file changed`, 1.2, changed),
  ];
}

/** Counts the lines of a step's log that arrive in order. */
async function benchOutput(stage: Stage): Promise<BenchRow> {
  const command = `RUN seq ${LINES} | sed 's/^/line /'`;
  const context = contextOf(stage, 'output', [`FROM ${BED_IMAGE}`, command]);
  const transcript = new BuildTranscript();
  let text = '';
  await build(stage, context, (event) => (text += transcript.add(event)));
  const lines = text.split('\n').filter((line) => /^#\d+ line \d+$/.test(line));
  const inOrder = lines.filter((line, at) => line.endsWith(` line ${at + 1}`));
  return {
    name: 'lines of a step’s log, in order',
    value: inOrder.length,
    unit: 'lines',
    ...exactly(inOrder.length, LINES),
  };
}

/** Builds a folder in turn with Gantry and with buildx. */
function compared(
  stage: Stage,
  context: string,
  rounds: number,
  before?: () => Promise<void>,
): Promise<Readonly<Record<'ours' | 'peer', number>>> {
  const env = { DOCKER_HOST: stage.engine.url, HOME: stage.folder };
  const command = ['build', '--tag', `${NAME}-peer`, '--progress', 'plain', context];
  return inTurn(
    rounds,
    {
      ours: () => build(stage, context),
      peer: () => promisify(execFile)(stage.buildx, command, { env }),
    },
    before,
  );
}

function ratioOf(
  name: string,
  limit: number,
  { ours, peer }: Readonly<Record<'ours' | 'peer', number>>,
): BenchRow {
  return {
    name,
    value: rounded(ours, 0),
    unit: 'ms',
    peer: `docker buildx build, a process, ${rounded(peer, 0)} ms`,
    ratio: rounded(ours / peer, 2),
    ...atMost(ours / peer, limit),
  };
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
  writeFileSync(join(context, `file-${at}`), randomBytes(SIZE));
}
