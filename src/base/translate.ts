import * as l10n from '@vscode/l10n';
import type { Sentence } from './sentence.ts';

/** Returns a sentence in the language of the user. */
export function translate({ text, values }: Sentence): string {
  const args = values.map((value) => (typeof value === 'object' ? translate(value) : value));
  return l10n.t({ message: text, args, comment: [] });
}

/** Returns the message of an error or warning in the language of the user. The engine's own sentences are English. */
export function messageOf(one: {
  readonly message: string;
  readonly sentence?: Sentence | undefined;
}): string {
  return one.sentence ? translate(one.sentence) : one.message;
}
