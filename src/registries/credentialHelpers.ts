/** Credential helpers: external programs that store secrets, called with the protocol of the Docker CLI. */

import { abortReason } from '../base/lifetime.ts';
import { settledWithin } from '../base/time.ts';
import { Program } from '../base/program.ts';
import { Secret } from '../base/secret.ts';
import { asRecord, asText } from '../engine/wire/wire.ts';
import { tryParseJson } from '../engine/wire/parseJson.ts';

/** Runs the credential helpers installed on this machine. */
export class CredentialHelpers {
  readonly #options: HelperOptions;

  constructor(options: HelperOptions) {
    this.#options = options;
  }

  /**
   * Gets the credentials stored under a key.
   *
   * @throws the signal's reason, and nothing else.
   */
  async get(name: string, key: string, signal?: AbortSignal): Promise<HelperResult> {
    const result = await this.#run(name, 'get', key, signal);
    if (result.kind === 'failed' && result.output.trim() === NOT_FOUND) return { kind: 'notFound' };
    return result.kind === 'done' ? readAnswer(result.output) : { kind: result.kind };
  }

  /**
   * Stores credentials under a key. Resolves to undefined on success.
   *
   * @throws the signal's reason, and nothing else.
   */
  async store(
    name: string,
    key: string,
    { username, secret }: { readonly username: string; readonly secret: Secret },
    signal?: AbortSignal,
  ): Promise<HelperFailure | undefined> {
    const entry = { ServerURL: key, Username: username, Secret: secret.reveal() };
    const { kind } = await this.#run(name, 'store', JSON.stringify(entry), signal);
    return kind === 'done' ? undefined : kind;
  }

  /**
   * Erases the credentials stored under a key. Resolves to undefined on success, or if there were none.
   *
   * @throws the signal's reason, and nothing else.
   */
  async erase(name: string, key: string, signal?: AbortSignal): Promise<HelperFailure | undefined> {
    const result = await this.#run(name, 'erase', key, signal);
    if (result.kind === 'failed' && result.output.trim() === NOT_FOUND) return undefined;
    return result.kind === 'done' ? undefined : result.kind;
  }

  async #run(
    name: string,
    verb: string,
    input: string,
    signal?: AbortSignal,
  ): Promise<HelperOutput> {
    if (signal?.aborted) throw abortReason(signal);
    if (!isHelperName(name)) return { kind: 'missing', output: '' };
    const { env, limitMs = LIMIT_MS } = this.#options;
    const program = new Program({ file: `docker-credential-${name}`, args: [verb], env });
    const { promise, resolve } = Promise.withResolvers<HelperOutput>();
    gather(program, resolve);
    program.stdin.end(input);
    try {
      const result = await settledWithin(limitMs, promise, { signal });
      return result ?? { kind: 'slow', output: '' };
    } finally {
      // Do not wait for it: a child process of the helper may keep its output streams open forever.
      program.dispose();
    }
  }
}

/** Kind of failure of a helper. See `credentialProblemMessage` for the meaning of each. */
export type HelperFailure = 'missing' | 'slow' | 'failed' | 'rubbish' | 'tooMuch';

/** The result of asking a helper for credentials. */
export type HelperResult =
  | { readonly kind: 'found'; readonly username: string; readonly secret: Secret }
  | { readonly kind: 'notFound' }
  | { readonly kind: HelperFailure };

interface HelperOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Time limit per call, in milliseconds. A helper may have to prompt the user. */
  readonly limitMs?: number;
}

/** The user name that marks the secret as an identity token. */
export const TOKEN_USER = '<token>';

const LIMIT_MS = 30_000;
/** In bytes. Tokens of cloud registries take several thousand. */
const OUTPUT_LIMIT = 256 * 1024;
const NOT_FOUND = 'credentials not found in native keychain';

/** Returns whether a name from a file is valid as a helper name, which becomes part of a program name. */
export function isHelperName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name);
}

interface HelperOutput {
  readonly kind: HelperFailure | 'done';
  readonly output: string;
}

/** Collects the output of a helper up to `OUTPUT_LIMIT` and reports it when the process has ended. */
function gather(program: Program, onEnd: (result: HelperOutput) => void): void {
  const parts: Buffer[] = [];
  let length = 0;
  program.stdout.on('data', (part: Buffer) => {
    length += part.length;
    if (length > OUTPUT_LIMIT) onEnd({ kind: 'tooMuch', output: '' });
    else parts.push(part);
  });
  void program.ended.then(({ code, spawnError }) => {
    if (spawnError !== undefined) {
      onEnd({ kind: spawnError === 'ENOENT' ? 'missing' : 'failed', output: '' });
      return;
    }
    onEnd({ kind: code === 0 ? 'done' : 'failed', output: Buffer.concat(parts).toString('utf8') });
  });
}

function readAnswer(output: string): HelperResult {
  // Output that is not JSON is never reported: it may contain a secret.
  const entry = asRecord(tryParseJson(output));
  const username = asText(entry['Username']);
  const secret = asText(entry['Secret']);
  if (username === '' || secret === '') return { kind: 'rubbish' };
  return { kind: 'found', username, secret: new Secret(secret) };
}
