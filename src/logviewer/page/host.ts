import type { ViewerQuery, ToHost, ToPage } from '../protocol.ts';

/** The extension, as the page reaches it. */
export interface Host {
  tell(message: ToHost): void;
  keep(state: PageState): void;
  /** Keeps something of the extension's own beside it. */
  carry(kept: unknown): void;
  /** What was kept; parts that are not as expected are as if they were not there. */
  kept(): PageState;
}

/** What the page remembers over a reload. */
export interface PageState {
  readonly find: ViewerQuery | undefined;
  /** What stood at the top of the view; undefined: it followed the end. */
  readonly place: { readonly id: number; readonly moment: string } | undefined;
}

interface VsCode {
  postMessage(message: ToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCode;

/** Connects to the extension; may be called once. */
export function connectHost(take: (message: ToPage) => void): Host {
  const vscode = acquireVsCodeApi();
  window.addEventListener('message', ({ data }: MessageEvent<ToPage | undefined>) => {
    if (data) take(data);
  });
  const change = (part: object) => {
    vscode.setState({ ...(vscode.getState() ?? {}), ...part });
  };
  return {
    tell: (message) => {
      vscode.postMessage(message);
    },
    keep: change,
    carry: (kept) => {
      change({ kept });
    },
    kept: () => keptOf(vscode.getState()),
  };
}

function keptOf(state: unknown): PageState {
  const { find, place } = (state ?? {}) as { readonly find?: unknown; readonly place?: unknown };
  return { find: isQuery(find) ? find : undefined, place: positionOf(place) };
}

/** Whether a value is words to look for. */
function isQuery(value: unknown): value is ViewerQuery {
  const { pattern, ...flags } = (value ?? {}) as Partial<ViewerQuery>;
  const { isRegex, matchCase, wholeWord } = flags;
  return (
    typeof pattern === 'string' &&
    [isRegex, matchCase, wholeWord].every((flag) => typeof flag === 'boolean')
  );
}

function positionOf(place: unknown): PageState['place'] {
  const { id, moment } = (place ?? {}) as { readonly id?: unknown; readonly moment?: unknown };
  return typeof id === 'number' && typeof moment === 'string' ? { id, moment } : undefined;
}
