import type { ContainerState, EngineEvent } from '../engine/model.ts';

/**
 * What an event makes stale. Names are those of both engines; a name nobody has heard of makes stale, for
 * one request too many is better than a row that is wrong.
 */

/** What a container event says of things that no list shows. `commit` makes an image; see below. */
const NO_CONTAINER_CHANGE: ReadonlySet<string> = new Set([
  ...['kill', 'oom', 'commit', 'attach', 'detach', 'resize', 'top', 'export', 'copy'],
  ...['archive-path', 'extract-to-dir', 'exec', 'exec_create', 'exec_start', 'exec_detach'],
  ...['exec_die', 'exec_died', 'mount', 'unmount', 'checkpoint'],
]);

const NO_IMAGE_CHANGE: ReadonlySet<string> = new Set(['push', 'save', 'mount', 'unmount']);

/** The container an event makes stale; empty for all of them. */
export function staleContainer(event: EngineEvent): string | undefined {
  if (event.type !== 'container' || NO_CONTAINER_CHANGE.has(event.action)) return undefined;
  return event.id;
}

/** Whether an event makes the images stale. Podman sends nothing but the container's for a commit. */
export function isImagesStale(event: EngineEvent): boolean {
  if (event.type === 'image') return !NO_IMAGE_CHANGE.has(event.action);
  return event.type === 'container' && event.action === 'commit';
}

const ABOUT_STATE: ReadonlySet<string> = new Set([
  ...['create', 'init', 'start', 'restart', 'restore', 'die', 'died', 'stop', 'pause', 'unpause'],
  ...['destroy', 'remove'],
]);

/**
 * Whether an event tells another state than the one before it did. A rename or a new health says nothing of the
 * death before it, which a list may still not know.
 */
export function isAboutState(action: string): boolean {
  return ABOUT_STATE.has(action);
}

/**
 * Whether a list cannot have known yet what an event said. Engines tell some events before their list does
 * (Docker a `die` before it has saved the state to disk), so that it must be asked once more. No state
 * is taken from the event: what counts is the last list.
 *
 * @param state as the list tells it; undefined where the container is not in it.
 */
export function isTooEarly(action: string, state: ContainerState | undefined): boolean {
  switch (action) {
    case 'die':
    case 'died':
      return state === 'running' || state === 'paused';
    case 'stop':
      // Of a container between two runs it is the only word, and comes before its state is saved.
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
