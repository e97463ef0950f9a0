import { request } from 'node:http';

/** When the engine says that something happened to one container. */
export interface EventTimes {
  /** Of the last event of this name, milliseconds since 1970. */
  last(action: string): number;
  stop(): void;
}

/** Follows the engine's events by a connection of its own; resolves once it hears them. */
export function followEventTimes(socket: string, id: string): Promise<EventTimes> {
  const times = new Map<string, number>();
  const filters = encodeURIComponent(JSON.stringify({ container: [id] }));
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: socket, path: `/v1.41/events?filters=${filters}` });
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.setEncoding('utf8').on('data', (text: string) => {
        // One record is one chunk here; a name and a moment is all that is read of it.
        const found = text.matchAll(/"Action":"(\w+)".*?"timeNano":(\d+)/g);
        for (const [, action = '', nanos] of found) times.set(action, Number(nanos) / 1e6);
      });
      response.on('error', () => undefined);
      resolve({ last: (action) => times.get(action) ?? NaN, stop: () => sent.destroy() });
    });
    sent.end();
  });
}
