import { plainText } from '../../base/plainText.ts';
import {
  hasSecretArguments,
  isSecretName,
  isSecretValue,
  MASK,
} from '../options/secretDetection.ts';
import type { NamedValue } from './containerFacts.ts';

/** Limits of what is shown of one name and one value, in characters. */
const LONGEST_NAME = 512;
const LONGEST_VALUE = 4096;

/** Masks values that may be secrets, and keeps them for who asks for one. */
export class HiddenValues {
  readonly #values = new Map<string, string>();

  /** Returns a value as the engine has it, or undefined if it was not masked. @param key as given when it was. */
  reveal(key: string): string | undefined {
    return this.#values.get(key);
  }

  /** Returns a named value as it can be shown. */
  named(kind: string, name: string, value: string): NamedValue {
    const shown = { name: plainText(name, LONGEST_NAME), value: plainText(value, LONGEST_VALUE) };
    // No more than this can be shown.
    const start = value.slice(0, 4 * LONGEST_VALUE);
    if (value === '' || !(isSecretName(name) || isSecretValue(start))) return shown;
    return { ...shown, value: this.#hide(`${kind} ${shown.name}`, value), isSecret: true };
  }

  /** Returns labels as they can be shown, by name. */
  labels(labels: Readonly<Record<string, string>>): readonly NamedValue[] {
    return Object.entries(labels)
      .map(([name, value]) => this.named('label', name, value))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Returns an option of a driver, which may have several values in one: `username=me,password=secret`. */
  option(name: string, value: string): NamedValue {
    const isSecret = hasSecretArguments(value.split(','));
    if (!isSecret) return this.named('option', name, value);
    const shown = plainText(name, LONGEST_NAME);
    return { name: shown, value: this.#hide(`option ${shown}`, value), isSecret: true };
  }

  /** Returns a command as it can be shown: all of it is masked if an argument may be a secret. */
  command(key: string, words: readonly string[]): string {
    const text = formatWords(words);
    return hasSecretArguments(words) ? this.#hide(key, text) : plainText(text, LONGEST_VALUE);
  }

  #hide(key: string, value: string): string {
    this.#values.set(key, value);
    return MASK;
  }
}

/** Formats the words of a command: those with spaces or quotes as JSON. */
function formatWords(words: readonly string[]): string {
  // A shell command is one word.
  if (words.length === 1) return words[0] ?? '';
  return words.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}
