// Small faults to inject into a source file, to see whether a test detects them.
import ts from 'typescript';

/** A range of the source and its replacement. */
export interface Mutant {
  readonly file: string;
  /** One-based. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** The replacement of each operator: a similar one, which only tests of limits and special cases detect. */
const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
};

/** Returns one mutant for each statement that can be changed. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    const changed = ts.isStatement(node) ? changeOf(node, source) : undefined;
    if (changed) found.push({ file, ...lineOf(changed.node, source), after: changed.after });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns a generator of pseudo-random numbers from 0 to below 1, reproducible by seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Change {
  readonly node: ts.Node;
  readonly after: string;
}

function changeOf(statement: ts.Statement, source: ts.SourceFile): Change | undefined {
  if (ts.isIfStatement(statement)) {
    const { expression } = statement;
    return { node: expression, after: `!(${expression.getText(source)})` };
  }
  const { expression: value } = ts.isReturnStatement(statement) ? statement : {};
  if (value && value.getText(source) !== 'undefined')
    return (
      operatorIn(statement, source) ?? { node: statement, after: 'return undefined as never;' }
    );
  if (ts.isExpressionStatement(statement)) return { node: statement, after: ';' };
  return ts.isVariableStatement(statement) ? operatorIn(statement, source) : undefined;
}

/** Returns a change of the first replaceable operator in a statement, outside of nested functions. */
function operatorIn(statement: ts.Statement, source: ts.SourceFile): Change | undefined {
  let found: Change | undefined;
  const visit = (node: ts.Node): void => {
    if (found || ts.isFunctionLike(node)) return;
    const after = ts.isBinaryExpression(node) && OPERATORS[node.operatorToken.getText(source)];
    if (after) found = { node: node.operatorToken, after };
    else ts.forEachChild(node, visit);
  };
  visit(statement);
  return found;
}

function lineOf(
  node: ts.Node,
  source: ts.SourceFile,
): Pick<Mutant, 'line' | 'start' | 'end' | 'before'> {
  const start = node.getStart(source);
  const { line } = source.getLineAndCharacterOfPosition(start);
  return { line: line + 1, start, end: node.end, before: source.text.slice(start, node.end) };
}
