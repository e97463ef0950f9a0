import { Readable } from 'node:stream';
import { UploadError } from '../errors.ts';
import type { EngineRequest, Upload } from './engineRequest.ts';

/** What is sent after the headers of one try of a request. */
export interface RequestBody {
  readonly content: string | Readable | null;
  /** What the headers say of it. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request failed: what was not sent is not read either. Throws `error` on. */
  readonly abandon: (error: unknown) => never;
}

/** How much is read ahead of what the engine takes, in bytes. */
const AHEAD = 64 * 1024;

/** The body of a request: none, a JSON text, or bytes that are read as they are sent. */
export function openBody({ body, upload }: EngineRequest): RequestBody {
  if (upload) return uploadBody(upload);
  const headers = { 'content-type': 'application/json' };
  return body === undefined
    ? { content: null, headers: {}, abandon: rethrow }
    : { content: JSON.stringify(body), headers, abandon: rethrow };
}

function uploadBody(upload: Upload): RequestBody {
  // A stream, for it can be ended from outside: an iteration that waits for its source would wait on.
  const content = Readable.from(explained(upload), { objectMode: false, highWaterMark: AHEAD });
  return {
    content,
    headers: {
      'content-type': upload.type,
      ...(upload.size === undefined ? {} : { 'content-length': String(upload.size) }),
    },
    abandon: (error) => {
      content.destroy();
      throw error;
    },
  };
}

/** Says of a failure that it was the source's and not the engine's. */
async function* explained({ open, size }: Upload): AsyncGenerator<Uint8Array> {
  let count = 0;
  try {
    for await (const chunk of open()) {
      count += chunk.length;
      // More would be taken for the next request, and of less the engine would wait for the rest for ever.
      if (size !== undefined && count > size) throw new Error(`more than ${size} bytes came`);
      yield chunk;
    }
    if (size !== undefined && count < size) throw new Error(`${count} bytes of ${size} came`);
  } catch (error) {
    throw new UploadError(error);
  }
}

function rethrow(error: unknown): never {
  throw error;
}
