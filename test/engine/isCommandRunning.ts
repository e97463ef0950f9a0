import { readdirSync, readFileSync } from 'node:fs';

/** Returns whether any process of the machine has exactly this command line: those of containers are among them. */
export function isCommandRunning(words: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === words
      );
    } catch {
      // Gone by now.
      return false;
    }
  });
}
