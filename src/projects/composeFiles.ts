export const COMPOSE_FILES = '**/{compose,docker-compose}*.{yml,yaml}';

/** The compose files that get lenses. */
export const COMPOSE_SELECTOR = { scheme: 'file', pattern: COMPOSE_FILES };
