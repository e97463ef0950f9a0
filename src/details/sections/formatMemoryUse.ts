import * as l10n from '@vscode/l10n';
import { formatSize } from '../../views/format.ts';
import { formatBinary, formatLimit } from '../../views/formatLimit.ts';

/** Formats memory in use, with its share of the limit if there is one: both in units that can be compared. */
export function formatMemoryUse(bytes: number, limit: number | undefined): string {
  if (limit === undefined || !(limit > 0)) return formatSize(bytes);
  const share = Math.round((bytes / limit) * 100);
  return l10n.t('{0} of {1} ({2} %)', formatBinary(bytes), formatLimit(limit), share);
}
