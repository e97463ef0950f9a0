// The bed's own way to talk to an engine, so that it needs nothing of the product it tests.
import { request } from 'node:http';

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What a request may carry. */
export interface Ask {
  readonly body?: Buffer | object;
  readonly type?: string;
  readonly timeout?: number;
}

/** Sends one request over a unix socket and reads the whole answer. */
export function ask(socket: string, method: string, path: string, how: Ask = {}): Promise<Answer> {
  const body = how.body && !Buffer.isBuffer(how.body) ? JSON.stringify(how.body) : how.body;
  const headers = { 'content-type': how.type ?? 'application/json' };
  const options = { socketPath: socket, method, path, headers, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    const late = () => sent.destroy(new Error(`${method} ${path}: no answer in time`));
    sent.setTimeout(how.timeout ?? 60_000, late);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Like `ask`, for answers that have to be good; resolves to the text. */
export async function askWell(...args: Parameters<typeof ask>): Promise<string> {
  const { status, text } = await ask(...args);
  // Endpoints that stream answer 200 first and tell of an error later.
  if (status >= 300 || text.includes('"errorDetail"'))
    throw new Error(`${args[1]} ${args[2]}: ${status} ${text.trim()}`);
  return text;
}

/** Polls until `check` holds; the words say what did not come about. */
export async function until(
  check: () => boolean | Promise<boolean>,
  words: string,
  limit = 20_000,
): Promise<void> {
  const deadline = performance.now() + limit;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`Not within ${limit} ms: ${words}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
