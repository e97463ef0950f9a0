/** The severity of a line; `none` if it is not known. */
export type Level = (typeof LEVELS)[number];

/** All levels in ascending severity. */
export const LEVELS = ['none', 'trace', 'debug', 'info', 'warning', 'error', 'fatal'] as const;
