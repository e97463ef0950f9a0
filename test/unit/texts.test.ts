// Checks all texts that a user can see against the rules of the house style that a machine can check.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { findMessages } from '../../scripts/messages.mjs';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const read = (file: string): Json =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')) as Json;

/** Properties of a JSON schema whose values are shown. */
const SHOWN = /^(?:title|description|markdownDescription|enumDescriptions|patternErrorMessage)$/;

/** Returns the texts of a JSON schema that are shown, with the path of each. */
function shownIn(value: Json, path: string): readonly (readonly [place: string, text: string])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${path}/${key}`;
    return SHOWN.test(key) && typeof inner === 'string' ? [[at, inner]] : shownIn(inner, at);
  });
}

const messages = findMessages();
const labels = Object.entries(read('package.nls.json') as Readonly<Record<string, string>>);
const schema = shownIn(read('schemas/container.schema.json'), 'schema');
const texts = [
  ...messages.map(({ text = '', place: at }) => [at, text] as const),
  ...labels,
  ...schema,
];

/** In characters, without values. Longer messages are cut off in a notification. */
const MAX_MESSAGE = 110;

/** Words and forms that the glossary replaces, with the term to use. */
const REPLACED: readonly (readonly [pattern: RegExp, use: string])[] = [
  [/\b(?:anew|at once|meanwhile|by itself|by force)\b/i, 'again, now, while, automatically, force'],
  [/\b(?:nobody|somebody|whoever|the person)\b/i, 'you, the user'],
  [/\b(?:mend|unwell|makes? no sense|no whole path)\b/i, 'fix, unhealthy, invalid, absolute path'],
  [/\bthe usual (?:one|number|size)\b|\bthe (?:engine|image)['’]s own\b/i, 'default'],
  [/\b(?:daemon|your command line|the command line)\b/i, 'engine, Docker CLI'],
  [/\bwithout a name\b|\bexit status\b|\bwith status \{/i, 'dangling, exit code'],
  [/\bis no (?!longer)[a-z]|\bis none\b/, 'is not a …'],
  [/\b(?:Ids?|id of)\b/, 'ID'],
  [/\b(?:whole number|full path|a text|texts)\b/i, 'integer, absolute path, string'],
  [/\b(?:unpack(?:ing|ed)?|freed|frees)\b/i, 'extracting, reclaimed'],
  [/, for (?:it|its|that|there|you)\b/, 'because'],
  [/[’“”]/, 'straight quotation marks'],
  [/\w…(?!\w)/, '...'],
  [/n't\b|\b(?:it|that|there)'s\b/i, 'no contractions'],
  [/\bplease\b|[a-z]!/i, 'no please, no exclamation mark'],
  [/ {2}|^ | $/, 'single blanks'],
  [/\b(?:colour|behaviour|cancelled|licence|grey)\b/i, 'American spelling'],
  [/\w+, \w+ (?:and|or) \w+(?=[.:]|$)/, 'the serial comma'],
];

/** In titles, words of up to four letters that are not nouns or verbs are lower case. */
const LOWER = /^(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|with|docker|run)$/;

/** Returns the calls of `l10n.t` that run while a module is loaded. */
function earlyTexts(file: string): readonly string[] {
  const statements = readFileSync(file, 'utf8').split(/\n(?=[a-z@])/i);
  return statements
    .filter(
      (one) =>
        /\b(?:l10n\.t|translate)\(/.test(one) && !/^(?:export )?(?:async )?function/.test(one),
    )
    .flatMap((one) => callsIn(one).map((call) => `${file}: ${call}`));
}

function callsIn(statement: string): readonly string[] {
  const source = ts.createSourceFile('x.ts', statement, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const walk = (node: ts.Node): void => {
    // What is in a function or in a field of an object runs later.
    const isField = ts.isPropertyDeclaration(node);
    const isStatic =
      isField && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
    if (ts.isFunctionLike(node) || (isField && isStatic !== true)) return;
    if (
      ts.isCallExpression(node) &&
      /^(?:l10n\.t|translate)$/.test(node.expression.getText(source))
    )
      found.push(node.getText(source));
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}

describe('texts that users see', () => {
  it('are not translated while a module is loaded, before the language is known', () => {
    const files = globSync('src/**/*.ts');
    assert.deepEqual(files.flatMap(earlyTexts), []);
  });

  it('are literals, so that they can be translated', () => {
    assert(messages.length > 1000);
    assert.deepEqual(
      messages.filter(({ text }) => text === undefined),
      [],
    );
  });

  it('are found in the task definitions only by their keys', () => {
    const { contributes } = read('package.json') as { contributes: { taskDefinitions: Json } };
    const shown = shownIn(contributes.taskDefinitions, 'task');
    assert(shown.length > 50);
    assert.deepEqual(
      shown.filter(([, text]) => !/^%[\w.]+%$/.test(text)),
      [],
    );
  });

  for (const [pattern, use] of REPLACED) {
    it(`use the terms of the glossary: ${use}`, () => {
      const found = texts.filter(([, text]) => pattern.test(text));
      assert.deepEqual(found, []);
    });
  }

  it(`are messages of at most ${MAX_MESSAGE} characters`, () => {
    const long = messages.filter(
      ({ text = '' }) => text.replaceAll(/\{\d\}/g, '').length > MAX_MESSAGE,
    );
    assert.deepEqual(long, []);
  });

  it('are in title case if they are titles of commands, submenus and categories', () => {
    const titles = labels.filter(([key]) => /^(?:command|menu|category)\./.test(key));
    assert(titles.length > 80);
    const wrong = titles.filter(([, title]) =>
      title.split(' ').some((word, at) => /^[a-z]/.test(word) && (at === 0 || !LOWER.test(word))),
    );
    assert.deepEqual(wrong, []);
  });

  it('are in title case if they are buttons of a welcome view', () => {
    const buttons = labels
      .filter(([key]) => key.startsWith('welcome.'))
      .flatMap(([, text]) => [...text.matchAll(/^\[([^\]]+)\]\(command:/gm)])
      .map(([, title = '']) => title);
    assert(buttons.length > 20);
    assert.deepEqual(
      buttons.filter((title) =>
        title.split(' ').some((word) => /^[a-z]/.test(word) && !LOWER.test(word)),
      ),
      [],
    );
  });

  it('have no code marks in a welcome view, which would show them', () => {
    const marked = labels.filter(([key, text]) => key.startsWith('welcome.') && text.includes('`'));
    assert.deepEqual(marked, []);
  });

  it('end in three dots if a command asks for more before it acts', () => {
    const titles = new Map(labels);
    for (const command of ['containers.remove', 'images.remove', 'images.prune', 'images.pull'])
      assert.match(titles.get(`command.${command}`) ?? '', /[a-z]\.\.\.$/);
  });

  it('describe a setting or a property in sentences', () => {
    const described = labels.filter(([key]) => /^(?:setting|task)\.(?!.*\.form$)/.test(key));
    assert(described.length > 60);
    const wrong = described.filter(([, text]) => !/^[A-Z`].*\.$/.test(text));
    assert.deepEqual(wrong, []);
  });
});
