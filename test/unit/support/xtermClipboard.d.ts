// The package has types for its main file alone, which only a browser can load.
declare module '@xterm/addon-clipboard/lib/addon-clipboard.mjs' {
  export { ClipboardAddon } from '@xterm/addon-clipboard';
}
