/** How bad it is what a line says; `none` where it does not tell. */
export type Level = 'none' | 'trace' | 'debug' | 'info' | 'warning' | 'error' | 'fatal';
