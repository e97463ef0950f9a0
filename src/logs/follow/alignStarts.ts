import { isLaterStamp } from '../../engine/logs/logStamps.ts';
import { markerMessage } from './logMarker.ts';
import type { MemberItem } from './memberQueue.ts';
import type { OlderLine, OlderMerge } from './olderMerge.ts';
import type { TimeMerge } from './timeMerge.ts';

/**
 * Lets the logs of an opening start at the same time, because older lines can only be added before all others:
 * what was read of a log from before an unread line of another log is returned with the older lines.
 */
export function alignStarts(
  logs: ReadonlySet<OpenedLog>,
  merge: TimeMerge,
  past: OlderMerge,
): void {
  const [latest, next] = latestUnread(logs);
  for (const { member, log } of logs) {
    const { index } = member;
    // Only the other logs count: the order within a log never changes.
    const items = merge.removeBefore(index, log.stampBefore === latest ? next : latest);
    past.hold(
      index,
      items.map((item) => lineOf(item)),
    );
  }
}

/** A log, which may have earlier lines than those in the merge. */
interface OpenedLog {
  readonly member: { readonly index: number };
  /** `stampBefore`: the time of the last record that was not read; empty if there is none or it is unknown. */
  readonly log: { readonly stampBefore: string };
}

/** Returns the time of the latest unread record of the logs, and that of the latest in another log. */
function latestUnread(logs: ReadonlySet<OpenedLog>): readonly [latest: string, next: string] {
  let latest = '';
  let next = '';
  for (const { log } of logs) {
    const { stampBefore } = log;
    if (isLaterStamp(stampBefore, latest)) [latest, next] = [stampBefore, latest];
    else if (isLaterStamp(stampBefore, next)) next = stampBefore;
  }
  return [latest, next];
}

function lineOf(item: MemberItem): OlderLine {
  if ('line' in item) return item.line;
  return { source: 'marker', timestamp: item.at, text: markerMessage(item.marker) };
}
