import { request } from 'node:http';

/** When the engine says that something happened; all moments in milliseconds since 1970. */
export interface EventTimes {
  /** Of the last event of this name; NaN without one. */
  last(action: string): number;
  /** Of all events of this name, in the order in which they came. */
  all(action: string): readonly number[];
  stop(): void;
}

/**
 * Follows the engine's events by a connection of its own, those of one container or all; resolves once it
 * hears them.
 */
export function followEventTimes(socket: string, id?: string): Promise<EventTimes> {
  const times = new Map<string, number[]>();
  const filters = id === undefined ? {} : { container: [id] };
  const path = `/v1.41/events?filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const all = (action: string): readonly number[] => times.get(action) ?? [];
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: socket, path });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const records = (rest + text).split('\n');
        rest = records.pop() ?? '';
        for (const record of records) note(times, record);
      });
      response.on('error', () => undefined);
      resolve({ last: (action) => all(action).at(-1) ?? NaN, all, stop: () => sent.destroy() });
    });
    sent.end();
  });
}

/** A name and a moment is all that is read of an event. */
function note(times: Map<string, number[]>, record: string): void {
  const [, action, nanos] = /"Action":"([^"]+)".*?"timeNano":(\d+)/.exec(record) ?? [];
  if (action === undefined) return;
  times.set(action, [...(times.get(action) ?? []), Number(nanos) / 1e6]);
}
