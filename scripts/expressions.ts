// Part of `npm run lint`: checks every regular expression literal in the source with recheck. The extension
// host searches untrusted text with them on its only thread, so each expression must run in linear time, or be
// listed here with what bounds its input.
//
// A check takes the checker up to a second, so the linear expressions are remembered in a file, which is part of the
// repository. With --all, as in `npm run test:all`, every expression is checked again.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { check, type Diagnostics, type Parameters } from 'recheck';
import ts from 'typescript';

/** Expressions that are not linear: the literal, and what bounds its input. */
const BOUNDED: Readonly<Record<string, string>> = {};

/** Limits a check by the amount of work, not by time, so that results do not depend on the load of the machine. */
const PARAMETERS: Parameters = {
  timeout: 60_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  maxIteration: 3,
};

/** Visits all nodes of a source in their order. `placeOf` returns the place of the node (`file:line`). */
function walkSyntax(
  file: string,
  text: string,
  visit: (node: ts.Node, placeOf: () => string) => void,
): void {
  const source = ts.createSourceFile(file, text, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });
  const walk = (node: ts.Node): void => {
    visit(node, () => {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      return `${file}:${line + 1}`;
    });
    ts.forEachChild(node, walk);
  };
  walk(source);
}

/** Returns every regular expression literal with its locations (`file:line`). */
function literalsOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of files) {
    walkSyntax(file, readFileSync(file, 'utf8'), (node, placeOf) => {
      if (ts.isRegularExpressionLiteral(node))
        found.set(node.text, [...(found.get(node.text) ?? []), placeOf()]);
    });
  }
  return found;
}

/** The file with the linear expressions of the last run. */
const MEMORY = 'scripts/linearExpressions.json';

/** What the result of a check depends on besides the expression. */
function conditions(): string {
  const { version } = JSON.parse(readFileSync('node_modules/recheck/package.json', 'utf8')) as {
    readonly version: string;
  };
  return `recheck ${version} ${JSON.stringify(PARAMETERS)}`;
}

/** Returns the expressions that were linear in the last run, under the same conditions. */
function readMemory(): ReadonlySet<string> {
  try {
    const memory = JSON.parse(readFileSync(MEMORY, 'utf8')) as Memory;
    return new Set(memory.conditions === conditions() ? memory.linear : []);
  } catch {
    // The last run was killed while it wrote.
    return new Set();
  }
}

function writeMemory(linear: readonly string[]): void {
  const memory: Memory = { conditions: conditions(), linear: linear.toSorted() };
  writeFileSync(MEMORY, `${JSON.stringify(memory, null, 2)}\n`);
}

interface Memory {
  readonly conditions: string;
  readonly linear: readonly string[];
}

/** Returns whether an expression repeats nothing, so that it reads a limited number of characters. */
function hasNoRepetition(literal: string): boolean {
  const pattern = literal.slice(0, literal.lastIndexOf('/'));
  return !/[*+{]/.test(pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, ''));
}

function checked(literal: string): Promise<Diagnostics> {
  const end = literal.lastIndexOf('/');
  return check(literal.slice(1, end), literal.slice(end + 1), PARAMETERS);
}

/** Resolves to why a literal is not known to be linear, or undefined if it is. */
async function doubtOf(literal: string): Promise<string | undefined> {
  if (remembered.has(literal) || hasNoRepetition(literal)) return undefined;
  const result = await checked(literal);
  if (result.status === 'safe') return undefined;
  return result.status === 'unknown'
    ? `cannot be decided (${result.error.kind}): write it simpler`
    : `takes more than linear time (${result.complexity.summary})`;
}

const remembered = process.argv.includes('--all') ? new Set<string>() : readMemory();
const linear: string[] = [];
const literals = literalsOf(globSync('src/**/*.ts').sort());
const problems = Object.keys(BOUNDED)
  .filter((literal) => !literals.has(literal))
  .map((literal) => `${literal} is listed, and nowhere in the source`);
for (const [literal, places] of literals) {
  const doubt = await doubtOf(literal);
  if (doubt === undefined && !hasNoRepetition(literal)) linear.push(literal);
  const isListed = literal in BOUNDED;
  const listed = doubt === undefined ? 'is linear: take it off the list' : undefined;
  const problem = isListed ? listed : doubt;
  if (problem !== undefined) problems.push(`${places.join(', ')}: ${literal} ${problem}`);
}
writeMemory(linear);
for (const problem of problems) console.error(problem);
console.log(`${literals.size} expressions checked, ${problems.length} problems`);
// The process of the checker would keep this process alive.
process.exit(problems.length > 0 ? 1 : 0);
