/**
 * What must happen when this process ends, however it ends.
 *
 * A handler for SIGINT replaces Node's own answer (to die), so whoever only listens must also end the
 * process, unless somebody else in it has taken that on: test runners and the start script have.
 */

/** @type {Set<() => void>} */
const duties = new Set();

/** @type {Partial<Record<NodeJS.Signals, number>>} */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

let listening = false;

function discharge() {
  for (const duty of [...duties].reverse()) {
    duties.delete(duty);
    try {
      duty();
    } catch {
      // The next duty is owed whatever became of this one.
    }
  }
}

function listen() {
  if (listening) return;
  listening = true;
  process.once('exit', discharge);
  for (const [name, number] of Object.entries(SIGNALS)) {
    const signal = /** @type {NodeJS.Signals} */ (name);
    // First in line: a `once` listener that has had its turn is no longer counted.
    process.prependOnceListener(signal, () => {
      const alone = process.listenerCount(signal) === 0;
      discharge();
      if (alone) process.exit(128 + number);
    });
  }
}

/**
 * Runs `duty` once when the process exits or is asked to (SIGHUP, SIGINT, SIGTERM).
 *
 * @param {() => void} duty synchronous: nothing asynchronous happens after `exit`
 * @returns {() => void} call it when the duty has been done in another way
 */
export function atEnd(duty) {
  listen();
  duties.add(duty);
  return () => {
    duties.delete(duty);
  };
}
