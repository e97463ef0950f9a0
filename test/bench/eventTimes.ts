import { request } from 'node:http';

/** The times of engine events, in milliseconds since 1970. */
export interface EventTimes {
  /** The time of the last event with this name, or NaN. */
  last(action: string): number;
  /** The times of all events with this name, in order of arrival. */
  all(action: string): readonly number[];
  stop(): void;
}

/**
 * Follows the events of the engine on a separate connection, for one container or all. Resolves when the
 * stream is open.
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

/** Reads only the name and the time of an event. */
function note(times: Map<string, number[]>, record: string): void {
  const [, action, nanos] = /"Action":"([^"]+)".*?"timeNano":(\d+)/.exec(record) ?? [];
  if (action === undefined) return;
  times.set(action, [...(times.get(action) ?? []), Number(nanos) / 1e6]);
}
