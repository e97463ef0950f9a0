// HTTP client of the bed, so that the bed does not depend on the product under test.
import { request } from 'node:http';

/** A response, read to its end. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Options of a request. `timeout` is in milliseconds. */
export interface Ask {
  readonly body?: Buffer | object;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeout?: number;
}

/** Sends one request over a Unix socket and reads the whole response. */
export function ask(socket: string, method: string, path: string, how: Ask = {}): Promise<Answer> {
  const body = how.body && !Buffer.isBuffer(how.body) ? JSON.stringify(how.body) : how.body;
  const headers = { 'content-type': how.type ?? 'application/json', ...how.headers };
  const options = { socketPath: socket, method, path, headers, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    const late = () => sent.destroy(new Error(`${method} ${path}: no answer in time`));
    sent.setTimeout(how.timeout ?? 60_000, late);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Like `ask`, but throws on an error response; resolves to the body. */
export async function askWell(...args: Parameters<typeof ask>): Promise<string> {
  const { status, text } = await ask(...args);
  // Streaming endpoints respond with 200 first and report an error later.
  if (status >= 300 || text.includes('"errorDetail"'))
    throw new Error(`${args[1]} ${args[2]}: ${status} ${text.trim()}`);
  return text;
}
