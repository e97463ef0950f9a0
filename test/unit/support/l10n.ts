import type { L10n } from '../../../src/l10n.ts';

/** The sentences as they are written in the source, with their placeholders filled in. */
export const english: L10n = {
  t: (message, ...args) =>
    message.replace(/\{(\d+)\}/g, (whole, index) => String(args[Number(index)] ?? whole)),
};
