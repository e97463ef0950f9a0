// Part of `npm run lint`: checks every regular expression literal of the source with recheck. What strangers wrote is
// searched with them on the extension host's only thread, so each takes time in proportion to its text, or is listed
// here with what bounds that text.

import { globSync, readFileSync } from 'node:fs';
import { check, type Diagnostics, type Parameters } from 'recheck';
import ts from 'typescript';

/** Expressions that are not linear: the literal, and what bounds its input. */
const BOUNDED: Readonly<Record<string, string>> = {};

/** Only the amount of work ends a check, so that a busy machine finds the same as an idle one. */
const PARAMETERS: Parameters = {
  timeout: 60_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  maxIteration: 3,
};

/** Every literal with the places where it stands. */
function literalsOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of files) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        found.set(node.text, [...(found.get(node.text) ?? []), `${file}:${line + 1}`]);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function checked(literal: string): Promise<Diagnostics> {
  const end = literal.lastIndexOf('/');
  return check(literal.slice(1, end), literal.slice(end + 1), PARAMETERS);
}

/** What is wrong with a literal; undefined where nothing is. */
async function problemOf(literal: string): Promise<string | undefined> {
  const result = await checked(literal);
  if (result.status === 'safe') {
    return literal in BOUNDED ? 'is linear: take it off the list' : undefined;
  }
  if (literal in BOUNDED) return undefined;
  return result.status === 'unknown'
    ? `cannot be decided (${result.error.kind}): write it simpler`
    : `takes more than linear time (${result.complexity.summary})`;
}

const literals = literalsOf(globSync('src/**/*.ts').sort());
const problems = Object.keys(BOUNDED)
  .filter((literal) => !literals.has(literal))
  .map((literal) => `${literal} is listed, and nowhere in the source`);
for (const [literal, places] of literals) {
  const problem = await problemOf(literal);
  if (problem !== undefined) problems.push(`${places.join(', ')}: ${literal} ${problem}`);
}
for (const problem of problems) console.error(problem);
console.log(`${literals.size} expressions checked, ${problems.length} problems`);
// The checker's own process would keep this one alive.
process.exit(problems.length > 0 ? 1 : 0);
