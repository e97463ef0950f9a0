const FIRST = 100;
/** An engine on this machine costs nothing to ask; the person is waiting to see it come back. */
const LONGEST_NEAR = 1000;
const LONGEST_FAR = 15_000;

/**
 * How many milliseconds to wait before the next try.
 *
 * @param failures how often it has failed before, since it last worked.
 * @param endpoint where it was tried, as a URL; near, where it is not known.
 * @param random between 0 and 1: several windows must not all come back at one moment.
 */
export function backOff(failures: number, endpoint: string | undefined, random: number): number {
  const longest = endpoint === undefined || isNear(endpoint) ? LONGEST_NEAR : LONGEST_FAR;
  return Math.min(FIRST * 2 ** failures, longest) * (1 - random / 4);
}

/** Sockets, pipes and ports of this machine. Behind ssh it may be any machine. */
function isNear(endpoint: string): boolean {
  if (/^ssh:/i.test(endpoint)) return false;
  if (!/^(tcp|https?):/i.test(endpoint)) return true;
  const [, host = ''] = /^\w+:\/\/(\[[^\]]*\]|[^:/]*)/.exec(endpoint) ?? [];
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}
