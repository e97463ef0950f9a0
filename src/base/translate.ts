import * as l10n from '@vscode/l10n';
import type { Sentence } from './sentence.ts';

/** Returns a sentence in the language of the user. */
export function translate({ text, values }: Sentence): string {
  const args = values.map((value) => (typeof value === 'object' ? translate(value) : value));
  return l10n.t({ message: text, args, comment: [] });
}

/** Returns the words of an engine, or ours in their place; undefined if there are none. */
export function wordsOfEngine(error: {
  readonly engineMessage: string | undefined;
  readonly sentence: Sentence | undefined;
}): string | undefined {
  return error.sentence ? translate(error.sentence) : error.engineMessage;
}

/** Returns the message of an error or warning in the language of the user. The engine's own sentences are English. */
export function messageOf(one: {
  readonly message: string;
  readonly sentence?: Sentence | undefined;
}): string {
  return one.sentence ? translate(one.sentence) : one.message;
}
