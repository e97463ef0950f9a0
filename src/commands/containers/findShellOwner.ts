import * as l10n from '@vscode/l10n';
import { inspectContainer, listContainers } from '../../engine/containers/containers.ts';
import { EngineError, InputError, unlessNotFound } from '../../engine/errors.ts';
import type { Connection } from '../../engine/http/connection.ts';
import type { Container } from '../../engine/model.ts';
import type { TerminalOwner } from '../../output/terminal/pty.ts';
import { filesOf, numberOf, projectOf, serviceOf } from '../../projects/projectLabels.ts';
import { isPlainObject } from '../ui/checkArguments.ts';
import { formatName } from '../ui/formatNames.ts';

/**
 * Returns the container with this ID, or the running one that has replaced it as its service: one of the same number,
 * or if the old one is gone, any.
 *
 * @throws InputError if none of the service runs; EngineError.
 */
export async function findShellOwner(
  connection: Connection,
  id: string,
  was: ShellService | undefined,
  signal?: AbortSignal,
): Promise<ShellOwner> {
  const inspected = inspectContainer(connection, id, signal);
  if (!was) return ownerOf(await inspected);
  const old = await unlessNotFound(inspected);
  if (old?.isRunning) return ownerOf(old);
  if (connection.endpoint.url !== was.host) {
    throw new EngineError('engineReplaced', { endpoint: was.host });
  }
  const all = await listContainers(connection, { all: true }, signal);
  const running = all.filter((one) => one.state === 'running' && isOf(one, was));
  const same = running.find((one) => numberOf(one) === was.number);
  const found = same ?? (old ? undefined : running[0]);
  if (found) return { id: found.id, name: found.name, isReplacement: true };
  if (old) return ownerOf(old);
  throw new InputError(
    l10n.t(
      'The service {0} of the project {1} has no running container.',
      formatName(was.service),
      formatName(was.project),
    ),
  );
}

/** The container that a shell is opened in. */
export interface ShellOwner extends TerminalOwner {
  /** Whether it has replaced another container of its service. */
  readonly isReplacement: boolean;
}

/** The service of a container, by which one that replaces it is found. */
export interface ShellService {
  readonly project: string;
  readonly service: string;
  /** The folder of the project, if known: another project can have its name. */
  readonly workingDir?: string;
  /** The number of the container among those of the service. */
  readonly number?: string;
  /** The address of the engine. */
  readonly host: string;
}

/** Whether a value of a caller is a service, as {@link shellServiceOf} returned it. */
export function isShellService(value: unknown): boolean {
  const fields = isPlainObject(value) ? value : {};
  const { project, service, host, workingDir = '', number = '' } = fields;
  return [project, service, host, workingDir, number].every((one) => typeof one === 'string');
}

/** Returns the service of a container; undefined if it belongs to none. */
export function shellServiceOf(
  container: Pick<Container, 'labels' | 'pod'>,
  host: string,
): ShellService | undefined {
  const project = projectOf(container);
  const service = serviceOf(container);
  if (project === undefined || service === undefined) return undefined;
  const { workingDir } = filesOf(container);
  const number = numberOf(container);
  return {
    project,
    service,
    ...(workingDir !== undefined && { workingDir }),
    ...(number !== undefined && { number }),
    host,
  };
}

function ownerOf({ id, name }: TerminalOwner): ShellOwner {
  return { id, name, isReplacement: false };
}

function isOf(container: Container, { project, service, workingDir }: ShellService): boolean {
  const isSame = projectOf(container) === project && serviceOf(container) === service;
  return isSame && (workingDir === undefined || filesOf(container).workingDir === workingDir);
}
