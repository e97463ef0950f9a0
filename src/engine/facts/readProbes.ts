import { plainText } from '../../base/plainText.ts';
import { asHealth } from '../containers/readContainer.ts';
import { asList, asMoment, asNumber, asRecord, asText } from '../wire/wire.ts';
import type { ContainerFacts, Probe } from './containerFacts.ts';

/** Engines keep five. */
const MOST_PROBES = 5;
/** In characters; engines keep 4 kB. */
const LONGEST_OUTPUT = 4096;

/** Reads `State` of an inspected container: the result of the health check, and the last probes. */
export function readProbes(
  state: Readonly<Record<string, unknown>>,
): Pick<ContainerFacts, 'health' | 'failingStreak' | 'probes'> {
  // Podman 4 has called it so, too.
  const wire = asRecord(state['Health'] ?? state['Healthcheck']);
  const health = asHealth(wire['Status']);
  const streak = asNumber(wire['FailingStreak']) ?? 0;
  return {
    ...(health !== undefined && { health }),
    failingStreak: Number.isSafeInteger(streak) && streak > 0 ? streak : 0,
    probes: asList(wire['Log']).slice(-MOST_PROBES).map(readProbe),
  };
}

function readProbe(value: unknown): Probe {
  const wire = asRecord(value);
  const durationMs = Date.parse(asText(wire['End'])) - Date.parse(asText(wire['Start']));
  return {
    startedAt: asMoment(asText(wire['Start'])),
    // Negative after the clock was set back.
    ...(durationMs >= 0 && { durationMs }),
    exitCode: asNumber(wire['ExitCode']) ?? -1,
    output: plainText(asText(wire['Output']), LONGEST_OUTPUT).trim(),
  };
}
