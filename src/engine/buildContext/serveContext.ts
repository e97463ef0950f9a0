import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { asError } from '../errors.ts';
import type { BuildContext, BuildRequest, SentContext } from '../builds/model.ts';
import type { CallStream } from '../grpc/callStream.ts';
import { GRPC_CODE, GrpcError } from '../grpc/grpcError.ts';
import { bigInteger, bytes, bytesHead, integer, message, nested, text } from '../grpc/protobuf.ts';
import { ContextError } from './contextError.ts';
import { readContextFile } from './readContextFile.ts';
import { followPaths } from './followPaths.ts';
import { SentFiles } from './sentFiles.ts';
import { walkContext, type ContextEntry, type WalkFilter } from './walkContext.ts';

/** What the engine learns about a file. */
interface WireStat {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly modifiedAt: bigint;
  readonly target: string;
}

const STAT = message<WireStat>({
  path: text(1),
  mode: integer(2),
  size: integer(5),
  modifiedAt: bigInteger(6),
  target: text(7),
});

interface WirePacket {
  readonly type: number;
  readonly stat: WireStat | undefined;
  readonly id: number;
  readonly data: Uint8Array;
}

const DATA = 4;
const PACKET = message<WirePacket>({
  type: integer(1),
  stat: nested(2, STAT),
  id: integer(3),
  data: bytes(DATA),
});

const PACKET_TYPE = { stat: 0, request: 1, data: 2, end: 3, error: 4 } as const;

/** How many files are sent at the same time. */
const AT_ONCE = 8;

/** The most files of a context. Their paths are kept until the engine has asked for them. */
const MOST_FILES = 3_000_000;

/**
 * Serves the files of a build to the engine: `moby.filesync.v1.FileSync/DiffCopy`. The engine is sent the list of
 * files that it asks for and that are not ignored, and gets the contents of those that it does not have.
 *
 * @param installation text that other installations do not have: the engine compares with what it got before.
 */
export function serveContext(
  { context, dockerfile }: Pick<BuildRequest, 'context' | 'dockerfile'>,
  installation: string,
): ServedContext {
  const key = createHash('sha256').update(`${installation}\0${context}`);
  const state: { failure: ContextError | undefined } = { failure: undefined };
  const sent = new SentFiles();
  return {
    sharedKey: key.digest('hex'),
    get failure() {
      return state.failure;
    },
    sent,
    diffCopy: async (call) => {
      const [part] = call.metadata('dir-name');
      const root = part === 'context' ? context : dirname(dockerfile);
      if (part !== 'context' && part !== 'dockerfile')
        throw new GrpcError(GRPC_CODE.notFound, 'no such folder');
      try {
        const filter =
          part === 'context' ? await filterOf(root, call) : await nearDockerfile(dockerfile);
        await new Sending(root, call, part === 'context' ? sent : undefined).run(filter);
      } catch (error) {
        if (!(error instanceof ContextError)) throw error;
        state.failure ??= error;
        throw new GrpcError(GRPC_CODE.unknown, error.message);
      }
    },
  };
}

/** The files of a build, and why they could not be sent. */
export interface ServedContext extends BuildContext {
  /** The first failure; the error of the engine only reports that there was one. */
  readonly failure: ContextError | undefined;
  /** The files of the context that were sent. */
  readonly sent: SentContext;
}

async function filterOf(root: string, call: CallStream): Promise<WalkFilter> {
  const paths = listOf(call, 'followpaths');
  const own = listOf(call, 'include-patterns');
  const followed = paths.length > 0 ? await followPaths(root, paths) : undefined;
  // With no path to follow, everything may be needed.
  const includes = paths.length > 0 && !followed ? undefined : [...own, ...(followed ?? [])];
  return { includes, excludes: listOf(call, 'exclude-patterns') };
}

/** Of the folder of the Dockerfile, only the Dockerfile and its ignore file are ever sent. */
async function nearDockerfile(dockerfile: string): Promise<WalkFilter> {
  const name = basename(dockerfile);
  const names = [name, `${name}.dockerignore`].map((one) => one.replaceAll(/[\\*?[\]]/g, '\\$&'));
  return { includes: (await followPaths(dirname(dockerfile), names)) ?? names };
}

/** Returns the values of a key. */
function listOf(call: CallStream, key: string): readonly string[] {
  const values = call.metadata(key);
  const [encoded] = call.metadata(`${key}-encoded`);
  return encoded === '1' || encoded === 'true' ? values.map(decoded) : values;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    throw new GrpcError(GRPC_CODE.unknown, 'invalid encoding');
  }
}

/** One answer to the engine: first the list of all files, then the contents of those that it requests. */
class Sending {
  readonly #root: string;
  readonly #call: CallStream;
  readonly #sent: SentFiles | undefined;
  /** What may still be requested, by the position in the list. */
  readonly #files = new Map<number, { readonly path: string; readonly size: number }>();
  readonly #queue: number[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #failed = Promise.withResolvers<never>();

  constructor(root: string, call: CallStream, sent: SentFiles | undefined) {
    this.#root = root;
    this.#call = call;
    this.#sent = sent;
  }

  async run(filter: WalkFilter): Promise<void> {
    // The engine requests files while the list is still being sent.
    const all = Promise.all([this.#list(filter), this.#take()]);
    await Promise.race([all, this.#failed.promise]);
  }

  async #list(filter: WalkFilter): Promise<void> {
    let count = 0;
    for await (const entry of walkContext(this.#root, filter, this.#call.signal)) {
      const isRequestable = entry.kind === 'file' && entry.target === undefined;
      if (isRequestable) this.#files.set(count, { path: entry.path, size: entry.size });
      if (++count > MOST_FILES) throw new ContextError('tooMany', entry.path);
      await this.#write({ type: PACKET_TYPE.stat, stat: statOf(entry) });
    }
    await this.#write({ type: PACKET_TYPE.stat });
  }

  async #take(): Promise<void> {
    for await (const bytes of this.#call.messages) {
      const { type, id, data } = PACKET.decode(bytes);
      if (type === PACKET_TYPE.request) this.#request(id);
      else if (type === PACKET_TYPE.end) break;
      else if (type === PACKET_TYPE.error)
        throw new GrpcError(GRPC_CODE.unknown, Buffer.from(data).toString());
    }
    while (this.#running.size > 0) await Promise.all(this.#running);
    await this.#write({ type: PACKET_TYPE.end });
  }

  #request(id: number): void {
    // Each file once, so that the queue is no longer than the list.
    if (!this.#files.has(id)) throw new GrpcError(GRPC_CODE.unknown, `invalid file id ${id}`);
    this.#queue.push(id);
    if (this.#running.size < AT_ONCE) this.#work();
  }

  #work(): void {
    const work = this.#sendQueued().catch((error: unknown) => {
      this.#failed.reject(asError(error));
    });
    this.#running.add(work);
    void work.then(() => this.#running.delete(work));
  }

  async #sendQueued(): Promise<void> {
    for (let id = this.#queue.shift(); id !== undefined; id = this.#queue.shift()) {
      const file = this.#files.get(id);
      this.#files.delete(id);
      if (file) await this.#send(id, file);
    }
  }

  async #send(
    id: number,
    { path, size }: { readonly path: string; readonly size: number },
  ): Promise<void> {
    for await (const data of readContextFile(this.#root, path, size)) {
      const head = PACKET.encode({ type: PACKET_TYPE.data, id });
      await this.#call.write(head, bytesHead(DATA, data.length), data);
    }
    await this.#write({ type: PACKET_TYPE.data, id });
    this.#sent?.add({ path, size });
  }

  #write(packet: Partial<WirePacket>): Promise<void> {
    return this.#call.write(PACKET.encode(packet));
  }
}

/** The bits of Go's file modes. */
const MODE = {
  folder: 2 ** 31,
  link: 2 ** 27,
  pipe: 2 ** 25,
  file: 0,
  setuid: 2 ** 23,
  setgid: 2 ** 22,
  sticky: 2 ** 20,
} as const;

function statOf({ path, kind, mode, size, modifiedAt, target = '' }: ContextEntry): WireStat {
  const special =
    (mode & 0o4000 ? MODE.setuid : 0) +
    (mode & 0o2000 ? MODE.setgid : 0) +
    (mode & 0o1000 ? MODE.sticky : 0);
  return {
    path,
    mode: MODE[kind] + special + (mode & 0o777),
    size: kind === 'file' && target !== '' ? 0 : size,
    modifiedAt,
    target,
  };
}
