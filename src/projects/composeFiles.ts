/** The type of the tasks that run the compose CLI. */
export const COMPOSE_TASK_TYPE = 'gantry.compose';

/** The names of compose files. */
export const COMPOSE_FILES = '**/{compose,docker-compose}*.{yml,yaml}';

/** The compose files that get lenses. */
export const COMPOSE_SELECTOR = { scheme: 'file', pattern: COMPOSE_FILES };
