// The request log of a window, and what it shows about what a user did.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Editor } from '../harness.ts';
import { TIME_OFFSET } from './describeWindow.ts';

/** A request of the extension to an engine. */
export interface LoggedRequest {
  /** In milliseconds since 1970: when it ended. */
  readonly at: number;
  /** Method and path, without the version prefix. Values of a query may be left out. */
  readonly text: string;
}

/** Returns the requests of a shared window so far that succeeded. */
export function loggedRequests({ served }: Pick<Editor, 'served'>): readonly LoggedRequest[] {
  const files = globSync(join(served.userDataDir, '../**/Gantry.log'));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  return lines.flatMap((line) => {
    const [, day, time, text = ''] =
      /^(\S+) (\S+) \[info\] ((?:GET|POST|PUT|DELETE|HEAD) .*) [123]\d\d \d+ ms$/.exec(line) ?? [];
    const at = Date.parse(`${day}T${time}${TIME_OFFSET}`);
    return text === '' ? [] : [{ at, text: text.replace(/ \/v[\d.]+(?=\/)/, ' ') }];
  });
}

/** Lists that a view requests again after events, and the container whose health is awaited. */
const AFTER_EVENTS =
  /^GET (?:\/images\/json|\/libpod\/pods\/json|\/volumes|\/containers\/(?:json\?all=1&filters=…|[\da-f]{64}\/json))$/;
/** A volume is looked at again right before it is filled, emptied, or removed: another one may have its name by then. */
const IDENTITY = /^GET \/volumes\/[^/]+$/;
/** A path that is too general: an upload has several parts, and commands of a container have one path. */
const VAGUE = /^(?:PUT|POST) \S+\/(?:archive|exec)\b/;

/**
 * Returns the requests that one act of the user repeats: a change that is made again, or a read that is made again
 * although nothing has changed. A second look before the first change is allowed: the user may have been asked.
 */
export function repeatedRequests(requests: readonly LoggedRequest[]): readonly string[] {
  const repeated: string[] = [];
  const changes = new Set<string>();
  let looks = new Map<string, number>();
  const judge = (most: number): void => {
    for (const [text, times] of looks) if (times > most) repeated.push(text);
    looks = new Map();
  };
  for (const { text } of requests) {
    if ([AFTER_EVENTS, IDENTITY, VAGUE].some((one) => one.test(text))) continue;
    if (text.startsWith('GET ')) {
      looks.set(text, (looks.get(text) ?? 0) + 1);
      continue;
    }
    judge(changes.size === 0 ? 2 : 1);
    if (changes.has(text)) repeated.push(text);
    changes.add(text);
  }
  judge(1);
  return repeated;
}
