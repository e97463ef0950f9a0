// Tests the grammar without VS Code, because its expressions have the same meaning in VS Code and here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

interface Rule {
  readonly match: string;
  readonly name?: string;
  readonly captures?: Readonly<Record<string, { readonly name: string }>>;
}

const PATH = new URL('../../../syntaxes/gantry-log.tmLanguage.json', import.meta.url);
const { patterns } = JSON.parse(readFileSync(PATH, 'utf8')) as {
  readonly patterns: readonly Rule[];
};
const rules = patterns.map((rule) => ({ ...rule, expression: new RegExp(rule.match, 'g') }));

/**
 * Tokenizes like VS Code: at each position the rule that matches first, and of several at one position the
 * first in the list. Yields the scope and the text of each token.
 */
function* tokensOf(line: string): Generator<string> {
  const found: (RegExpExecArray | null | undefined)[] = [];
  for (let at = 0; at < line.length;) {
    let first: { readonly rule: Rule; readonly match: RegExpExecArray } | undefined;
    for (const [number, { expression, ...rule }] of rules.entries()) {
      let match = found[number];
      if (match === undefined || (match && match.index < at)) {
        expression.lastIndex = at;
        match = found[number] = expression.exec(line);
      }
      if (match && (!first || match.index < first.match.index)) first = { rule, match };
    }
    if (!first) return;
    const { rule, match } = first;
    if (rule.name !== undefined) yield `${last(rule.name)} ${match[0]}`;
    for (const [group, { name }] of Object.entries(rule.captures ?? {})) {
      const text = match[Number(group)];
      if (text !== undefined) yield `${last(name)} ${text}`;
    }
    at = match.index + match[0].length;
  }
}

function last(name: string): string {
  return name
    .split(' ')
    .at(-1)!
    .replace(/^log\./, '');
}

/** A line and its tokens with a scope of the log grammar, each after its scope. */
const LINES: readonly (readonly [line: string, tokens?: string])[] = [
  ['plain words are left alone, don’t you think? It’s 1st-class, a-b_c'],
  [
    '2026-08-01T08:00:00.123456789Z INFO  took 12.5ms, 3 of 40%',
    'date 2026-08-01T08:00:00.123456789Z · info INFO · number 12.5ms · number 3 · number 40%',
  ],
  [
    '2026-08-01 08:00:00,123 WARNING product 4711: low',
    'date 2026-08-01 08:00:00,123 · warning WARNING · number 4711',
  ],
  [
    '10.0.0.7 - - [01/Aug/2026:08:00:00 +0000] "GET /a HTTP/1.1" 200 512',
    'address 10.0.0.7 · date 01/Aug/2026:08:00:00 +0000 · string "GET /a HTTP/1.1" · number 200 · number 512',
  ],
  ['[stderr] oops', 'stderr [stderr]'],
  [
    '2026-08-01T08:00:00Z [stderr] error: no such file',
    'date 2026-08-01T08:00:00Z · stderr [stderr]',
  ],
  ['error: no such file', 'error error'],
  ['no error here, and no warning'],
  ['a word [stderr] inside'],
  ['[The container exited with code 0.]', 'remark [The container exited with code 0.]'],
  ['[The container exited with code 12.]', 'remark [The container exited with code 12.]'],
  ['[The container was started again.]', 'remark [The container was started again.]'],
  // Lines of a container with the text of a message of Gantry: see `logText`.
  ['\\[stderr] oops'],
  ['\\[The container was started again.]'],
  ['[error] bad [i] fine', 'error error · info i'],
  [
    '{"level":"error","message":"no \\"such\\" order","order":4712,"paid":false}',
    'key "level" · error "error" · key "message" · string "no \\"such\\" order" · key "order" · number 4712 · key "paid" · constant false',
  ],
  [
    'level=debug caller=main.go:3 msg="all well"',
    'key level · debug debug · key caller · key msg · string "all well"',
  ],
  [
    'java.lang.IllegalStateException: at https://example.com/a?b=1',
    'exception IllegalStateException · url https://example.com/a?b=1',
  ],
  [
    'id 123e4567-e89b-12d3-a456-426614174000 of v1.2.3 at /srv/a.js:7:11',
    'id 123e4567-e89b-12d3-a456-426614174000',
  ],
];

/** VS Code tokenizes no more than this many characters of a line. */
const LENGTH = 20_000;
/** What malicious lines repeat. */
const PIECES = ['"', '\\"', "'", '[', 'a', 'A', 'a.', '1', '1.', '1:', '-', 'a-', '=', 'a=', ' '];

describe('the log grammar', () => {
  for (const [line, tokens = ''] of LINES) {
    it(`tokenizes ${JSON.stringify(line)}`, () => {
      assert.equal([...tokensOf(line)].join(' · '), tokens);
    });
  }

  for (const piece of PIECES) {
    it(`takes no longer for many ${JSON.stringify(piece)} than for other text`, () => {
      const line = piece.repeat(LENGTH / piece.length);
      for (const start of ['', '[', '"'])
        assert.ok(Array.from(tokensOf(start + line)).length <= LENGTH);
    });
  }

  it('uses scopes that the built-in themes color', () => {
    const names = patterns.flatMap(({ name, captures = {} }) => [
      ...(name === undefined ? [] : [name]),
      ...Object.values(captures).map((one) => one.name),
    ]);
    for (const name of names) {
      assert.match(
        name,
        /^(?:comment|keyword|string|constant|markup|support\.type\.property-name|token\.(?:error|warn|info|debug)-token)\b/,
      );
    }
  });
});
