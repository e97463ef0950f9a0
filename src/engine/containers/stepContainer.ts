/** The container in which a shell at a failed step of a build runs. */

import { randomBytes } from 'node:crypto';
import type { ContainerDetails } from './containerDetails.ts';
import { removeContainer } from './containerLifecycle.ts';
import { inspectContainer } from './containers.ts';
import type { Connection } from '../http/connection.ts';
import type { Container } from '../model.ts';
import type { CreateRequest } from './createRequest.ts';
import { asList, asRecord } from '../wire/wire.ts';
import { STEP_LABEL } from '../images/temporaryMarks.ts';
import { hasEnded } from './openTemporaryContainer.ts';

const NAME = /^gantry-step-[0-9a-f]{12}$/;
const COMMAND: readonly string[] = ['sh', '-c', 'read wait'];

/**
 * Returns the request that creates a container which waits, whatever the image runs otherwise.
 *
 * @param owner the mark of this window.
 */
export function stepContainer(
  image: string,
  owner: string,
  host: object,
): CreateRequest & { readonly name: string } {
  return {
    name: `gantry-step-${randomBytes(6).toString('hex')}`,
    body: {
      Image: image,
      Entrypoint: COMMAND,
      Cmd: [],
      OpenStdin: true,
      Tty: true,
      Healthcheck: { Test: ['NONE'] },
      Labels: { [STEP_LABEL]: owner },
      HostConfig: host,
    },
  };
}

/**
 * Whether a container is one of a window that was killed: on this machine, because elsewhere a window may still be
 * running.
 *
 * @param owner the mark of this window.
 */
export function isLeftStep(
  { labels, name }: Pick<Container, 'labels' | 'name'>,
  owner: string,
  isAlive?: (pid: number) => boolean,
): boolean {
  const theirs = Object.hasOwn(labels, STEP_LABEL) ? labels[STEP_LABEL] : undefined;
  return theirs !== undefined && NAME.test(name) && hasEnded(theirs, owner, isAlive) === true;
}

/** Removes such a container if an inspect confirms that it is one, with its anonymous volumes. */
export async function removeLeftStep(
  connection: Connection,
  id: string,
  owner: string,
): Promise<void> {
  const details = await inspectContainer(connection, id);
  if (isLeftStep(details, owner) && isWaiting(details))
    await removeContainer(connection, id, { force: true, volumes: true });
}

function isWaiting({ raw }: ContainerDetails): boolean {
  const { Path: path, Args: args } = asRecord(raw);
  const words = [path, ...asList(args)];
  return words.length === COMMAND.length && COMMAND.every((word, at) => word === words[at]);
}
