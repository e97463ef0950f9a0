/** The types that VS Code asks for by name. They are registered before what they name is loaded. */

/** The webview panels of the log viewer. */
export const LOG_VIEWER_TYPE = 'gantry.logViewer';

/** The webview panels of the clean-up pages. */
export const CLEANUP_TYPE = 'gantry.cleanUp';

/** The webview panels of details. */
export const DETAILS_TYPE = 'gantry.details';

/** The webview panels of the statistics pages. */
export const GRAPHS_TYPE = 'gantry.graphs';

/** The tasks that run containers. */
export const TASK_TYPE = 'gantry';

/** The tasks that run the compose CLI. */
export const COMPOSE_TASK_TYPE = 'gantry.compose';

/** The tasks that run a command in a running container. */
export const EXEC_TASK_TYPE = 'gantry.exec';

/** The tasks that run `docker buildx`. */
export const BUILDX_TASK_TYPE = 'gantry.buildx';
