import { Emitter } from '../../../src/base/lifetime.ts';
import type { TextChannel } from '../../../src/output/trimmedChannel.ts';

/** An output channel that tests can wait for. */
export class FakeChannel implements TextChannel {
  readonly name: string;
  text = '';
  /** The calls other than `append`, in order. */
  readonly calls: string[] = [];
  readonly appends: string[] = [];
  isInView = false;
  readonly #view = new Emitter<undefined>();
  readonly onDidChangeView = this.#view.event;
  #check: (() => void) | undefined;

  constructor(name: string) {
    this.name = name;
  }

  append(text: string): void {
    this.text += text;
    this.appends.push(text);
    this.#check?.();
  }

  show(preserveFocus: boolean): void {
    this.calls.push(`show(${preserveFocus})`);
    this.see(true);
  }

  /** Shows or hides the channel as the user would. */
  see(isInView: boolean): void {
    this.isInView = isInView;
    this.#view.fire(undefined);
  }

  dispose(): void {
    this.calls.push('dispose');
  }

  /** Resolves when the text ends with `end`. */
  endsWith(end: string): Promise<void> {
    return this.until(() => this.text.endsWith(end));
  }

  /** Resolves when the condition holds, checked after each append. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#check = () => {
        if (isSo()) resolve();
      };
      this.#check();
    });
  }
}
