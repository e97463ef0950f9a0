import type { ContainerState, EngineEvent } from '../engine/model.ts';

/**
 * Determines what an event makes stale. Knows the action names of Docker and Podman. An unknown action makes
 * its object stale, because an unnecessary request is better than a wrong row.
 */

/** Container events that change nothing in the container list. `commit` creates an image; see below. */
const NO_CONTAINER_CHANGE: ReadonlySet<string> = new Set([
  ...['kill', 'oom', 'commit', 'attach', 'detach', 'resize', 'top', 'export', 'copy'],
  ...['archive-path', 'extract-to-dir', 'exec', 'exec_create', 'exec_start', 'exec_detach'],
  ...['exec_die', 'exec_died', 'mount', 'unmount', 'checkpoint'],
]);

const NO_IMAGE_CHANGE: ReadonlySet<string> = new Set(['push', 'save', 'mount', 'unmount']);

/** Returns the ID of the container that an event makes stale; undefined for no container, empty for all containers. */
export function staleContainer(event: EngineEvent): string | undefined {
  if (event.container !== undefined) return event.container;
  if (event.type !== 'container' || NO_CONTAINER_CHANGE.has(event.action)) return undefined;
  return event.id;
}

/** Whether an event makes the volumes or the networks stale; see {@link staleContainer} for who uses them. */
export function isListStale(kind: 'volume' | 'network', { type, action }: EngineEvent): boolean {
  return type === kind && LIST_CHANGES.has(action);
}

/** With Docker's and Podman's names. `mount` and `connect` do not change a list. */
const LIST_CHANGES: ReadonlySet<string> = new Set(['create', 'destroy', 'remove', 'prune']);

/** Whether an event makes the images stale. For a commit, Podman sends only the container event. */
export function isImagesStale(event: EngineEvent): boolean {
  if (event.type === 'image') return !NO_IMAGE_CHANGE.has(event.action);
  return event.type === 'container' && event.action === 'commit';
}

const ABOUT_STATE: ReadonlySet<string> = new Set([
  ...['create', 'init', 'start', 'restart', 'restore', 'die', 'died', 'stop', 'pause', 'unpause'],
  ...['destroy', 'remove'],
]);

/**
 * Whether an event reports a new state of the container. After a rename or a health event, the preceding
 * `die` still counts, which a list may not show yet.
 */
export function isAboutState(action: string): boolean {
  return ABOUT_STATE.has(action);
}

/**
 * Whether a list is older than an event. Engines send some events before their list shows the change (Docker
 * 20.10 sends `die` before it has saved the state to disk), so the list must be requested again. The state is
 * never taken from the event: only the list counts.
 *
 * @param state the state in the list; undefined if the container is not in it.
 */
export function isTooEarly(action: string, state: ContainerState | undefined): boolean {
  switch (action) {
    case 'die':
    case 'died':
      return state === 'running' || state === 'paused';
    case 'stop':
      // For a container that is restarting, the only event, sent before its state is saved.
      return state === 'running' || state === 'paused' || state === 'restarting';
    case 'pause':
      return state === 'running';
    case 'unpause':
      return state === 'paused';
    case 'destroy':
    case 'remove':
      return state !== undefined;
    default:
      return false;
  }
}
