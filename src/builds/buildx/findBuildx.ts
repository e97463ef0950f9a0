import { helpOf } from '../../engine/cli/helpOf.ts';

/** Finds the first program on the PATH that builds and reports its progress as JSON. */
export async function findBuildx(env: NodeJS.ProcessEnv): Promise<Buildx | undefined> {
  for (const candidate of CANDIDATES) {
    const { file, prefix } = candidate;
    const help = await helpOf({ file, args: [...prefix, 'build', '--help'], env });
    if (help !== undefined && /\brawjson\b/.test(help)) return candidate;
  }
  return undefined;
}

/** The program on this machine that builds with any builder: the plugin of the Docker CLI, or its file. */
export interface Buildx {
  readonly file: string;
  /** The arguments before its own: `buildx` of `docker buildx`. */
  readonly prefix: readonly string[];
}

const CANDIDATES: readonly Buildx[] = [
  { file: 'docker', prefix: ['buildx'] },
  { file: 'docker-buildx', prefix: [] },
];
