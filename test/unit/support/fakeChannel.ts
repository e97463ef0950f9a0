import type { TextChannel } from '../../../src/output/logRuns.ts';

/** An output channel that can be waited for. */
export class FakeChannel implements TextChannel {
  readonly name: string;
  text = '';
  /** What was done to it besides `append` and `replace`, in order. */
  readonly calls: string[] = [];
  readonly appends: string[] = [];
  /** How often all of its text was replaced. */
  replaced = 0;
  #check: (() => void) | undefined;

  constructor(name: string) {
    this.name = name;
  }

  append(text: string): void {
    this.text += text;
    this.appends.push(text);
    this.#check?.();
  }

  replace(text: string): void {
    this.text = text;
    this.replaced++;
    this.#check?.();
  }

  clear(): void {
    this.text = '';
    this.calls.push('clear');
  }

  show(preserveFocus: boolean): void {
    this.calls.push(`show(${preserveFocus})`);
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
