import { Readable } from 'node:stream';
import { UploadError } from '../errors.ts';
import type { EngineRequest, Upload } from './engineRequest.ts';

/** The body of one attempt of a request. */
export interface RequestBody {
  readonly content: string | Readable | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Number of bytes read ahead of what the engine accepts. */
const AHEAD = 64 * 1024;

/** Opens the body of a request: none, JSON, or bytes that are read while they are sent. */
export function openBody({ body, upload }: EngineRequest): RequestBody {
  if (upload) {
    const { type, size } = upload;
    const length = size !== undefined && { 'content-length': String(size) };
    // A stream, because it can be destroyed: an iteration would keep waiting for its source.
    const content = Readable.from(explained(upload), { objectMode: false, highWaterMark: AHEAD });
    return { content, headers: { 'content-type': type, ...length } };
  }
  const headers = { 'content-type': 'application/json' };
  return body === undefined
    ? { content: null, headers: {} }
    : { content: JSON.stringify(body), headers };
}

/** Wraps errors of the source in an UploadError, to distinguish them from errors of the engine. */
async function* explained({ open, size }: Upload): AsyncGenerator<Uint8Array> {
  let count = 0;
  try {
    for await (const chunk of open()) {
      count += chunk.length;
      // Extra bytes would be taken for the next request; with too few the engine would wait forever.
      if (size !== undefined && count > size) throw new Error(`more than ${size} bytes came`);
      yield chunk;
    }
    if (size !== undefined && count < size) throw new Error(`${count} bytes of ${size} came`);
  } catch (error) {
    throw new UploadError(error);
  }
}
