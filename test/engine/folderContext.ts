import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildWithBuildKit } from '../../src/engine/builds/buildWithBuildKit.ts';
import { removeImage } from '../../src/engine/images/images.ts';
import type { Connection } from '../../src/engine/http/connection.ts';
import type { BuildContext, BuildEvent, BuildRequest } from '../../src/engine/builds/model.ts';
import type { CallStream } from '../../src/engine/grpc/callStream.ts';
import {
  bigInteger,
  bytes,
  integer,
  message,
  nested,
  text,
} from '../../src/engine/grpc/protobuf.ts';

interface Stat {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly modTime: bigint;
}
interface Packet {
  readonly type: number;
  readonly stat: Stat | undefined;
  readonly id: number;
  readonly data: Uint8Array;
}

const STAT = message<Stat>({
  path: text(1),
  mode: integer(2),
  size: integer(5),
  modTime: bigInteger(6),
});
const PACKET = message<Packet>({
  type: integer(1),
  stat: nested(2, STAT),
  id: integer(3),
  data: bytes(4),
});
const [REQ, DATA, FIN] = [1, 2, 3];

/** Serves the files of a folder without any folder in it, whatever is asked for: the least that a build needs. */
export function folderContext(request: Pick<BuildRequest, 'context' | 'dockerfile'>): BuildContext {
  return {
    sharedKey: request.context,
    diffCopy: (call) => {
      const isContext = call.metadata('dir-name')[0] === 'context';
      return serve(call, isContext ? request.context : dirname(request.dockerfile));
    },
  };
}

/** Builds an image with a file of 3 MB and without a name. Resolves to the output of its step. */
export async function buildOver(connection: Connection, base: string): Promise<string> {
  const context = await mkdtemp(join(tmpdir(), 'gantry-build-'));
  const dockerfile = join(context, 'Dockerfile');
  await writeFile(join(context, 'large'), Buffer.alloc(3_000_000, 'x'));
  await writeFile(dockerfile, `FROM ${base}\nCOPY large /large\nRUN wc -c < /large\n`);
  const request = { context, dockerfile, tags: [], noCache: true };
  const providers = {
    credentials: () => Promise.resolve(undefined),
    secret: () => Promise.reject(new Error('none')),
  };
  const output: Uint8Array[] = [];
  const onEvent = (event: BuildEvent): void => {
    if (event.kind === 'output') output.push(event.output.data);
  };
  const controls = { onEvent, signal: new AbortController().signal };
  const files = folderContext(request);
  const { imageId } = await buildWithBuildKit(connection, request, providers, files, controls);
  await removeImage(connection, imageId, { force: true });
  await rm(context, { recursive: true });
  return Buffer.concat(output).toString();
}

async function serve(call: CallStream, folder: string): Promise<void> {
  const names = (await readdir(folder)).toSorted();
  for (const path of names) {
    const { size, mode, mtimeNs } = await stat(join(folder, path), { bigint: true });
    const entry = { path, mode: Number(mode) & 0o777, size: Number(size), modTime: mtimeNs };
    await call.write(PACKET.encode({ stat: entry }));
  }
  await call.write(PACKET.encode({}));
  for await (const bytes of call.messages) {
    const { type, id } = PACKET.decode(bytes);
    if (type === REQ) {
      const data = await readFile(join(folder, names[id]!));
      for (let at = 0; at < data.length; at += 65_536)
        await call.write(PACKET.encode({ type: DATA, id, data: data.subarray(at, at + 65_536) }));
      await call.write(PACKET.encode({ type: DATA, id }));
    } else if (type === FIN) {
      await call.write(PACKET.encode({ type: FIN }));
      return;
    }
  }
}
