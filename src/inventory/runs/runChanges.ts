import type { RunShape } from './lastRuns.ts';

/** Compares a run with an earlier one. What is unknown of one of them is not in the result. */
export function runChanges(before: RunShape, after: RunShape): readonly RunChange[] {
  return [
    // The same name may be another image.
    ...changeOf('image', before.image, after.image),
    ...changeOf('imageId', before.imageId, after.imageId),
    ...changeOf('command', before.command, after.command),
    ...listChanges('mount', before.mounts, after.mounts),
    ...listChanges('network', before.networks, after.networks),
    ...listChanges('port', before.ports, after.ports),
    ...listChanges('environment', before.environment, after.environment),
    ...limitChanges(before.limits, after.limits),
  ];
}

/** A difference between two runs. */
export interface RunChange {
  /** `image`, `imageId`, `command`, `mount`, `network`, `port`, `environment`, or a limit such as `memory`. */
  readonly what: string;
  /** Absent if there was none before. */
  readonly before?: string;
  /** Absent if there is none any more. */
  readonly after?: string;
}

/** Returns what is unknown of one of two runs, so that it is not compared. */
export function unknownIn(
  before: RunShape,
  after: RunShape,
): readonly ('environment' | 'limits')[] {
  return (['environment', 'limits'] as const).filter((what) => !before[what] || !after[what]);
}

function changeOf(what: string, before: string, after: string): readonly RunChange[] {
  return before === after ? [] : [{ what, before, after }];
}

function listChanges(
  what: string,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): readonly RunChange[] {
  if (!before || !after) return [];
  const gone = before.filter((one) => !after.includes(one));
  const added = after.filter((one) => !before.includes(one));
  return [
    ...gone.map((one) => ({ what, before: one })),
    ...added.map((one) => ({ what, after: one })),
  ];
}

/** A limit that is not set is absent. */
function limitChanges(before: RunShape['limits'], after: RunShape['limits']): readonly RunChange[] {
  if (!before || !after) return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => before[name] !== after[name])
    .map((what) => ({
      what,
      ...(what in before ? { before: String(before[what]) } : {}),
      ...(what in after ? { after: String(after[what]) } : {}),
    }));
}
