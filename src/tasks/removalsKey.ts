/**
 * Where a workspace keeps the containers that tasks still have to remove; see `PendingRemovals`, which is loaded only
 * if there are some.
 */
export const REMOVALS_KEY = 'gantry.taskRemovals';
