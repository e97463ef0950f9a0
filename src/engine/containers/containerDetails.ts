import { plainText } from '../../plainText.ts';
import { readState } from './readContainer.ts';
import type { ContainerState } from '../model.ts';
import { asId, asImageId, asLine, asList, asNumber, asRecord, asText, asTextMap } from '../wire.ts';

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
  /** RFC 3339 as the engine writes it; so are the two below, which are empty where it has not happened. */
  readonly createdAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  /** Whether the machine killed the run because it took more memory than it may. Not every engine notices. */
  readonly wasOutOfMemory: boolean;
  readonly error: string;
  readonly hasTty: boolean;
  /** Seconds the engine waits at a stop before it kills; undefined where the engine's default holds. */
  readonly stopTimeout: number | undefined;
  /** Where its process begins; empty where none is told. */
  readonly workingDir: string;
  readonly binds: readonly BindMount[];
  /** The engine's answer as it came. */
  readonly raw: unknown;
}

/** A folder or file of the engine's machine that a container sees. */
export interface BindMount {
  /** On the engine's machine, as the engine spells it. */
  readonly source: string;
  /** In the container. */
  readonly target: string;
}

/** Shapes an inspect answer. */
export function readContainerDetails(raw: unknown): ContainerDetails {
  const wire = asRecord(raw);
  const state = asRecord(wire['State']);
  const config = asRecord(wire['Config']);
  const startedAt = readMoment(state['StartedAt']);
  return {
    id: asId(wire['Id']),
    name: asLine(wire['Name']).replace(/^\//, ''),
    image: asLine(config['Image']),
    imageId: asImageId(wire['Image']),
    labels: asTextMap(config['Labels']),
    state: readState(state['Status']),
    isRunning: state['Running'] === true,
    wasStarted: startedAt !== '',
    createdAt: readMoment(wire['Created']),
    startedAt,
    finishedAt: readMoment(state['FinishedAt']),
    exitCode: asNumber(state['ExitCode']) ?? 0,
    wasOutOfMemory: state['OOMKilled'] === true,
    error: plainText(asText(state['Error'])),
    hasTty: config['Tty'] === true,
    stopTimeout: asNumber(config['StopTimeout']),
    workingDir: asText(config['WorkingDir']),
    binds: asList(wire['Mounts']).map(asRecord).flatMap(readBind),
    raw,
  };
}

function readBind(mount: Readonly<Record<string, unknown>>): readonly BindMount[] {
  const [source, target] = [asText(mount['Source']), asText(mount['Destination'])];
  return mount['Type'] === 'bind' && source !== '' && target !== '' ? [{ source, target }] : [];
}

/** Year one is how the engine writes "never". */
function readMoment(value: unknown): string {
  const text = asText(value);
  return text.startsWith('0001-') ? '' : text;
}
