import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Disposable } from '../../lifetime.ts';
import { asRecord, asText } from '../wire.ts';
import { asQuestion, type Ask, type SshQuestion } from './sshQuestion.ts';

/** The longest message of our helper. */
const LONGEST_MESSAGE = 64 * 1024;

// Started by ssh with the prompt as its argument, so that no part of it is ever read by this shell.
const WRAPPER = `#!/bin/sh
unset NODE_OPTIONS
ELECTRON_RUN_AS_NODE=1 exec "$GANTRY_ASKPASS_NODE" "$GANTRY_ASKPASS_PROGRAM" "$@"
`;

/** Takes ssh's questions from its askpass helper, and hands back the answers. */
export class AskpassServer implements Disposable {
  readonly #options: AskpassServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #secret = randomBytes(32).toString('hex');
  #open = 0;

  constructor(options: AskpassServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => {
      this.#take(socket);
    });
  }

  /** Begins to listen. @returns the variables that bring ssh here. @throws what the file system says. */
  async listen(): Promise<NodeJS.ProcessEnv> {
    const { folder, helper } = this.#options;
    const wrapper = join(folder, 'ask');
    await writeFile(wrapper, WRAPPER, { mode: 0o700 });
    // The mask of this process may have taken something off.
    await chmod(wrapper, 0o700);
    const socket = join(folder, 'a');
    this.#server.listen(socket);
    await once(this.#server, 'listening');
    return {
      SSH_ASKPASS: wrapper,
      SSH_ASKPASS_REQUIRE: 'force',
      // Before OpenSSH 8.4 this alone says that somebody can be asked.
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

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    const gone = new AbortController();
    socket.once('close', () => {
      this.#sockets.delete(socket);
      gone.abort();
    });
    socket.on('error', () => undefined);
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      // One question for each connection.
      if (text.endsWith('\n') || text.length > LONGEST_MESSAGE) return void socket.destroy();
      text += part;
      if (text.endsWith('\n')) void this.#answer(socket, text, gone.signal);
    });
  }

  async #answer(socket: Socket, text: string, signal: AbortSignal): Promise<void> {
    const message = asRecord(parse(text));
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

/** What an `AskpassServer` needs to know. */
export interface AskpassServerOptions {
  /** Private to this user. */
  readonly folder: string;
  /** The helper, as a file that Node can run. */
  readonly helper: string;
  readonly host: string;
  readonly ask: Ask;
  /** Hears when a question comes up, and how many are open when one is answered. */
  readonly onOpen: (count: number) => void;
  /** Hears when the person would not answer. */
  readonly onRefused: () => void;
}

/** ssh reads one line. */
function wireAnswer({ kind }: SshQuestion, answer = ''): string {
  return kind === 'confirm' ? 'yes' : answer.replace(/[\r\n\0].*$/s, '');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
