// Loads only the pool, without undici's fetch, WebSocket, cache and the rest: a third less to load at activation.
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
