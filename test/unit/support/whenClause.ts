import assert from 'node:assert/strict';

/** Values of context keys. A key without one is undefined, as in VS Code. */
export type ContextKeys = Readonly<Record<string, string | boolean | undefined>>;

const TOKEN = /\s*(\|\||&&|==|!=|=~|!|\(|\)|\/(?:\\.|[^/\\])+\/[a-z]*|'[^']*'|[^\s()!=&|]+)/y;

/** Evaluates a `when` clause of the manifest as VS Code does: `||`, `&&`, `!`, parentheses, `==`, `!=` and `=~`. */
export function isTrue(clause: string | undefined, keys: ContextKeys): boolean {
  const tokens = tokensOf(clause ?? 'true');
  const value = readOr(tokens, keys);
  assert.deepEqual(tokens, [], `cannot parse: ${clause ?? ''}`);
  return value;
}

function tokensOf(clause: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < clause.trimEnd().length) {
    const [, token] = TOKEN.exec(clause) ?? assert.fail(`cannot parse: ${clause}`);
    tokens.push(token ?? '');
  }
  return tokens;
}

function readOr(tokens: string[], keys: ContextKeys): boolean {
  let value = readAnd(tokens, keys);
  while (take(tokens, '||')) value = readAnd(tokens, keys) || value;
  return value;
}

function readAnd(tokens: string[], keys: ContextKeys): boolean {
  let value = readOne(tokens, keys);
  while (take(tokens, '&&')) value = readOne(tokens, keys) && value;
  return value;
}

function readOne(tokens: string[], keys: ContextKeys): boolean {
  if (take(tokens, '!')) return !readOne(tokens, keys);
  if (take(tokens, '(')) {
    const value = readOr(tokens, keys);
    assert.ok(take(tokens, ')'));
    return value;
  }
  const key = tokens.shift() ?? '';
  if (key === 'true' || key === 'false') return key === 'true';
  const text = String(keys[key] ?? '');
  if (take(tokens, '==')) return text === unquoted(tokens.shift());
  if (take(tokens, '!=')) return text !== unquoted(tokens.shift());
  if (!take(tokens, '=~')) return Boolean(keys[key]);
  const [, pattern = '', flags] = /^\/(.*)\/([a-z]*)$/.exec(tokens.shift() ?? '') ?? [];
  return new RegExp(pattern, flags).test(text);
}

function take(tokens: string[], token: string): boolean {
  if (tokens[0] !== token) return false;
  tokens.shift();
  return true;
}

const unquoted = (text = ''): string => text.replace(/^'(.*)'$/, '$1');
