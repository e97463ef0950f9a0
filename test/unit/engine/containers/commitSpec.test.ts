import assert from 'node:assert/strict';

import { commitSpec, type CommitArguments } from '../../../../src/engine/containers/commitSpec.ts';
import { InputError } from '../../../../src/engine/errors.ts';

describe('engine/commitSpec', () => {
  it('pauses the container and tags the image "latest" by default', () => {
    assert.deepEqual(commitSpec({ id: 'c', repository: 'me/app' }), {
      id: 'c',
      repository: 'me/app',
      tag: 'latest',
      message: undefined,
      author: undefined,
      pause: true,
      changes: undefined,
    });
  });

  it('splits the tag from the repository and passes the other arguments on', () => {
    const args: CommitArguments = {
      id: 'c',
      repository: '127.0.0.1:5055/me/app:2',
      message: 'why',
      author: 'A <a@b.c>',
      pause: false,
      changes: ['ENV A=1', 'cmd ["sh"]', 'ONBUILD RUN make'],
    };
    assert.deepEqual(commitSpec(args), {
      ...args,
      repository: '127.0.0.1:5055/me/app',
      tag: '2',
    });
  });

  const bad: [fault: Partial<CommitArguments>, sentence: RegExp][] = [
    [{ repository: '' }, /^The image name is empty/],
    [{ repository: 'a b' }, /^The image name "a b" contains a space/],
    [{ repository: 'REPO' }, /^"REPO" has capital letters/],
    [{ repository: `x@sha256:${'0'.repeat(64)}` }, /^Remove the digest "sha256:0+…"/],
    [{ tag: 't'.repeat(129) }, /^The tag has 129 characters/],
    [{ repository: 'x:1', tag: '2' }, /different tags are set: 1, 2/],
    [{ changes: ['RUN make'] }, /^"RUN" is not supported\. Supported instructions: CMD, /],
    [{ changes: ['ENV A=1', 'COPY a b'] }, /^"COPY" is not supported/],
    [{ changes: [''] }, /^"" is not supported/],
    [{ changes: ['ENV '] }, /^"ENV" requires an argument/],
    [{ changes: ['ENV A=1\nRUN make'] }, /^"ENV …" has several lines/],
  ];
  for (const [fault, sentence] of bad) {
    it(`rejects ${JSON.stringify(fault).slice(0, 60)}`, () => {
      assert.throws(
        () => commitSpec({ id: 'c', repository: 'x', ...fault }),
        (error) => error instanceof InputError && sentence.test(error.message),
      );
    });
  }
});
