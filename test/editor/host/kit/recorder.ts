// A proxy to the engine under test that records the requests.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bed } from '../../../bed/env.ts';
import { useHost } from './settings.ts';

/** Holds back responses of the engine. */
export interface Gate {
  /** Resolves when the engine has sent the first response that is held back. */
  readonly reached: Promise<void>;
  open(): void;
}

export interface Recorder {
  /** Returns all requests so far as "METHOD path?query". */
  lines(): readonly string[];
  /** Returns the requests of commands only: the views may refresh at any time. */
  asked(): readonly string[];
  /** Holds back the responses to matching requests until the gate is opened. */
  holdAnswers(path: RegExp): Gate;
  /** Reconnects to the engine without the recorder. */
  close(): Promise<void>;
}

const OF_VIEWS = /^GET (?:\S*\/_ping|\S+\/(?:events|(?:containers|images)\/json)(?:\?\S*)?)$/;

interface Held {
  readonly path: RegExp;
  readonly reach: () => void;
  readonly opened: Promise<void>;
}

/** Connects the extension to the engine under test through a recorder. */
export async function recordRequests(): Promise<Recorder> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-recorder-'));
  const lines: string[] = [];
  let held: Held | undefined;
  const server = createServer((incoming, outgoing) => {
    lines.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    forward(incoming, outgoing, () => held);
  });
  const socket = join(folder, 's');
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  await useHost(socket);
  return {
    lines: () => lines,
    asked: () => lines.filter((line) => !OF_VIEWS.test(line)),
    holdAnswers: (path) => {
      const reached = Promise.withResolvers<undefined>();
      const opened = Promise.withResolvers<undefined>();
      const reach = (): void => {
        reached.resolve(undefined);
      };
      held = { path, reach, opened: opened.promise };
      const open = (): void => {
        held = undefined;
        opened.resolve(undefined);
      };
      return { reached: reached.promise, open };
    },
    close: async () => {
      await useHost(undefined);
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  held: () => Held | undefined,
): void {
  const { method, url: path = '', headers } = incoming;
  const options = { socketPath: bed().socket, method, path, headers, agent: false };
  const asked = request(options, (answer) => {
    const gate = held();
    const hand = (): void => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    };
    if (!gate?.path.test(path)) {
      hand();
      return;
    }
    gate.reach();
    void gate.opened.then(hand);
  });
  asked.on('error', () => outgoing.destroy());
  outgoing.on('close', () => asked.destroy());
  incoming.pipe(asked);
}
