import assert from 'node:assert/strict';
import {
  isMatch,
  parseFilter,
  quoted,
  type FilterKey,
} from '../../../../src/views/arrangement/parseFilter.ts';
import { CHOICES } from '../../../../src/views/arrangement/arrangements.ts';

const { keys } = CHOICES.containers;

/** Returns whether a filter finds a row of these values; its name is a word. */
function finds(text: string, values: Partial<Record<FilterKey, readonly string[]>>): boolean {
  const filter = parseFilter(text, keys);
  assert.equal(filter.problem, '', text);
  return isMatch(filter, () => ({
    words: () => ['Shop-web-1', ...(values.port ?? [])],
    values: (key) => values[key] ?? [],
  }));
}

describe('a filter', () => {
  it('finds rows that have all of its words, in any case', () => {
    assert.equal(finds('', {}), true);
    assert.equal(finds('  WEB  shop ', {}), true);
    assert.equal(finds('web db', {}), false);
    assert.equal(finds('!db web', {}), true);
    assert.equal(finds('!web', {}), false);
    assert.equal(finds('"web-1"', {}), true);
  });

  it('finds states by their beginning, so that healthy is not unhealthy', () => {
    assert.equal(finds('unh', { health: ['unhealthy'] }), true);
    assert.equal(finds('healthy', { health: ['unhealthy'] }), false);
    assert.equal(finds('health:healthy', { health: ['unhealthy'] }), false);
    assert.equal(finds('state:run', { state: ['running'] }), true);
  });

  it('compares the values of keys, which may be shortened', () => {
    assert.equal(finds('image:redis', { image: ['docker.io/Redis:7'] }), true);
    assert.equal(finds('i:redis:7', { image: ['redis:7'] }), true);
    assert.equal(finds('po:8080', { port: ['8080'] }), true);
    assert.equal(finds('port:80', { port: ['8080'] }), false);
    assert.equal(finds('!network:back', { network: ['front', 'back'] }), false);
  });

  it('asks for any value with a key alone', () => {
    assert.equal(finds('volume:', { volume: ['data'] }), true);
    assert.equal(finds('!volume:', { volume: ['data'] }), false);
    assert.equal(finds('w:', {}), false);
  });

  it('takes labels with quotes, colons, and spaces', () => {
    const label = 'com.x.note=say "a: b" \\ c';
    assert.equal(finds(`label:${quoted(label)}`, { label: [label] }), true);
    assert.equal(finds('label:"a: b"', { label: [label] }), true);
    assert.equal(finds('label:x.note="say \\"a"', { label: [label] }), true);
    assert.equal(quoted('a=b'), 'a=b');
  });

  it('takes a text with a colon that does not look like a key', () => {
    assert.equal(finds('127.0.0.1:80', {}), false);
    assert.equal(finds('"shop:7"', {}), false);
    assert.deepEqual(parseFilter('helth:x', keys), {
      terms: [{ key: undefined, value: 'helth:x', isNot: false }],
      problem: '',
      noKey: 'helth',
    });
  });

  it('does not filter if it cannot be read, and says why', () => {
    const problemOf = (text: string): string => {
      const { terms, problem } = parseFilter(text, keys);
      assert.deepEqual(terms, []);
      return problem;
    };
    assert.equal(problemOf('p:x'), '"p:" may be port, project.');
    assert.equal(problemOf('label:"a b'), 'A quotation mark is not closed.');
    assert.equal(problemOf('x'.repeat(1001)), 'The filter is too long.');
  });

  it('says that another view has a key', () => {
    const { terms, problem } = parseFilter('health:unhealthy', CHOICES.volumes.keys);
    assert.deepEqual(terms, []);
    assert.match(problem, /^There is no health: here\. Keys: state, label/);
  });

  it('ignores what is not finished', () => {
    assert.deepEqual(parseFilter(' ! "" ', keys), { terms: [], problem: '', noKey: '' });
  });
});
