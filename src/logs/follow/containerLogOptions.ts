import type { Connection } from '../../engine/http/connection.ts';
import type { Event } from '../../base/lifetime.ts';
import type { ContainersChange } from './changeLatch.ts';

/** The part of a log to show, and its format. */
export interface ContainerLogOptions {
  /** Follows new lines, across restarts and lost connections. */
  readonly follow: boolean;
  readonly tail: number | 'all';
  /** `seconds[.nanoseconds]`, see `parseSince`. */
  readonly since?: string;
  readonly timestamps: boolean;
}

/** Whether two views show the same part in the same format. */
export function isSameView(
  a: Partial<ContainerLogOptions>,
  b: Partial<ContainerLogOptions>,
): boolean {
  const keys = ['follow', 'tail', 'since', 'timestamps'] as const;
  return keys.every((key) => a[key] === b[key]);
}

/** The dependencies of a container's log. */
export interface LogDependencies {
  readonly connect: (signal?: AbortSignal) => Promise<Connection>;
  /** Fires on changes of containers, which reveals restarts. */
  readonly onDidChangeContainers: Event<ContainersChange>;
  /** Starts the watcher that feeds {@link onDidChangeContainers}. */
  readonly watch: () => void;
  /** Waits for this many milliseconds. For tests. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}
