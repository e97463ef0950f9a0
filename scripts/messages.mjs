// Finds the messages of the source, the texts passed to `l10n.t`. Prints them for translators: VS Code reads translations
// of them from the same folder. A unit test checks them.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { walkSyntax } from './walkSyntax.mjs';

/** @typedef {{ readonly text: string | undefined, readonly place: string }} Message */

/**
 * Returns all messages with the place of each (`file:line`), in the order of the files. A text is undefined if
 * it is not a literal: such a message cannot be translated.
 *
 * @returns {readonly Message[]}
 */
export function findMessages() {
  const files = readdirSync('src', { encoding: 'utf8', recursive: true });
  const sources = files.filter((file) => file.endsWith('.ts')).sort();
  return sources.flatMap((file) => messagesOf(`src/${file.replaceAll('\\', '/')}`));
}

/** @param {string} file @returns {readonly Message[]} */
function messagesOf(file) {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('.t(')) return [];
  /** @type {Message[]} */
  const found = [];
  walkSyntax(file, text, (node, placeOf) => {
    const argument = isMessageCall(node) ? node.arguments[0] : undefined;
    if (!argument) return;
    const literal = ts.isStringLiteralLike(argument) ? argument.text : undefined;
    found.push({ text: literal, place: placeOf() });
  });
  return found;
}

/** @param {ts.Node} node @returns {node is ts.CallExpression} */
function isMessageCall(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  return name.text === 't' && lastName(expression).endsWith('l10n');
}

/** @param {ts.Expression} expression */
function lastName(expression) {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '';
}

if (process.argv[1] === import.meta.filename) {
  const texts = findMessages().flatMap(({ text }) => text ?? []);
  const bundle = Object.fromEntries([...new Set(texts)].sort().map((text) => [text, text]));
  console.log(JSON.stringify(bundle, null, 2));
}
