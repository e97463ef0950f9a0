/**
 * The environment of programs that run as root: those of the system only, which the user of the container cannot
 * replace, and with messages in English.
 */
export const SYSTEM_ENV: readonly string[] = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'LC_ALL=C',
];
