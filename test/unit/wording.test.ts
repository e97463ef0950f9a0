// Checks the rules of the architecture page on names, and on how fields and constants are written.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const ROOT = new URL('../../', import.meta.url);

/** Verbs that say too little: what receives an event, for example, handles, adds, or records it. */
const VAGUE = /^(?:takes?|taken|took|taking|hears?|heard|gives?|giving)$/;
const VAGUE_NAME =
  /^(?:is(?:Meant|Good|So|Odd|Enough)|go(?:es)?On.*|keeps?True|note|note(?!Of$)[A-Z].*)$/;

function wordsOf(name: string): readonly string[] {
  return name.split(/[_#$]|(?<=[a-z\d])(?=[A-Z])/).map((word) => word.toLowerCase());
}

/** Returns why a name is not clear. A note may be a thing, but no function is named after it. */
function nameProblem({ parent, text }: ts.Identifier | ts.PrivateIdentifier): string | undefined {
  if (!('name' in parent) || ts.isPropertyAccessExpression(parent)) return undefined;
  const plain = text.replace('#', '');
  const isNote = plain.startsWith('note') && !ts.isFunctionLike(parent);
  const isVague = wordsOf(plain).some((word) => VAGUE.test(word));
  return isVague || (VAGUE_NAME.test(plain) && !isNote) ? `${text}: use a clearer verb` : undefined;
}

/** Returns whether values are assigned one by one through an array. Exchanging two variables is not. */
function isPacked(target: ts.Node, value: ts.Node | undefined): boolean {
  if (!value || !ts.isArrayLiteralExpression(value)) return false;
  if (ts.isArrayBindingPattern(target)) return true;
  if (!ts.isArrayLiteralExpression(target)) return false;
  const assigned = new Set<string>(target.elements.map((element) => element.getText()));
  return !value.elements.some((element) => assigned.has(element.getText()));
}

function problemOf(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) return nameProblem(node);
  if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression))
    return `${node.getText()}: write the fields one by one`;
  const isDeclared = ts.isVariableDeclaration(node) && isPacked(node.name, node.initializer);
  const isAssigned =
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    isPacked(node.left, node.right);
  return isDeclared || isAssigned ? `${node.getText()}: assign the values one by one` : undefined;
}

function problemsOf(file: string, text: string): readonly string[] {
  const problems: string[] = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const walk = (node: ts.Node): void => {
    const problem = problemOf(node);
    const { line } = source.getLineAndCharacterOfPosition(node.pos);
    if (problem !== undefined) problems.push(`${file}:${line + 1}: ${problem}`);
    ts.forEachChild(node, walk);
  };
  walk(source);
  return problems;
}

describe('wording of the source', () => {
  it('has clear verbs, and fields and constants one by one', function () {
    this.timeout(30_000);
    const files = globSync('src/**/*.ts', { cwd: ROOT });
    assert.ok(files.length > 500);
    const problems = files.flatMap((file) =>
      problemsOf(file, readFileSync(new URL(file, ROOT), 'utf8')),
    );
    assert.deepEqual(problems, []);
  });

  for (const text of [
    'class A { #takeStep() {} }',
    'const isTaken = true;',
    'class A { note() {} }',
    'const isMeant = true;',
    'const a = { ...{ b, c } };',
    'const [A, B] = [1, 2];',
    '[a, b] = [1, 2];',
  ])
    it(`reports ${text}`, () => assert.equal(problemsOf('a.ts', text).length, 1));

  for (const text of ['const note = "";', '[a, b] = [b, a];', 'const a = { ...b };', 'it.take(1);'])
    it(`accepts ${text}`, () => assert.deepEqual(problemsOf('a.ts', text), []));
});
