import type { ContainerDetails } from '../containers/containerDetails.ts';
import { inspectContainer } from '../containers/containers.ts';
import { runExec } from '../exec/runExec.ts';
import { failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import type { ContainerNetwork } from '../model.ts';
import { isFullId, asRecord, asText } from '../wire/wire.ts';
import { parseListeningSockets, type ListeningSocket } from './listeningSocket.ts';
import { lookUpName, type Lookup } from './lookUpName.ts';

/** Known facts about the route from one container to another. */
export interface ReachFacts {
  readonly from: ReachEnd;
  readonly to: ReachEnd;
  /** Whether both use the same network stack, so that each is `localhost` for the other. */
  readonly isSameStack: boolean;
  /** The connections of `to` to the networks that both are on. */
  readonly shared: readonly ContainerNetwork[];
  /** Result of looking up the name of `to` in `from`; undefined if it is not known, or not asked. */
  readonly lookup: Lookup;
  /** The sockets on which processes of `to` listen; undefined if they are not known. */
  readonly sockets: readonly ListeningSocket[] | undefined;
}

export interface ReachEnd {
  readonly id: string;
  readonly name: string;
  /** False also while paused: then nothing in it answers. */
  readonly isRunning: boolean;
  /** As the engine reports it: `host`, `container:<id>`, the name of a network, and so on. */
  readonly mode: string;
  readonly networks: readonly ContainerNetwork[];
}

/** Looks at two containers, and asks programs in them. @throws EngineError `notFound`. */
export async function reachFacts(
  connection: Connection,
  fromId: string,
  toId: string,
  signal?: AbortSignal,
): Promise<ReachFacts> {
  const [from, to] = await Promise.all([
    inspectContainer(connection, fromId, signal).then(endOf),
    inspectContainer(connection, toId, signal).then(endOf),
  ]);
  const shared = sharedNetworks(from, to);
  const sameStack = isSameStack(from, to);
  const [lookup, sockets] = await Promise.all([
    // Within one network stack no name is needed.
    from.isRunning && to.isRunning && !sameStack && shared.length > 0
      ? lookUpName(connection, from.id, to.name, signal)
      : undefined,
    to.isRunning ? listeningSockets(connection, to.id, signal) : undefined,
  ]);
  return { from, to, isSameStack: sameStack, shared, lookup, sockets };
}

/** Returns the connections of `to` to networks that `from` is on, too. */
export function sharedNetworks(
  from: Pick<ReachEnd, 'networks'>,
  to: Pick<ReachEnd, 'networks'>,
): readonly ContainerNetwork[] {
  return to.networks.filter(
    (one) =>
      !['none', 'host'].includes(one.name) &&
      from.networks.some(
        (other) => other.name === one.name && isSameId(other.networkId, one.networkId),
      ),
  );
}

/** Whether two containers use one network stack. */
export function isSameStack(from: ReachEnd, to: ReachEnd): boolean {
  const stackOf = ({ id, mode }: ReachEnd): string =>
    mode === 'host' ? mode : (/^container:(.+)$/.exec(mode)?.[1] ?? id);
  return stackOf(from) === stackOf(to);
}

/** Two networks of Docker 20.10 can have the same name. A container may not report an ID. */
function isSameId(a: string, b: string): boolean {
  return a === b || !isFullId(a) || !isFullId(b);
}

function endOf({ id, name, state, networks, raw }: ContainerDetails): ReachEnd {
  const mode = asText(asRecord(asRecord(raw)['HostConfig'])['NetworkMode']);
  return { id, name, isRunning: state === 'running', mode, networks };
}

/** In bytes. What is missing in a list that is longer can be the socket that is asked for. */
const PROC_LIMIT = 4 * 1024 * 1024;

async function listeningSockets(
  connection: Connection,
  id: string,
  signal: AbortSignal | undefined,
): Promise<readonly ListeningSocket[] | undefined> {
  const command = ['cat', '/proc/net/tcp', '/proc/net/tcp6'];
  try {
    const done = await runExec(connection, id, command, { outputLimit: PROC_LIMIT }, signal);
    return done?.isWhole === true ? parseListeningSockets(done.output) : undefined;
  } catch (error) {
    if (failedWith(error, 'timeout')) return undefined;
    throw error;
  }
}
