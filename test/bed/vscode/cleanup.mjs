/**
 * Cleanup that must run when this process ends, however it ends.
 *
 * A handler for SIGINT replaces Node's default (to exit), so a process whose only listener is this one must
 * also exit here. Test runners and the start script have listeners that exit the process.
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
      // The remaining functions must run even if this one fails.
    }
  }
}

function listen() {
  if (listening) return;
  listening = true;
  process.once('exit', discharge);
  for (const [name, number] of Object.entries(SIGNALS)) {
    const signal = /** @type {NodeJS.Signals} */ (name);
    // Must run first: a `once` listener that has run is no longer counted.
    process.prependOnceListener(signal, () => {
      const alone = process.listenerCount(signal) === 0;
      discharge();
      if (alone) process.exit(128 + number);
    });
  }
}

/**
 * Runs `duty` once when the process exits or receives SIGHUP, SIGINT or SIGTERM.
 *
 * @param {() => void} duty synchronous: nothing asynchronous happens after `exit`
 * @returns {() => void} unregisters `duty`; call it when the cleanup has been done in another way
 */
export function atEnd(duty) {
  listen();
  duties.add(duty);
  return () => duties.delete(duty);
}
