export const COMPOSE_FILES = '**/{compose,docker-compose}*.{yml,yaml}';

/** The compose files that get lenses. */
export const COMPOSE_SELECTOR = { scheme: 'file', pattern: COMPOSE_FILES };

/** Whether a file has the name of a compose file, as in {@link COMPOSE_FILES}. */
export function isComposeFile(path: string): boolean {
  return /(?:^|[\\/])(?:docker-)?compose[^\\/]*\.ya?ml$/.test(path);
}
