import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Disposable } from '../../base/lifetime.ts';
import { asRecord, asText } from '../wire/wire.ts';
import { asQuestion, type Ask, type SshQuestion } from './sshQuestion.ts';
import { tryParseJson } from '../wire/parseJson.ts';

/** Maximum length of a message from the helper, in characters. */
const LONGEST_MESSAGE = 64 * 1024;

// ssh starts this script with the prompt as an argument, so the shell never interprets any part of it.
const WRAPPER = `#!/bin/sh
unset NODE_OPTIONS
ELECTRON_RUN_AS_NODE=1 exec "$GANTRY_ASKPASS_NODE" "$GANTRY_ASKPASS_PROGRAM" "$@"
`;

/** Receives ssh's questions from the askpass helper, and sends the answers back. */
export class AskpassServer implements Disposable {
  readonly #options: AskpassServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #secret = randomBytes(32).toString('hex');
  #open = 0;

  constructor(options: AskpassServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Starts to listen. @returns environment variables that make ssh ask here. @throws errors of the file system. */
  async listen(): Promise<NodeJS.ProcessEnv> {
    const { folder, helper } = this.#options;
    const wrapper = join(folder, 'ask');
    await writeFile(wrapper, WRAPPER, { mode: 0o700 });
    // The umask of this process may have removed permissions.
    await chmod(wrapper, 0o700);
    const socket = join(folder, 'a');
    this.#server.listen(socket);
    await once(this.#server, 'listening');
    return {
      SSH_ASKPASS: wrapper,
      SSH_ASKPASS_REQUIRE: 'force',
      // Before OpenSSH 8.4, only DISPLAY makes ssh use askpass.
      DISPLAY: process.env['DISPLAY'] ?? 'none:0',
      GANTRY_ASKPASS_NODE: process.execPath,
      GANTRY_ASKPASS_PROGRAM: helper,
      GANTRY_ASKPASS_SOCKET: socket,
      GANTRY_ASKPASS_SECRET: this.#secret,
    };
  }

  dispose(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const gone = new AbortController();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      gone.abort();
    });
    socket.on('error', () => undefined);
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      // One question per connection.
      if (text.endsWith('\n') || text.length > LONGEST_MESSAGE) return void socket.destroy();
      text += part;
      if (text.endsWith('\n')) void this.#answer(socket, text, gone.signal);
    });
  }

  async #answer(socket: Socket, text: string, signal: AbortSignal): Promise<void> {
    const message = asRecord(tryParseJson(text));
    if (!this.#isOurs(asText(message['secret']))) {
      socket.destroy();
      return;
    }
    const { ask, host, onRefused } = this.#options;
    const question = asQuestion(asText(message['prompt']), asText(message['hint']), host);
    const answer = await this.#counted(() => ask(question, signal)).catch(() => undefined);
    if (signal.aborted) return;
    if (answer !== undefined || question.kind === 'notice') {
      socket.end(`${JSON.stringify({ answer: wireAnswer(question, answer) })}\n`);
      return;
    }
    socket.destroy();
    onRefused();
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#options.onOpen(++this.#open);
    try {
      return await work();
    } finally {
      this.#options.onOpen(--this.#open);
    }
  }

  #isOurs(secret: string): boolean {
    const given = Buffer.from(secret);
    const wanted = Buffer.from(this.#secret);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

/** Dependencies of an `AskpassServer`. */
interface AskpassServerOptions {
  /** A folder that only this user can access. */
  readonly folder: string;
  /** The askpass helper: a script for Node. */
  readonly helper: string;
  readonly host: string;
  readonly ask: Ask;
  /** Called when a question opens or closes, with the number of open questions. */
  readonly onOpen: (count: number) => void;
  /** Called when the user does not answer a question. */
  readonly onRefused: () => void;
}

/** Formats an answer for ssh, which reads one line. */
function wireAnswer({ kind }: SshQuestion, answer = ''): string {
  return kind === 'confirm' ? 'yes' : answer.replace(/[\r\n\0].*$/s, '');
}
