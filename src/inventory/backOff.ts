import type { EngineError, FailureReason } from '../engine/errors.ts';

const FIRST = 100;
/** An engine on this machine costs nothing to ask; the person is waiting to see it come back. */
const LONGEST_NEAR = 1000;
const LONGEST_FAR = 15_000;
/** Where nothing has been for this long, in milliseconds, nobody waits for it any more. */
const RECENTLY = 60_000;
/** With the quarter that may be taken off this is at most four tries a minute. */
const LONGEST_LATE = 20_000;

/**
 * How many milliseconds to wait before the next try. Unlike `nextPause`, it goes by what a try costs and how long the
 * engine is gone.
 *
 * @param failures how often it has failed before, since it last worked.
 * @param cap how dear a try is: see {@link capOf}.
 * @param lostFor for how many milliseconds it has been lost.
 * @param random between 0 and 1: several windows must not all come back at one moment.
 */
export function backOff(
  failures: number,
  cap: 'near' | 'far',
  lostFor: number,
  random: number,
): number {
  const near = lostFor < RECENTLY ? LONGEST_NEAR : LONGEST_LATE;
  const longest = cap === 'near' ? near : LONGEST_FAR;
  return Math.min(FIRST * 2 ** failures, longest) * (1 - random / 4);
}

/** Reasons that an answer was read for, also where no status is known. */
const ANSWERED: readonly FailureReason[] = [
  'badAnswer',
  'tooLarge',
  'notAnEngine',
  'proxyPage',
  'tooOld',
  'tooNew',
  'pinRefused',
];

/** How dear the next try is: one that an engine answers is work for it, and will hardly end in another way. */
export function capOf({
  endpoint,
  reason,
  status,
}: Pick<EngineError, 'endpoint' | 'reason' | 'status'>): 'near' | 'far' {
  const isNoOneThere = status === undefined && !ANSWERED.includes(reason);
  return isNoOneThere && (endpoint === undefined || isNear(endpoint)) ? 'near' : 'far';
}

/** Sockets, pipes and ports of this machine. Behind ssh it may be any machine. */
function isNear(endpoint: string): boolean {
  if (/^ssh:/i.test(endpoint)) return false;
  if (!/^(tcp|https?):/i.test(endpoint)) return true;
  const [, host = ''] = /^\w+:\/\/(\[[^\]]*\]|[^:/]*)/.exec(endpoint) ?? [];
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}
