/** Returns the name of the signal that an exit code represents, or undefined if there is none. */
export function signalName(exitCode: number): string | undefined {
  const name = SIGNALS[exitCode - 128 - 1];
  return name === undefined ? undefined : `SIG${name}`;
}

/** Linux signals by number, from 1. Containers use these numbers whatever the local operating system is. */
const SIGNALS: readonly string[] = (
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT ' +
  'CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS'
).split(' ');
