import { Fifo } from '../../../base/fifo.ts';
import { asError } from '../../errors.ts';
import type { CallStream } from '../grpc/callStream.ts';
import { GRPC_CODE, GrpcError } from '../grpc/grpcError.ts';
import { bytesHead } from '../grpc/protobuf.ts';
import { ContextError } from './contextError.ts';
import { DATA, PACKET, PACKET_TYPE, statOf, type WirePacket } from './filePackets.ts';
import { readContextFile, type ListedFile } from './readContextFile.ts';
import type { SentFiles } from './sentFiles.ts';
import { MOST_ENTRIES, type ContextEntry } from './walkContext.ts';

/** Number of files sent at the same time. */
const AT_ONCE = 8;

/** One answer to the engine: first the list of all files, then the contents of those that it requests. */
export class FileSending {
  readonly #root: string;
  readonly #call: CallStream;
  readonly #kept: KeptFiles;
  readonly #sent: SentFiles | undefined;
  /** Files that may still be requested, by the position in the list. */
  readonly #files = new Map<number, ListedFile>();
  readonly #queue = new Fifo<{ readonly id: number; readonly file: ListedFile }>();
  readonly #running = new Set<Promise<void>>();
  readonly #failed = Promise.withResolvers<never>();

  /**
   * @param root from `realRoot`.
   * @param kept is counted on for each file that is listed.
   */
  constructor(root: string, call: CallStream, kept: KeptFiles, sent: SentFiles | undefined) {
    this.#root = root;
    this.#call = call;
    this.#kept = kept;
    this.#sent = sent;
  }

  async run(entries: Entries): Promise<void> {
    // The engine requests files while the list is still being sent.
    const all = Promise.all([this.#list(entries), this.#receive()]);
    try {
      await Promise.race([all, this.#failed.promise]);
    } finally {
      this.#kept.count -= this.#files.size + this.#queue.length;
      this.#files.clear();
      this.#queue.clear();
    }
  }

  async #list(entries: Entries): Promise<void> {
    let count = 0;
    for await (const entry of entries) {
      // The engine has ended the call.
      this.#call.signal.throwIfAborted();
      const { path, kind, size, identity, target, source } = entry;
      // Their paths are kept until the engine has asked for them.
      if (++count > MOST_ENTRIES || this.#kept.count >= MOST_ENTRIES)
        throw new ContextError('tooMany', path);
      if (kind === 'file' && target === undefined) {
        this.#kept.count++;
        this.#files.set(count - 1, {
          path,
          size,
          identity,
          ...(source !== undefined && { source }),
        });
      }
      await this.#write({ type: PACKET_TYPE.stat, stat: statOf(entry) });
    }
    await this.#write({ type: PACKET_TYPE.stat });
  }

  async #receive(): Promise<void> {
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
    const file = this.#files.get(id);
    // Each file once, so that the queue is no longer than the list.
    if (!this.#files.delete(id) || !file)
      throw new GrpcError(GRPC_CODE.unknown, `invalid file id ${id}`);
    this.#queue.push({ id, file });
    if (this.#running.size < AT_ONCE) this.#work();
  }

  #work(): void {
    const work = this.#sendQueued().catch((error: unknown) => this.#failed.reject(asError(error)));
    this.#running.add(work);
    void work.then(() => this.#running.delete(work));
  }

  async #sendQueued(): Promise<void> {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#kept.count--;
      await this.#send(next.id, next.file);
    }
  }

  async #send(id: number, file: ListedFile): Promise<void> {
    for await (const data of readContextFile(this.#root, file)) {
      const head = PACKET.encode({ type: PACKET_TYPE.data, id });
      await this.#call.write(head, bytesHead(DATA, data.length), data);
    }
    await this.#write({ type: PACKET_TYPE.data, id });
    this.#sent?.add({ path: file.path, size: file.size });
  }

  #write(packet: Partial<WirePacket>): Promise<void> {
    return this.#call.write(PACKET.encode(packet));
  }
}

type Entries = AsyncIterable<ContextEntry> | readonly ContextEntry[];

/** Number of files that all calls of a build have listed and the engine has not got yet. */
export interface KeptFiles {
  count: number;
}
