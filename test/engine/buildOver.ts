import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveContext } from '../../src/engine/builds/context/serveContext.ts';
import { startRequest } from '../../src/engine/builds/dockerfile/readDockerfile.ts';
import { buildWithBuildKit } from '../../src/engine/builds/buildWithBuildKit.ts';
import type { BuildEvent } from '../../src/engine/builds/model.ts';
import type { Connection } from '../../src/engine/http/connection.ts';
import { removeImage } from '../../src/engine/images/images.ts';

/** Builds an image with a file of 3 MB and without a name. Resolves to the output of its step. */
export async function buildOver(connection: Connection, base: string): Promise<string> {
  const context = await mkdtemp(join(tmpdir(), 'gantry-build-'));
  const dockerfile = join(context, 'Dockerfile');
  await writeFile(join(context, 'large'), Buffer.alloc(3_000_000, 'x'));
  await writeFile(dockerfile, `FROM ${base}\nCOPY large /large\nRUN wc -c < /large\n`);
  const request = await startRequest({ context, dockerfile, tags: [], noCache: true });
  const providers = {
    credentials: () => Promise.resolve(undefined),
    secret: () => Promise.reject(new Error('none')),
  };
  const output: Uint8Array[] = [];
  const onEvent = (event: BuildEvent): void => {
    if (event.kind === 'output') output.push(event.output.data);
  };
  const controls = { onEvent, signal: new AbortController().signal };
  const files = serveContext(request, 'test');
  const { imageId } = await buildWithBuildKit(connection, request, providers, files, controls);
  await removeImage(connection, imageId, { force: true });
  await rm(context, { recursive: true });
  return Buffer.concat(output).toString();
}
