import assert from 'node:assert/strict';
import { durationWords } from '../../../src/commands/duration.ts';
import { describeError, describeFailure } from '../../../src/commands/sentences.ts';
import { EngineError, InputError, type FailureReason } from '../../../src/engine/errors.ts';
import { AmbiguousError } from '../../../src/engine/resolve.ts';
import { english } from '../../../src/l10n.ts';

const REASONS: readonly FailureReason[] = [
  ...(['socketAbsent', 'permissionDenied', 'refused', 'notASocket', 'unreachable'] as const),
  ...(['badEndpoint', 'notAnEngine', 'tooOld', 'tooNew', 'timeout', 'cut', 'badAnswer'] as const),
  ...(['tooLarge', 'notFound', 'conflict', 'badRequest', 'unauthorized', 'failed'] as const),
];

describe('a failure in words', () => {
  for (const reason of REASONS) {
    it(`is a whole sentence for ${reason}, with nothing left open`, () => {
      const error = new EngineError(reason, {
        endpoint: 'unix:///e.sock',
        operation: 'GET /x',
        status: 500,
      });
      assert.match(describeError(error, english), /^[A-Z"u].+\.?$/);
      assert.doesNotMatch(describeError(error, english), /undefined|\{\d\}/);
    });
  }

  it('keeps the engine’s own words as they are', () => {
    const error = new EngineError('conflict', { engineMessage: 'name "/web" is in use' });
    assert.equal(
      describeFailure('Could not rename web', error, english),
      'Could not rename web: name "/web" is in use',
    );
  });

  it('names both that a part fits', () => {
    const text = describeError(new AmbiguousError('ab', ['web', 'db']), english);
    assert.match(text, /"ab".*web, db/);
  });

  it('lets refused input speak for itself', () => {
    const error = new InputError('The image name is empty.');
    assert.equal(describeFailure('Could not pull', error, english), 'The image name is empty.');
  });
});

describe('a duration in words', () => {
  for (const [milliseconds, words] of [
    [-5, '0 s'],
    [340, '0.3 s'],
    [9_990, '10 s'],
    [12_400, '12 s'],
    [185_000, '3 min 5 s'],
    [7_800_000, '2 h 10 min'],
  ] as const) {
    it(`${milliseconds} ms is ${words}`, () => {
      assert.equal(durationWords(milliseconds, english), words);
    });
  }
});
