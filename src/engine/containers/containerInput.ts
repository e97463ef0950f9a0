import type { ContainerDetails } from './containerDetails.ts';
import { asList, asRecord, asText } from '../wire.ts';

/** What a container's own process was given to begin with, as far as a terminal needs to know it. */
export interface ContainerInput {
  /** Whether what is sent to it reaches it. */
  readonly isOpen: boolean;
  /** Whether its input ends for good with the first who leaves. */
  readonly endsWithFirst: boolean;
  /** The names of its environment's variables. */
  readonly variables: ReadonlySet<string>;
}

/** Reads it from what an engine tells of a container. */
export function containerInputOf({ raw, hasTty }: ContainerDetails): ContainerInput {
  const config = asRecord(asRecord(raw)['Config']);
  const names = asList(config['Env']).map((one) => asText(one).split('=', 1)[0] ?? '');
  return {
    isOpen: config['OpenStdin'] === true,
    // Engines do not close the input of a terminal.
    endsWithFirst: config['StdinOnce'] === true && !hasTty,
    variables: new Set(names),
  };
}
