// A way to the engine under test that writes down what is asked of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bed } from '../../../bed/env.ts';
import { useHost } from './settings.ts';

/** Holds the engine's answers back. */
export interface Gate {
  /** Resolves when the engine has given the first answer that is held. */
  readonly reached: Promise<void>;
  open(): void;
}

export interface Recorder {
  /** "METHOD path?query" of every request so far. */
  lines(): readonly string[];
  /** Those of commands: the views keep themselves fresh at any time. */
  asked(): readonly string[];
  /** Keeps answers to such requests from the extension until the gate is open. */
  holdAnswers(path: RegExp): Gate;
  /** Back to the engine without the recorder. */
  close(): Promise<void>;
}

const OF_VIEWS = /^GET (?:\S*\/_ping|\S+\/(?:events|(?:containers|images)\/json)(?:\?\S*)?)$/;

interface Held {
  readonly path: RegExp;
  readonly reach: () => void;
  readonly opened: Promise<void>;
}

/** Leads the extension to the engine under test by way of a recorder. */
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
