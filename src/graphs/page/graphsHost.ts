import type { ToHost } from '../protocol.ts';

/** Port of the page to VS Code. */
export interface GraphsHost {
  postMessage(message: ToHost): void;
  getState(): unknown;
  setState(state: object): void;
}
