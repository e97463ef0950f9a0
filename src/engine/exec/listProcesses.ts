import { oneLine } from '../../base/plainText.ts';
import { capabilitiesOf } from '../capabilities/capabilities.ts';
import { failedWith } from '../errors.ts';
import type { Connection } from '../http/connection.ts';
import { badAnswer } from '../http/readReply.ts';
import { asLine, asList, asRecord, asText, asTexts, containerPath } from '../wire/wire.ts';

/**
 * Lists the processes of a container: `GET /containers/{id}/top`. Docker lists those of a paused one, too.
 *
 * @throws EngineError `conflict` or `failed` if the container does not run, or if the engine cannot list processes:
 *   Docker runs the program `ps` of its machine. `badAnswer` if it lists none.
 */
export async function listProcesses(
  connection: Connection,
  id: string,
  signal?: AbortSignal,
): Promise<readonly ContainerProcess[]> {
  const { listsProcessesItself } = capabilitiesOf(await connection.info(signal));
  const list = async (path: string, query: Readonly<Record<string, string>>) => {
    const reply = await connection.send({ method: 'GET', path, query, signal });
    // Podman 4 answers so if the container does not run.
    if (reply.text.trim() === '') throw badAnswer(connection, `GET ${path}`);
    return readProcesses(reply.json(), listsProcessesItself);
  };
  const path = containerPath(id, 'top');
  if (listsProcessesItself)
    return list(`/libpod${path}`, { stream: 'false', ps_args: DESCRIPTORS });
  try {
    return await list(path, { ps_args: COLUMNS });
  } catch (error) {
    // A smaller `ps`, as that of BusyBox, refuses columns.
    if (failedWith(error, 'failed')) return list(path, {});
    throw error;
  }
}

/** A process of a container. Engines run what lists them on another side, so no field is certain. */
export interface ContainerProcess {
  /** Its ID in the container. Docker reports only those of its machine. */
  readonly pid?: number;
  /** Its ID on the machine of the engine. */
  readonly hostPid?: number;
  /** The ID of its parent: as `pid` if the process has one, else as `hostPid`. 0, or of no process here, for the first. */
  readonly parent?: number;
  readonly user: string;
  /** Percentage of the time of one processor that it used since its start. */
  readonly cpuPercent?: number;
  /** Resident memory in bytes. */
  readonly memoryBytes?: number;
  /** With its arguments, on one line. */
  readonly command: string;
}

/** Columns of `ps`. Engines split rows at spaces: a name with one must not move a number. The last one keeps its own. */
const COLUMNS = '-eo pid,ppid,pcpu,rss,user:32,args';
/** The same for Podman, which reads them itself, so that the image needs no `ps`. */
const DESCRIPTORS = 'pid,hpid,ppid,pcpu,rss,user,args';

/** Limits against an engine that lists processes without end, or with any number of arguments. */
const MOST_PROCESSES = 10_000;
const LONGEST_COMMAND = 4096;

const KIB = 1024;

/** @param areInside whether `PID` is the ID in the container. */
function readProcesses(reply: unknown, areInside: boolean): readonly ContainerProcess[] {
  const wire = asRecord(reply);
  const titles = asTexts(wire['Titles']).map((title) => title.trim().toUpperCase());
  const rows = asList(wire['Processes']).slice(0, MOST_PROCESSES);
  return rows.map((row) => {
    const cells = asList(row);
    const cell = (...names: readonly string[]): string => {
      const at = titles.findIndex((title) => names.includes(title));
      return at < 0 ? '' : asText(cells[at]).trim();
    };
    const pid = numberIn(cell('PID'), WHOLE);
    const hostPid = areInside ? numberIn(cell('HPID'), WHOLE) : pid;
    const parent = numberIn(cell('PPID'), WHOLE);
    const cpuPercent = numberIn(cell('%CPU'), DECIMAL);
    const memory = numberIn(cell('RSS'), WHOLE);
    return {
      ...(areInside && pid !== undefined && { pid }),
      ...(hostPid !== undefined && { hostPid }),
      ...(parent !== undefined && { parent }),
      user: asLine(cell('USER', 'UID')),
      ...(cpuPercent !== undefined && { cpuPercent }),
      ...(memory !== undefined && { memoryBytes: memory * KIB }),
      command: oneLine(cell('COMMAND', 'CMD'), LONGEST_COMMAND),
    };
  });
}

const WHOLE = /^\d{1,15}$/;
const DECIMAL = /^\d{1,9}(?:\.\d{1,9})?$/;

function numberIn(text: string, form: RegExp): number | undefined {
  return form.test(text) ? Number(text) : undefined;
}
