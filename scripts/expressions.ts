// Part of `npm run lint`: checks every regular expression literal in the source with recheck. The extension
// host searches untrusted text with them on its only thread, so each expression must run in linear time, or be
// listed here with what bounds its input.

import { globSync, readFileSync } from 'node:fs';
import { check, type Diagnostics, type Parameters } from 'recheck';
import ts from 'typescript';
import { walkSyntax } from './walkSyntax.mjs';

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

function checked(literal: string): Promise<Diagnostics> {
  const end = literal.lastIndexOf('/');
  return check(literal.slice(1, end), literal.slice(end + 1), PARAMETERS);
}

/** Resolves to the problem of a literal, or undefined if there is none. */
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
// The process of the checker would keep this process alive.
process.exit(problems.length > 0 ? 1 : 0);
