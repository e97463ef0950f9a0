// Finds the messages of the source, the texts passed to `l10n.t`, `sentence` and `InputError.of`. The build writes
// them for translators: VS Code reads translations of them from the same folder. A unit test checks them.
import { globSync, readFileSync } from 'node:fs';

/** @typedef {{ readonly text: string | undefined, readonly place: string }} Message */

/** The start of a call, and its first argument if that is a literal. To parse all sources takes as long as to bundle. */
const CALL =
  /(?<!function )\b(?:l10n\.t|sentence|InputError\.of)\((?!\{)\s*(?:('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*[,)])?/g;
const COMMENT = /^ *(?:\/\/|\/?\*).*$/gm;

/**
 * Returns all messages with the place of each (`file:line`), in the order of the files. A text is undefined if
 * it is not a literal: such a message cannot be translated.
 *
 * @returns {readonly Message[]}
 */
export function findMessages() {
  return globSync('src/**/*.ts').sort().flatMap(messagesOf);
}

/** @param {string} file @returns {readonly Message[]} */
function messagesOf(file) {
  const source = readFileSync(file, 'utf8').replace(COMMENT, '');
  return [...source.matchAll(CALL)].map(({ 1: literal, index }) => ({
    text: literal === undefined ? undefined : textOf(literal),
    place: `${file}:${source.slice(0, index).split('\n').length}`,
  }));
}

/** Returns the text of a string literal. @param {string} literal */
function textOf(literal) {
  const content = literal
    .slice(1, -1)
    .replaceAll("\\'", "'")
    .replace(/(?<!\\)"/g, '\\"');
  return /** @type {string} */ (JSON.parse(`"${content}"`));
}

/** Returns the texts, as a bundle for translators. */
export function messageBundle() {
  const texts = findMessages().flatMap(({ text }) => text ?? []);
  const bundle = Object.fromEntries([...new Set(texts)].sort().map((text) => [text, text]));
  return `${JSON.stringify(bundle, null, 2)}\n`;
}
