// Small faults to put into a source, to see whether a test notices.
import ts from 'typescript';

/** One statement and what to write in its place. */
export interface Mutant {
  readonly file: string;
  /** From 1 on. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** What each operator becomes: its neighbour, so that only the limits and the cases tell them apart. */
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

/** Lists one mutant for each statement of a source that can be changed. */
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

/** A sequence of numbers from 0 to below 1, the same for the same seed (mulberry32). */
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

/** The first operator of a statement that has a neighbour, outside of functions within. */
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
