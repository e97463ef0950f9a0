import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage } from '../../src/engine/builds/buildImage.ts';
import type { BuildEvent, BuildResult } from '../../src/engine/builds/model.ts';
import type { Connection } from '../../src/engine/http/connection.ts';

/** How a Dockerfile is built. */
export interface BuildOptions {
  readonly tags?: readonly string[];
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: BuildEvent) => void;
}

/** Builds the lines of a Dockerfile with an empty context, without the cache, on any engine. */
export async function buildLines(
  connection: Connection,
  lines: readonly string[],
  {
    tags = [],
    signal = new AbortController().signal,
    onEvent = () => undefined,
  }: BuildOptions = {},
): Promise<BuildResult> {
  const [folder, context] = await Promise.all([newFolder(), newFolder()]);
  const dockerfile = join(folder, 'Dockerfile');
  await writeFile(dockerfile, `${lines.join('\n')}\n`);
  const request = { context, dockerfile, tags, noCache: true };
  const providers = {
    credentials: () => Promise.resolve(undefined),
    secret: () => Promise.reject(new Error('none')),
  };
  const controls = { onEvent, signal, installation: 'test' };
  try {
    return await buildImage(connection, request, providers, controls);
  } finally {
    for (const one of [folder, context]) await rm(one, { recursive: true });
  }
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'gantry-build-'));
}
