import { readState } from './containerRecord.ts';
import type { ContainerState } from './model.ts';
import { asImageId, asNumber, asRecord, asText, asTextMap } from './wire.ts';

/** What `GET /containers/{id}/json` tells that we use, with the whole answer beside it. */
export interface ContainerDetails {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: ContainerState;
  /** Running, also while paused or restarting. */
  readonly isRunning: boolean;
  /** False for a container whose process never ran. */
  readonly wasStarted: boolean;
  /** RFC 3339 as the engine writes it; empty where it has not happened. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly error: string;
  readonly hasTty: boolean;
  /** Seconds the engine waits at a stop before it kills; undefined where the engine's default holds. */
  readonly stopTimeout: number | undefined;
  /** The engine's answer as it came. */
  readonly raw: unknown;
}

/** Shapes an inspect answer. */
export function readContainerDetails(raw: unknown): ContainerDetails {
  const wire = asRecord(raw);
  const state = asRecord(wire['State']);
  const config = asRecord(wire['Config']);
  const startedAt = readMoment(state['StartedAt']);
  return {
    id: asText(wire['Id']),
    name: asText(wire['Name']).replace(/^\//, ''),
    image: asText(config['Image']),
    imageId: asImageId(wire['Image']),
    labels: asTextMap(config['Labels']),
    state: readState(state['Status']),
    isRunning: state['Running'] === true,
    wasStarted: startedAt !== '',
    startedAt,
    finishedAt: readMoment(state['FinishedAt']),
    exitCode: asNumber(state['ExitCode']) ?? 0,
    error: asText(state['Error']),
    hasTty: config['Tty'] === true,
    stopTimeout: asNumber(config['StopTimeout']),
    raw,
  };
}

/** Year one is how the engine writes "never". */
function readMoment(value: unknown): string {
  const text = asText(value);
  return text.startsWith('0001-') ? '' : text;
}
