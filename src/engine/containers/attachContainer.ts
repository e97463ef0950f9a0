/** A container's own input and output: `POST /containers/{id}/attach`. */

import type { Connection } from '../http/connection.ts';
import { containerPath } from './containers.ts';
import { sendTerminalSize, type TerminalSize } from './exec.ts';
import type { DuplexStream } from '../http/duplexStream.ts';

/**
 * Attaches to a container that runs. With a terminal the output is what it writes from now on, as it is; without,
 * it comes in frames. What does not run answers nothing until it is started: look first.
 *
 * @param signal detaches.
 */
export async function attachContainer(
  connection: Connection,
  id: string,
  { wantsInput, detachKeys }: AttachOptions,
  signal?: AbortSignal,
): Promise<DuplexStream> {
  const query = { stream: true, stdin: wantsInput, stdout: true, stderr: true, detachKeys };
  return connection.upgrade({ method: 'POST', path: containerPath(id, 'attach'), query, signal });
}

/** How to be attached. */
export interface AttachOptions {
  /** Whether something will be sent. Only a container that was created with an open input takes it. */
  readonly wantsInput: boolean;
  /** What a person presses to be detached, as the engine spells it: `ctrl-],ctrl-]`. For terminals alone. */
  readonly detachKeys?: string;
}

/** Tells a container's terminal how large it is: `POST /containers/{id}/resize`. */
export async function resizeContainer(
  connection: Connection,
  id: string,
  size: TerminalSize,
  signal?: AbortSignal,
): Promise<void> {
  await sendTerminalSize(connection, containerPath(id, 'resize'), size, signal);
}
