import { asRecord } from '../../engine/wire/wire.ts';
import {
  queryFrom,
  type SavedPosition,
  type ViewerQuery,
  type ToHost,
  type ToPage,
} from '../protocol.ts';

/** The page's connection to the extension. Create only one: `acquireVsCodeApi` may be called only once. */
export class Host {
  readonly #vscode = acquireVsCodeApi();

  constructor(onMessage: (message: ToPage) => void) {
    window.addEventListener('message', ({ data }: MessageEvent<ToPage | undefined>) => {
      if (data) onMessage(data);
    });
  }

  readonly post = (message: ToHost): void => this.#vscode.postMessage(message);

  /** Stores values in the webview state, which survives a reload: the page's own state, or `kept` for the extension. */
  keep(part: PageState | { readonly kept: unknown }): void {
    this.#vscode.setState({ ...asRecord(this.#vscode.getState()), ...part });
  }

  /** Returns the page's own stored state. Invalid parts are undefined. */
  kept(): PageState {
    const { find, position } = asRecord(this.#vscode.getState());
    const { id, moment } = asRecord(position);
    const isPosition = typeof id === 'number' && typeof moment === 'string';
    return { find: queryFrom(find), position: isPosition ? { id, moment } : undefined };
  }
}

/** State of the page that survives a reload. */
interface PageState {
  readonly find: ViewerQuery | undefined;
  /** Row at the top of the view; undefined if the page followed the end. */
  readonly position: SavedPosition | undefined;
}

interface VsCode {
  postMessage(message: ToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCode;
