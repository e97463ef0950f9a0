import assert from 'node:assert/strict';
import { parse } from 'yaml';
import {
  EMPTIED,
  formatOverride,
  REMOVED,
  replaced,
} from '../../../../src/projects/worktrees/formatOverride.ts';

/** What ends a line, and so a comment or a text, for a reader of YAML 1.1, or what it refuses. */
// oxlint-disable-next-line no-control-regex -- it is what is looked for
const NOT_YAML = /[\r\u007f-\u009f\u2028\u2029\ufeff]/;

/** Reads it as Compose does, which then replaces variables in texts. */
function read(text: string): unknown {
  return parse(text, { logLevel: 'silent' });
}

describe('formatOverride', () => {
  it('keeps every text exact: Compose replaces nothing in it', () => {
    for (const text of [
      '$X',
      '${X:-y}',
      '$$',
      'a"b',
      'a: b',
      '# no',
      "'",
      '\\',
      '\n!reset',
      '~',
      'yes',
    ])
      assert.deepEqual(read(formatOverride({ networks: { a: { name: text } } })), {
        networks: { a: { name: text.replaceAll('$', '$$$$') } },
      });
  });

  it('has nothing that YAML takes for the end of a line, or refuses', () => {
    const odd = 'a\u2028b\u2029c\u0085d\u007fe\ufefff\r\ng\0';
    const text = formatOverride({ [odd]: { b: odd, c: replaced([{ [odd]: odd }]) } });
    assert.doesNotMatch(text, NOT_YAML);
    assert.deepEqual(read(text), { [odd]: { b: odd, c: [{ [odd]: odd }] } });
  });

  it('tags what replaces, and what removes', () => {
    const text = formatOverride({
      services: {
        web: {
          container_name: REMOVED,
          build: { tags: EMPTIED },
          ports: replaced([{ target: 80, published: '20000' }]),
        },
      },
    });
    assert.deepEqual(text.split('\n'), [
      '"services":',
      '  "web":',
      '    "container_name": !reset null',
      '    "build":',
      '      "tags": !override []',
      '    "ports": !override [{"target": 80, "published": "20000"}]',
    ]);
  });

  it('is nothing without parts', () => {
    assert.equal(formatOverride({}), '');
  });
});
