// The package has types only for its main file, which can only be loaded in a browser.
declare module '@xterm/addon-clipboard/lib/addon-clipboard.mjs' {
  export { ClipboardAddon } from '@xterm/addon-clipboard';
}
