import type { Connection } from '../http/connection.ts';
import type { DuplexStream } from '../http/duplexStream.ts';
import { containerPath } from '../wire/wire.ts';
import { resizing } from '../exec/exec.ts';

/**
 * Attaches to a running container: `POST /containers/{id}/attach`. The output starts with what the container writes
 * from now on. It is raw with a TTY, and in frames without. Check first that the container runs: otherwise the engine
 * does not respond until the container is started.
 *
 * @param options `wantsInput`: whether input will be sent, which works only if the container was created with STDIN
 *   open; `detachKeys`: the key sequence to detach, as the engine spells it (`ctrl-],ctrl-]`), only with a TTY.
 * @param signal detaches.
 */
export async function attachContainer(
  connection: Connection,
  id: string,
  { wantsInput, detachKeys }: { readonly wantsInput: boolean; readonly detachKeys?: string },
  signal?: AbortSignal,
): Promise<DuplexStream> {
  const query = { stream: true, stdin: wantsInput, stdout: true, stderr: true, detachKeys };
  return connection.upgrade({ method: 'POST', path: containerPath(id, 'attach'), query, signal });
}

/** Sets the size of the container's TTY: `POST /containers/{id}/resize`. */
export const resizeContainer = resizing((id) => containerPath(id, 'resize'));
