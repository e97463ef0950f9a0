import { Emitter } from '../../../src/lifetime.ts';
import type { TextChannel } from '../../../src/output/textChannel.ts';

/** An output channel that can be waited for. */
export class FakeChannel implements TextChannel {
  readonly name: string;
  text = '';
  /** What was done to it besides `append`, in order. */
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

  /** Brings it into view, or out of it, as the person does. */
  see(isInView: boolean): void {
    this.isInView = isInView;
    this.#view.fire(undefined);
  }

  dispose(): void {
    this.calls.push('dispose');
  }

  /** Resolves once the text ends so. */
  endsWith(end: string): Promise<void> {
    return this.until(() => this.text.endsWith(end));
  }

  /** Resolves once it is so after an append. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#check = () => {
        if (isSo()) resolve();
      };
      this.#check();
    });
  }
}
