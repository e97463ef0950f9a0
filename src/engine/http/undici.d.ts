// The two files of undici that Gantry imports, instead of all of undici (fetch, WebSocket, caches): 95 kB in the
// bundle, not 724 kB. They are not part of its public API: test/unit/undici.test.ts fails if an update changes them.
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}

declare module 'undici/lib/core/symbols.js' {
  const symbols: {
    /**
     * Key of a dispatch option: a function that is called if the request has to wait, with a function that takes it
     * out of the queue.
     */
    readonly kQueuedAbort: unique symbol;
  };
  export default symbols;
}
