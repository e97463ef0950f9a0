import type { Disposable, Event } from '../lifetime.ts';

/**
 * The part of an editor's output channel that is used here. It is only ever added to. Clearing and replacing are
 * left alone: the editor reads a channel's text from a file, by an offset that these two set past what it has read,
 * while it reads and looks at the file's size; so text comes back, comes twice, or does not come.
 */
export interface TextChannel extends Disposable {
  append(text: string): void;
  /** Brings it to the front; with `true` without taking the focus. */
  show(preserveFocus: boolean): void;
  /** Whether it is what the Output view shows. */
  readonly isInView: boolean;
  readonly onDidChangeView: Event<undefined>;
}
