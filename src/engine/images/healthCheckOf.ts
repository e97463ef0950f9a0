import { asList, asNumber, asRecord, asTexts } from '../wire/wire.ts';

/** The options of `HEALTHCHECK`, by the field of the engine. */
const DURATIONS = {
  '--interval': 'Interval',
  '--timeout': 'Timeout',
  '--start-period': 'StartPeriod',
} as const;

/**
 * Returns the health check of an inspected container as a Dockerfile instruction; undefined if it has none.
 *
 * @param raw response of `GET /containers/{id}/json`.
 */
export function healthCheckOf(raw: unknown): string | undefined {
  const check = asRecord(asRecord(asRecord(raw)['Config'])['Healthcheck']);
  const [kind = '', ...words] = asTexts(check['Test']);
  if (kind === '' || asList(check['Test']).length !== words.length + 1) return undefined;
  if (kind === 'NONE') return 'HEALTHCHECK NONE';
  const options = Object.entries(DURATIONS).flatMap(([option, field]) => {
    const nanoseconds = asNumber(check[field]) ?? 0;
    return nanoseconds > 0 ? [`${option}=${nanoseconds}ns`] : [];
  });
  const retries = asNumber(check['Retries']) ?? 0;
  if (retries > 0) options.push(`--retries=${retries}`);
  return ['HEALTHCHECK', ...options, 'CMD', commandOf(kind, words)].join(' ');
}

/** A shell command of several lines, or one that looks like an array, is passed to the shell as an argument. */
function commandOf(kind: string, words: readonly string[]): string {
  if (kind === 'CMD') return JSON.stringify(words);
  const text = words.join(' ');
  return /[\r\n]|^\s*\[|\\$/.test(text) ? JSON.stringify(['/bin/sh', '-c', text]) : text;
}
