import type { L10n } from '../../l10n.ts';
import type { Event } from '../../lifetime.ts';
import type { SourceReference } from '../../logs/text/sourcePath.ts';
import type { Clock } from '../../time.ts';
import type { ToHost, ToPage } from '../protocol.ts';

/** What all parts of a session stand on. */
export interface SessionContext {
  readonly l10n: L10n;
  readonly clock: Clock;
}

/** The page as a session reaches it. While it is hidden there is none, and another one afterwards. */
export interface PagePort {
  readonly isVisible: boolean;
  readonly onMessage: Event<ToHost>;
  readonly onDidChangeVisibility: Event<void>;
  post(message: ToPage): void;
}

/** What is done for each of the page's messages. */
export type MessageHandlers = {
  readonly [Type in ToHost['type']]: (
    message: Extract<ToHost, { readonly type: Type }>,
  ) => Promise<void> | void;
};

/** A file of the person's that printed a line. */
export interface SourceLocation {
  /** Path of the file on this machine. */
  readonly path: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** What to call it before a person: `src/app.js:12`. */
  readonly title: string;
}

/** Finds the file that a place in a member's log means. */
export interface SourceLookup {
  /** What was found, or was not, may be otherwise now. */
  readonly onDidChange: Event<void>;
  find(
    containerId: string,
    place: SourceReference,
    signal: AbortSignal,
  ): Promise<SourceLocation | undefined>;
}

/** What is written to a file or shown as a document. */
export interface TextSource {
  /** What the file may be called. */
  readonly name: string;
  /** How many lines it will be, about. */
  readonly lineCount: number;
  /** The text piece by piece. */
  readonly chunks: (withColors: boolean) => Iterable<string>;
}

/** What a session has the editor do. */
export interface EditorActions {
  copy(text: string): PromiseLike<void>;
  openUrl(url: string): PromiseLike<unknown>;
  openSource(place: SourceLocation): PromiseLike<unknown>;
  /** What the person says when asked for a moment; undefined where they leave. */
  askMoment(check: (text: string) => string | undefined): PromiseLike<string | undefined>;
  /** Shows a message with a button that leads to a setting. */
  tellOfSetting(message: string, setting: string): PromiseLike<unknown>;
  save(source: TextSource): PromiseLike<unknown>;
  openDocument(source: TextSource): PromiseLike<unknown>;
}
