import type { Connection } from './connection.ts';
import { EngineError } from '../errors.ts';
import { StepYielder } from '../../base/stepYielder.ts';
import { asRecord } from '../wire/wire.ts';
import { badAnswer } from './readReply.ts';
import type { EngineRequest } from './engineRequest.ts';
import { operationOf } from './requestRecord.ts';

/** In bytes: 10,000 containers with all their labels take 20 to 30 MB, and many times that when parsed. */
const LIST_LIMIT = 64 * 1024 * 1024;

/**
 * Requests a list.
 *
 * @param options `countLimit`: maximum number of entries, by default ten times the largest number observed;
 *   `listIn`: returns the list in the response, by default the response itself; `ifNull`: the value for a list of
 *   `null`, if it is allowed.
 * @throws EngineError `badAnswer` if the response is not a list; `tooLarge` past 64 MiB or the limit.
 */
export async function fetchList(
  connection: Connection,
  request: EngineRequest,
  { countLimit = 100_000, listIn = (reply) => reply, ifNull }: ListOptions = {},
): Promise<readonly unknown[]> {
  const reply = await connection.send({ ...request, answerLimit: LIST_LIMIT });
  const found = listIn(reply.json());
  // A list that is missing is unknown, not empty.
  const list = found === null ? ifNull : found;
  const operation = operationOf(request);
  if (!Array.isArray(list)) throw badAnswer(connection, operation);
  if (list.length > countLimit)
    throw new EngineError('tooLarge', { endpoint: connection.endpoint.url, operation });
  return list as readonly unknown[];
}

interface ListOptions {
  readonly countLimit?: number;
  readonly listIn?: (reply: unknown) => unknown;
  readonly ifNull?: readonly unknown[];
}

/**
 * Returns what is read of each element of a list, without those that are undefined. Other work runs in between: a list
 * may have 100,000 elements, and one element very many entries.
 *
 * @throws the reason of the signal.
 */
export async function readInTurns<T>(
  list: readonly unknown[],
  read: (element: unknown) => T | undefined,
  signal: AbortSignal = new AbortController().signal,
  pace = new StepYielder(signal),
): Promise<readonly T[]> {
  const all: T[] = [];
  for (const element of list) {
    const one = read(element);
    if (one !== undefined) all.push(one);
    pace.count(ELEMENT_STEPS + ENTRY_STEPS * entriesIn(element));
    if (pace.isDue) await pace.rest();
  }
  return all;
}

/** Steps that an element counts, and each entry in it. */
const ELEMENT_STEPS = 300;
const ENTRY_STEPS = 10;

/** Returns how many entries an element has: of its lists, and of the objects in it. */
function entriesIn(element: unknown, depth = 0): number {
  if (Array.isArray(element)) return element.length;
  const values = Object.values(asRecord(element));
  const inside = depth < 2 ? values.map((one) => entriesIn(one, depth + 1)) : [];
  return inside.reduce((sum, count) => sum + count, values.length);
}
