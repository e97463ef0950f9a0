import {
  killContainer,
  pauseContainer,
  removeContainer,
  restartContainer,
  startContainer,
  stopContainer,
  unpauseContainer,
} from '../engine/containers/containerLifecycle.ts';
import type { Connection } from '../engine/http/connection.ts';
import { isUp, type Container } from '../engine/model.ts';
import type { Verb } from '../inventory/activity.ts';

export const OPERATIONS: Readonly<Record<ProjectVerb, Operation>> = {
  start: {
    verb: 'starting',
    order: 'forward',
    run: async (connection, { id, state }, signal) => {
      // To an engine, a paused container is a running one.
      if (state !== 'paused') return startContainer(connection, id, signal);
      await unpauseContainer(connection, id, signal);
      return { outcome: 'started' };
    },
  },
  stop: {
    verb: 'stopping',
    order: 'backward',
    run: (connection, { id }, signal) => stopContainer(connection, id, {}, signal),
  },
  restart: {
    verb: 'restarting',
    order: 'forward',
    run: (connection, { id }, signal) => restartContainer(connection, id, {}, signal),
  },
  pause: {
    verb: 'pausing',
    order: 'none',
    skip: unlessUp,
    run: (connection, { id }, signal) => pauseContainer(connection, id, signal),
  },
  unpause: {
    verb: 'unpausing',
    order: 'none',
    skip: unlessUp,
    run: (connection, { id }, signal) => unpauseContainer(connection, id, signal),
  },
  kill: {
    verb: 'killing',
    order: 'none',
    run: (connection, { id }, signal) => killContainer(connection, id, {}, signal),
  },
  remove: {
    verb: 'removing',
    // Podman refuses to remove a container that another one requires.
    order: 'backward',
    run: (connection, { id }, signal) => removeContainer(connection, id, {}, signal),
  },
};

/** Verb for all containers of a project. */
export type ProjectVerb = 'start' | 'stop' | 'restart' | 'pause' | 'unpause' | 'kill' | 'remove';

export type ContainerOutcome =
  | 'started'
  | 'alreadyStarted'
  | 'stopped'
  | 'alreadyStopped'
  | 'restarted'
  | 'killed'
  | 'paused'
  | 'alreadyPaused'
  | 'unpaused'
  | 'alreadyUnpaused'
  | 'notRunning'
  | 'removed'
  | 'alreadyGone';

interface Operation {
  /** Verb that the row shows. */
  readonly verb: Verb;
  /** In which order: dependencies first, dependents first, or all together. */
  readonly order: 'forward' | 'backward' | 'none';
  /** Returns the outcome if nothing has to be done. */
  readonly skip?: (container: Container) => ContainerOutcome | undefined;
  readonly run: (
    connection: Connection,
    container: Container,
    signal: AbortSignal,
  ) => Promise<{ readonly outcome: ContainerOutcome }>;
}

/** Only a container that is up can be paused or unpaused. */
function unlessUp(container: Container): ContainerOutcome | undefined {
  return isUp(container) ? undefined : 'notRunning';
}
