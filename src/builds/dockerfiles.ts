/** The names of Dockerfiles. */
export const DOCKERFILES =
  '**/{Dockerfile,Dockerfile.*,*.Dockerfile,*.dockerfile,Containerfile,Containerfile.*,*.containerfile}';

/** The names of the Dockerfile of a folder, in the order in which they are looked for. */
export const DOCKERFILE_NAMES: readonly string[] = ['Dockerfile', 'Containerfile'];

/** The names of bake files. */
export const BAKE_FILES =
  '**/{docker-bake.hcl,docker-bake.json,docker-bake.override.hcl,docker-bake.override.json}';

/** The Dockerfiles that get lenses. */
export const DOCKERFILE_SELECTOR = { scheme: 'file', pattern: DOCKERFILES };

/** Whether a file that matches is one: `Dockerfile.dockerignore` is not. */
export function isDockerfile(path: string): boolean {
  return !path.endsWith('.dockerignore');
}

/** Points at the last stage, in place of a name: no stage has this one. */
export const LAST_STAGE = '.';
