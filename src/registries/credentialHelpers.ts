/** Credential helpers: the person's own programs that keep secrets, asked by the command line's protocol. */

import { abortReason } from '../lifetime.ts';
import { settledWithin } from '../time.ts';
import { Program, type ProgramCall } from '../engine/ssh/program.ts';
import { Secret } from '../engine/secret.ts';
import { asRecord, asText } from '../engine/wire.ts';

/** Runs the helpers of this machine. */
export class CredentialHelpers {
  readonly #options: HelperOptions;

  constructor(options: HelperOptions) {
    this.#options = options;
  }

  /**
   * Asks a helper for what it keeps under a key.
   *
   * @throws the signal's reason, and nothing else.
   */
  async get(name: string, key: string, signal?: AbortSignal): Promise<HelperResult> {
    const said = await this.#run(name, 'get', key, signal);
    if (said.kind === 'failed' && said.output.trim() === NOT_FOUND) return { kind: 'notFound' };
    return said.kind === 'done' ? readAnswer(said.output) : { kind: said.kind };
  }

  /**
   * Hands a secret to a helper, to be kept under a key. Undefined where it did so.
   *
   * @throws the signal's reason, and nothing else.
   */
  async store(
    name: string,
    key: string,
    { username, secret }: HelperEntry,
    signal?: AbortSignal,
  ): Promise<HelperFailure | undefined> {
    const entry = { ServerURL: key, Username: username, Secret: secret.reveal() };
    const { kind } = await this.#run(name, 'store', JSON.stringify(entry), signal);
    return kind === 'done' ? undefined : kind;
  }

  /**
   * Has a helper forget what it keeps under a key. Undefined where it did so, or had nothing.
   *
   * @throws the signal's reason, and nothing else.
   */
  async erase(name: string, key: string, signal?: AbortSignal): Promise<HelperFailure | undefined> {
    const said = await this.#run(name, 'erase', key, signal);
    if (said.kind === 'failed' && said.output.trim() === NOT_FOUND) return undefined;
    return said.kind === 'done' ? undefined : said.kind;
  }

  async #run(name: string, verb: string, input: string, signal?: AbortSignal): Promise<Said> {
    if (signal?.aborted) throw abortReason(signal);
    if (!isHelperName(name)) return { kind: 'missing', output: '' };
    const { env, limitMs = LIMIT_MS } = this.#options;
    const program = started({ file: `docker-credential-${name}`, args: [verb], env });
    if (!program) return { kind: 'failed', output: '' };
    const { promise, resolve } = Promise.withResolvers<Said>();
    gather(program, resolve);
    program.stdin.end(input);
    try {
      const said = await settledWithin(limitMs, promise, { signal });
      return said ?? { kind: 'slow', output: '' };
    } finally {
      // Not waited for: what it has started may hold its outputs open for ever.
      program.dispose();
    }
  }
}

/** How a helper may fail us; see `Trouble` for what each means. */
export type HelperFailure = 'missing' | 'slow' | 'failed' | 'rubbish' | 'tooMuch';

/** What a helper has for a registry. */
export type HelperResult =
  | { readonly kind: 'found'; readonly username: string; readonly secret: Secret }
  | { readonly kind: 'notFound' }
  | { readonly kind: HelperFailure };

/** What a helper is to keep. */
export interface HelperEntry {
  readonly username: string;
  readonly secret: Secret;
}

/** How helpers are run. */
export interface HelperOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long one may take, in milliseconds: it may have to ask the person. */
  readonly limitMs?: number;
}

/** The user's name that says: the secret is an identity token. */
export const TOKEN_USER = '<token>';

const LIMIT_MS = 30_000;
/** In bytes; a token of a cloud's registry has some thousands. */
const OUTPUT_LIMIT = 256 * 1024;
const NOT_FOUND = 'credentials not found in native keychain';

/** Whether a word out of a file can be the name of a helper: it becomes a part of a program's name. */
export function isHelperName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name);
}

interface Said {
  readonly kind: HelperFailure | 'done';
  readonly output: string;
}

/** Some systems refuse a damaged program, or one for another processor, before there is a process. */
function started(call: ProgramCall): Program | undefined {
  try {
    return new Program(call);
  } catch {
    return undefined;
  }
}

/** Collects what a helper says, within bounds, and tells once it is at its end. */
function gather(program: Program, tell: (said: Said) => void): void {
  const parts: Buffer[] = [];
  let length = 0;
  program.stdout.on('data', (part: Buffer) => {
    length += part.length;
    if (length > OUTPUT_LIMIT) tell({ kind: 'tooMuch', output: '' });
    else parts.push(part);
  });
  void program.ended.then(({ code, spawnError }) => {
    if (spawnError !== undefined) {
      tell({ kind: spawnError === 'ENOENT' ? 'missing' : 'failed', output: '' });
      return;
    }
    tell({ kind: code === 0 ? 'done' : 'failed', output: Buffer.concat(parts).toString('utf8') });
  });
}

function readAnswer(output: string): HelperResult {
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    // Its words may be a secret: they go nowhere.
    return { kind: 'rubbish' };
  }
  const entry = asRecord(answer);
  const [username, secret] = [asText(entry['Username']), asText(entry['Secret'])];
  if (username === '' || secret === '') return { kind: 'rubbish' };
  return { kind: 'found', username, secret: new Secret(secret) };
}
