import { runExec } from '../exec/runExec.ts';
import { SYSTEM_ENV } from '../exec/systemEnv.ts';
import type { Connection } from '../http/connection.ts';

/** What `stat` reports inside a container. */
export interface FileFacts {
  readonly uid: number;
  readonly gid: number;
  /** The permission bits with setuid, setgid and the sticky bit. */
  readonly mode: number;
  /** The number of names of the file. */
  readonly links: number;
  /** Whether it is a symbolic link: some engines follow links in volumes without saying so. */
  readonly isLink: boolean;
}

/**
 * Runs `stat` in a running container.
 *
 * @param path absolute.
 * @returns undefined if the container has no `stat`, does not run, or has no such file.
 */
export async function statInside(
  connection: Connection,
  container: string,
  path: string,
  signal?: AbortSignal,
): Promise<FileFacts | undefined> {
  // The path is absolute, so it is no option.
  const command = ['stat', '-c', '%u %g %f %h', path];
  const result = await runExec(
    connection,
    container,
    { command, user: '0', env: SYSTEM_ENV },
    {},
    signal,
  );
  if (result?.exitCode !== 0) return undefined;
  const [, uid, gid, mode, links] =
    /^(\d{1,10}) (\d{1,10}) ([0-9a-f]{1,8}) (\d{1,10})\s*$/.exec(result.output) ?? [];
  if (uid === undefined) return undefined;
  const bits = Number.parseInt(mode ?? '', 16);
  return {
    uid: Number(uid),
    gid: Number(gid),
    mode: bits & 0o7777,
    links: Number(links),
    isLink: (bits & TYPE) === LINK,
  };
}

const TYPE = 0o170000;
const LINK = 0o120000;
