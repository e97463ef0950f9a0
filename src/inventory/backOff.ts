import type { EngineError, FailureReason } from '../engine/errors.ts';

// Pauses in milliseconds.
const FIRST = 100;
/** A try is cheap for a local engine, and the user is waiting for it to come back. */
const LONGEST_NEAR = 1000;
const LONGEST_FAR = 15_000;
/** If an engine has been lost for longer, the user is hardly waiting for it. */
const RECENTLY = 60_000;
/** Minus the jitter of up to a quarter: at most four tries a minute. */
const LONGEST_LATE = 20_000;

/**
 * Returns how many milliseconds to wait before the next try. Unlike `nextPause`, it depends on what a try
 * costs and on how long the engine has been lost.
 *
 * @param failures consecutive failures before this one, since the engine last worked.
 * @param cap the cost of a try: see {@link capOf}.
 * @param lostFor milliseconds since the engine was lost.
 * @param random jitter between 0 and 1, so that several windows do not reconnect at the same time.
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

/** Failures that come from a response, even if its status is not known. */
const ANSWERED: readonly FailureReason[] = [
  'badAnswer',
  'tooLarge',
  'notAnEngine',
  'proxyPage',
  'signInNeeded',
  'tooOld',
  'tooNew',
  'pinRefused',
];

/**
 * Returns the cost of the next try. If an engine responded, a try is work for it and will probably fail again: `far`.
 */
export function capOf({
  endpoint,
  reason,
  status,
}: Pick<EngineError, 'endpoint' | 'reason' | 'status'>): 'near' | 'far' {
  const isNoOneThere = status === undefined && !ANSWERED.includes(reason);
  return isNoOneThere && (endpoint === undefined || isNear(endpoint)) ? 'near' : 'far';
}

/** Whether the endpoint is a socket, pipe or port of this machine. An SSH endpoint may lead to any machine. */
function isNear(endpoint: string): boolean {
  if (/^ssh:/i.test(endpoint)) return false;
  if (!/^(tcp|https?):/i.test(endpoint)) return true;
  const [, host = ''] = /^\w+:\/\/(\[[^\]]*\]|[^:/]*)/.exec(endpoint) ?? [];
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}
