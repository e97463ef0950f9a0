import { oneLine } from '../../base/plainText.ts';
import { asLine, asList, asRecord, asText } from '../../engine/wire/wire.ts';

/** Turns the output of the compose CLI into readable lines: progress in JSON, and whatever else it writes. */
export class ComposeProgress {
  /** The last status of each row, and the build steps that were shown. */
  readonly #seen = new Map<string, string>();
  readonly #last: string[] = [];

  /** The last errors, and lines that are not JSON: why a run fails is among them. */
  get last(): readonly string[] {
    return this.#last;
  }

  linesOf(line: string): readonly string[] {
    const record = recordOf(line);
    if (!record) return this.#kept(line);
    if (record['error'] === true)
      return this.#kept(oneLine(asText(record['message']), LONGEST_LINE));
    const message = asText(record['msg']);
    if (message !== '') return [`${asText(record['level'])}: ${message}`];
    if (record['id'] !== undefined) return this.#ofEvent(record);
    return this.#ofBuild(record);
  }

  #kept(line: string): readonly string[] {
    this.#last.push(line.slice(0, LONGEST_LINE));
    if (this.#last.length > MOST_KEPT) this.#last.shift();
    return [line];
  }

  /** The layers of an image are left out. A download reports the same status many times. */
  #ofEvent(record: JsonObject): readonly string[] {
    if (record['parent_id'] !== undefined) return [];
    const id = asText(record['id']);
    const text = asText(record['text']);
    const shown = wordOf(record) || text;
    if (shown === '' || !this.#isNew(id, shown)) return [];
    const details = asText(record['details']);
    // An error has its reason there.
    return [
      record['status'] === 'Error' && details !== '' ? `${id}  ${details}` : `${id}  ${shown}`,
    ];
  }

  #ofBuild(record: JsonObject): readonly string[] {
    const steps = listOf(record['vertexes']).flatMap((vertex) => {
      const name = asText(vertex['name']);
      const error = asText(vertex['error']);
      const isStarted = vertex['started'] !== undefined && name !== '';
      return [
        ...(isStarted && this.#isNew(`step ${asText(vertex['digest'])}`, name) ? [name] : []),
        ...(error === '' ? [] : [error]),
      ];
    });
    const logs = listOf(record['logs']).flatMap(({ data }) =>
      Buffer.from(asText(data), 'base64')
        .toString('utf8')
        .split(/\r?\n/)
        .filter((text) => text !== ''),
    );
    return [...steps, ...logs];
  }

  #isNew(id: string, status: string): boolean {
    if (this.#seen.get(id) === status) return false;
    if (this.#seen.size >= MOST_SEEN) this.#seen.clear();
    this.#seen.set(id, status);
    return true;
  }
}

/** Report of the compose CLI about a container, image, network, volume or service. */
export interface ComposeEvent {
  /** With its kind: `Container shop-web-1`. A service has none. */
  readonly id: string;
  /** `Creating`, `Recreated`, `Healthy`. */
  readonly status: string;
}

/** Returns the event of one line of `--progress json`; undefined if it is something else, or a layer of an image. */
export function readComposeEvent(line: string): ComposeEvent | undefined {
  const record = recordOf(line);
  if (record?.['parent_id'] !== undefined) return undefined;
  const event = { id: asLine(record?.['id']), status: oneLine(record ? wordOf(record) : '') };
  return event.id === '' || event.status === '' ? undefined : event;
}

/** Returns the name of the container that an event is about. */
export function containerOf({ id }: ComposeEvent): string | undefined {
  return /^Container "?([^ "]+)"?$/.exec(id)?.[1];
}

/** Values of `status` since Compose 5, where `text` has the word. */
const STATUSES: ReadonlySet<string> = new Set(['Working', 'Done', 'Warning', 'Error']);

/** Returns what happened. Before Compose 5 it is in `status`. */
function wordOf(record: JsonObject): string {
  const status = asText(record['status']);
  const text = asText(record['text']);
  return STATUSES.has(status) && text !== '' ? text : status;
}

/** Returns the error of one line of `--progress json`; undefined if it is something else. */
export function readComposeError(line: string): string | undefined {
  const record = recordOf(line);
  if (record?.['error'] !== true) return undefined;
  return oneLine(asText(record['message']), LONGEST_LINE);
}

const LONGEST_LINE = 2000;
/** Limits of what is remembered. */
const MOST_SEEN = 2000;
const MOST_KEPT = 50;
const MOST_VERTEXES = 100;

type JsonObject = Readonly<Record<string, unknown>>;

function recordOf(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return asRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): readonly JsonObject[] {
  return asList(value).slice(0, MOST_VERTEXES).map(asRecord);
}
