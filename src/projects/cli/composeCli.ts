import { helpOf } from '../../engine/cli/helpOf.ts';

/** A program that implements Compose on this machine, and what it can do. */
export interface ComposeCli {
  readonly file: string;
  /** The arguments before its own: `compose` of `docker compose`. */
  readonly prefix: readonly string[];
  /** Whether it reports its progress as JSON. */
  readonly hasJson: boolean;
  readonly hasDryRun: boolean;
  /** Whether it has an option for the folder of a project. */
  readonly hasFolder: boolean;
}

/** In this order: Docker's own, then what Podman is set up with, then the old program. */
const CANDIDATES: readonly Candidate[] = [
  { file: 'docker', prefix: ['compose'], help: '--help' },
  // With `--help`, Podman shows its own.
  { file: 'podman', prefix: ['compose'], help: 'help' },
  { file: 'docker-compose', prefix: [], help: '--help' },
];

type Candidate = Pick<ComposeCli, 'file' | 'prefix'> & { readonly help: string };

/**
 * Finds the first program on the PATH that implements Compose. Its help shows more than its version: which of
 * the options that are used here it has. Resolves to undefined if there is none.
 */
export async function findComposeCli(env: NodeJS.ProcessEnv): Promise<ComposeCli | undefined> {
  for (const candidate of CANDIDATES) {
    const { file, prefix } = candidate;
    const help = await helpOf({ file, args: [...prefix, candidate.help], env });
    // Docker without the plugin shows its own help, and succeeds.
    if (help === undefined || !/--project-name\b/.test(help)) continue;
    return {
      file,
      prefix,
      // The values may be on the next line.
      hasJson: /--progress\b[^-]*\bjson\b/.test(help),
      hasDryRun: /--dry-run\b/.test(help),
      hasFolder: /--project-directory\b/.test(help),
    };
  }
  return undefined;
}
