import { randomUUID } from 'node:crypto';
import type { CallHandler } from './grpc/callStream.ts';
import type { BuildEvent } from './model.ts';
import { sessionServices, type SessionParts } from './sessionServices.ts';

/** Returns a new session of a build. Its services are to be served where it is opened. */
export function newBuildSession(job: SessionJob): BuildSession {
  const id = randomUUID();
  const stop = new AbortController();
  const refused = new Set<string>();
  const services = sessionServices({
    ...job,
    onRefusal: (refusal) => {
      const key = `${refusal.kind} ${refusal.name}`;
      if (refused.has(key) || refused.size >= MOST_REFUSALS) return;
      refused.add(key);
      job.onEvent({ kind: 'refusal', refusal });
    },
    onFailure: (error) => stop.abort(error),
  });
  const headers = {
    'x-docker-expose-session-uuid': id,
    'x-docker-expose-session-name': 'gantry',
    'x-docker-expose-session-sharedkey': job.context.sharedKey,
    'x-docker-expose-session-grpc-method': [...services.keys()],
  };
  return { id, headers, services, signal: AbortSignal.any([job.signal, stop.signal]) };
}

/** Services that a build offers to the engine. */
export interface SessionJob extends Omit<SessionParts, 'onRefusal' | 'onFailure'> {
  readonly onEvent: (event: BuildEvent) => void;
  readonly signal: AbortSignal;
}

/** A session, by which the engine asks for files, credentials, and secrets during a build. */
export interface BuildSession {
  readonly id: string;
  /** Announces it to the engine. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly services: ReadonlyMap<string, CallHandler>;
  /** Signal of the build; also aborted, with the error, when a provider fails. */
  readonly signal: AbortSignal;
}

/** The most refused questions that are reported: each once. */
const MOST_REFUSALS = 100;
