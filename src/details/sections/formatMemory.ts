import * as l10n from '@vscode/l10n';
import { formatSize } from '../../views/format.ts';
import { formatLimit } from './formatLimit.ts';

/** Formats memory in use, with its share of the limit if there is one. */
export function formatMemory(bytes: number, limit: number | undefined): string {
  const used = formatSize(bytes);
  if (limit === undefined || !(limit > 0)) return used;
  return l10n.t('{0} of {1} ({2} %)', used, formatLimit(limit), Math.round((bytes / limit) * 100));
}
