import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import {
  checkArguments,
  isPlainObject,
  type ArgumentSchema,
} from '../../../../src/commands/ui/checkArguments.ts';
import { InputError } from '../../../../src/engine/errors.ts';

const shape: ArgumentSchema = {
  id: { kind: 'text', required: true },
  all: { kind: 'boolean' },
  seconds: { kind: 'wholeNumber' },
  env: { kind: 'texts' },
  labels: { kind: 'textMap' },
  condition: { kind: { oneOf: ['a', 'b'] } },
  tail: { kind: { check: (value) => value === 'all', expected: 'the word all' } },
};

function refusal(value: object): string {
  try {
    checkArguments(value, shape, 'gantry.test');
    return '';
  } catch (error) {
    assert.ok(error instanceof InputError);
    return error.message;
  }
}

describe('the schema of a command argument', () => {
  it('accepts a valid argument', () => {
    const labels = { a: 'b' };
    const value = {
      id: 'x',
      all: true,
      seconds: 3,
      env: ['A=b'],
      labels,
      condition: 'a',
      tail: 'all',
    };
    assert.equal(refusal(value), '');
  });

  it('treats undefined as absent', () => {
    assert.equal(refusal({ id: 'x', all: undefined }), '');
    assert.match(refusal({ id: undefined }), /property "id" is required/);
  });

  it('rejects an unknown field, also one that every object inherits', () => {
    assert.match(refusal({ id: 'x', force: true }), /unknown property "force"/);
    assert.match(refusal({ id: 'x', toString: 'x' }), /unknown property "toString"/);
  });

  it('rejects an argument without an ID', () => {
    assert.match(refusal({}), /property "id" is required/);
  });

  for (const [field, value] of [
    ['id', 5],
    ['id', null],
    ['all', 'yes'],
    ['seconds', 1.5],
    ['seconds', '3'],
    ['env', 'A=b'],
    ['env', [1]],
    ['labels', ['a']],
    ['labels', { a: 1 }],
    ['condition', 'c'],
    ['tail', 7],
  ] as const) {
    it(`rejects ${field} = ${JSON.stringify(value)} and names the field`, () => {
      assert.match(refusal({ id: 'x', [field]: value }), new RegExp(`"${field}" must be`));
    });
  }
});

describe('a plain object', () => {
  it('is distinguished from instances, arrays and strings by its prototype', () => {
    class Node {
      readonly id = 'x';
    }
    assert.equal(isPlainObject({ id: 'x' }), true);
    assert.equal(isPlainObject(Object.create(null)), true);
    assert.equal(isPlainObject(new Node()), false);
    assert.equal(isPlainObject([]), false);
    assert.equal(isPlainObject('x'), false);
    assert.equal(isPlainObject(null), false);
  });

  it('may come from another realm', () => {
    assert.equal(isPlainObject(runInNewContext('({ id: "x" })')), true);
  });
});
