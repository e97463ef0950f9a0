import { isLaterStamp } from '../../engine/logs/logStamps.ts';
import type { L10n } from '../../l10n.ts';
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
  l10n: L10n,
): void {
  for (const opened of logs) {
    const { index } = opened.member;
    const items = merge.takeBefore(index, latestUnread(logs, opened));
    past.hold(
      index,
      items.map((item) => lineOf(item, l10n)),
    );
  }
}

/** A log, which may have earlier lines than those in the merge. */
interface OpenedLog {
  readonly member: { readonly index: number };
  /** `stampBefore`: the time of the last record that was not read; empty if there is none. */
  readonly log: { readonly stampBefore: string };
}

/** Returns the time of the latest unread record of the logs but one, which keeps its own order at any time. */
function latestUnread(logs: ReadonlySet<OpenedLog>, except: OpenedLog): string {
  let latest = '';
  for (const one of logs) {
    const { stampBefore } = one.log;
    if (one !== except && isLaterStamp(stampBefore, latest)) latest = stampBefore;
  }
  return latest;
}

function lineOf(item: MemberItem, l10n: L10n): OlderLine {
  if ('line' in item) return item.line;
  return { source: 'marker', timestamp: item.at, text: markerMessage(item.marker, l10n) };
}
