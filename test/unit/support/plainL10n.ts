import type { L10n } from '../../../src/l10n.ts';

/** English as it stands in the source. */
export const plainL10n: L10n = {
  t: (message, ...args) => message.replace(/\{(\d+)\}/g, (_, index) => String(args[Number(index)])),
};
