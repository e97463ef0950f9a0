import type { L10n } from '../../l10n.ts';

/** A length of time in words short enough for a message: `0.3 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatElapsedTime(milliseconds: number, l10n: L10n): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return l10n.t('{0} s', Math.round(seconds * 10) / 10);
  const whole = Math.round(seconds);
  if (whole < 60) return l10n.t('{0} s', whole);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return l10n.t('{0} min {1} s', minutes, whole % 60);
  return l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}
