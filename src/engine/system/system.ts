import type { Connection } from '../http/connection.ts';
import { asHealth } from '../containers/readContainer.ts';
import type { EngineEvent } from '../model.ts';
import { JsonRecords } from '../jsonRecords.ts';
import { asLine, asList, asRecord, asText } from '../wire.ts';

/**
 * The events that change what a list shows, under Docker's names and Podman's. Named one by one, for a
 * health check alone would send three others each time it runs.
 */
const EVENT_NAMES: readonly string[] = [
  ...['create', 'start', 'restart', 'stop', 'die', 'pause', 'unpause', 'rename', 'update'],
  ...[
    'destroy',
    'health_status',
    'commit',
    'init',
    'died',
    'remove',
    'cleanup',
    'restore',
    'prune',
  ],
  ...['pull', 'tag', 'untag', 'delete', 'import', 'load', 'build', 'loadfromarchive'],
];

/**
 * Follows the engine's events of containers and images: `GET /events`. Resolves once the engine has
 * answered; the iteration ends when the engine ends it and throws EngineError `cut` when the connection
 * breaks.
 *
 * @param options `since`: `seconds[.nanoseconds]` of the engine's own clock, inclusive.
 */
export async function followEvents(
  connection: Connection,
  options: { readonly since?: string },
  signal: AbortSignal,
): Promise<AsyncIterable<EngineEvent>> {
  const filters = JSON.stringify({ type: ['container', 'image'], event: EVENT_NAMES });
  const reply = await connection.stream({
    method: 'GET',
    path: '/events',
    query: { since: options.since, filters },
    signal,
    isVital: true,
  });
  return readEvents(connection, reply.body);
}

async function* readEvents(
  connection: Connection,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<EngineEvent> {
  const where = { endpoint: connection.endpoint.url, operation: 'GET /events' };
  const records = new JsonRecords({ where });
  for await (const chunk of body) {
    for (const record of records.push(chunk)) {
      const event = readEvent(record);
      if (event) yield event;
    }
  }
}

/** One record of the stream; undefined where it names nothing. */
export function readEvent(record: unknown): EngineEvent | undefined {
  const wire = asRecord(record);
  const type = asLine(wire['Type']);
  // Three actions carry text after a colon.
  const [action = '', words] = asLine(wire['Action']).split(':', 2);
  if (type === '' || action === '') return undefined;
  const id = asLine(asRecord(wire['Actor'])['ID']);
  // Docker says it behind the action, Podman in a field of its own.
  const word = action === 'health_status' ? (wire['HealthStatus'] ?? words?.trim()) : undefined;
  const health = asHealth(word);
  return { type, action, id, ...(health === undefined ? {} : { health }) };
}

/**
 * The engine's own clock in whole seconds, from the `Date` header of a cheap answer; undefined where it
 * sends none. The local clock may differ, above all with an engine in a virtual machine.
 */
export async function engineTime(
  connection: Connection,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const reply = await connection.send({ method: 'GET', path: '/_ping', signal });
  const milliseconds = Date.parse(reply.headers['date'] ?? '');
  return Number.isNaN(milliseconds) ? undefined : String(Math.floor(milliseconds / 1000));
}

/**
 * Whether the engine keeps its images in containerd, where one name may stand for several platforms:
 * `GET /info`, which is dear on some engines.
 */
export async function hasContainerdStore(
  connection: Connection,
  signal?: AbortSignal,
): Promise<boolean> {
  const reply = await connection.send({ method: 'GET', path: '/info', signal });
  const pairs = asList(asRecord(reply.json())['DriverStatus']).map(asList);
  return pairs.some(([, value]) => asText(value).startsWith('io.containerd.snapshotter'));
}
