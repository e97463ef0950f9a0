import assert from 'node:assert/strict';
import { formatElapsedTime } from '../../../src/commands/containers/exitMessage.ts';
import { errorMessage, failureMessage } from '../../../src/commands/errorMessages.ts';
import { EngineError, InputError, type FailureReason } from '../../../src/engine/errors.ts';
import { FAILURES } from '../../../src/failures/failures.ts';
import { AmbiguousError } from '../../../src/engine/resolveTarget.ts';
import { TlsMaterialError } from '../../../src/engine/http/secureContextOf.ts';
import { english } from '../../../src/l10n.ts';

describe('an error message', () => {
  for (const reason of Object.keys(FAILURES) as FailureReason[]) {
    for (const engineMessage of [undefined, 'The words.']) {
      const what =
        engineMessage === undefined
          ? 'without a message of the engine'
          : 'with a message of the engine';
      it(`is a complete sentence without unfilled placeholders for ${reason} ${what}`, () => {
        const text = errorMessage(
          new EngineError(reason, {
            endpoint: 'unix:///e.sock',
            operation: 'GET /x',
            status: 500,
            ...(engineMessage !== undefined && { engineMessage }),
          }),
          english,
        );
        assert.match(text, /^[A-Z"u]/);
        assert.match(text, /[.)]$/);
        assert.doesNotMatch(text, /undefined|\{\d\}|: ?$|\(\)/);
      });
    }
  }

  it("keeps the engine's message unchanged", () => {
    const error = new EngineError('conflict', { engineMessage: 'name "/web" is in use' });
    assert.equal(
      failureMessage('Could not rename web', error, english),
      'Could not rename web: name "/web" is in use',
    );
  });

  for (const [endpoint, words] of [
    ['unix:///var/run/docker.sock', /join the group "docker"/],
    ['unix:///run/docker.sock', /join the group "docker"/],
    ['unix:///run/podman/podman.sock', /systemctl --user enable --now podman\.socket/],
    ['unix:///run/user/1001/docker.sock', /somebody else’s/],
    ['ssh://me@there', /Ask to be let in there/],
  ] as const) {
    it(`tells how to get access to ${endpoint}`, () => {
      const text = errorMessage(new EngineError('permissionDenied', { endpoint }), english);
      assert.match(text, words);
      assert(text.includes(endpoint));
    });
  }

  for (const [code, words] of [
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /nobody this machine trusts/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /nobody this machine trusts/],
    ['CERT_HAS_EXPIRED', /has expired/],
    ['CERT_NOT_YET_VALID', /compare the clocks/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /for another machine/],
    ['CERT_REVOKED', /was withdrawn/],
    ['UNSPECIFIED', /too weak or broken/],
  ] as const) {
    it(`tells what is wrong with a server certificate for ${code}`, () => {
      const cause = Object.assign(new Error('the library’s words'), { code });
      const error = new EngineError('certificateUntrusted', { endpoint: 'tcp://e:2376', cause });
      assert.match(errorMessage(error, english), words);
      assert.doesNotMatch(errorMessage(error, english), /library/);
    });
  }

  for (const [problem, words] of [
    ['caUnreadable', /authority \(CA\)/],
    ['certificateMissing', /no certificate: set both/],
    ['certificateUnreadable', /certificate .* is none in PEM form/],
    ['keyMissing', /no private key: set both/],
    ['keyEncrypted', /locked with a passphrase/],
    ['keyUnreadable', /private key .* is none in PEM form/],
    ['keyOfAnother', /do not belong together/],
  ] as const) {
    it(`tells what is wrong with a client certificate for ${problem}`, () => {
      const cause = new TlsMaterialError(problem);
      const error = new EngineError('certificateUnusable', { endpoint: 'tcp://e:2376', cause });
      assert.match(errorMessage(error, english), words);
    });
  }

  it('names both matches of an ambiguous ID', () => {
    const text = errorMessage(new AmbiguousError('ab', ['web', 'db']), english);
    assert.match(text, /"ab".*web, db/);
  });

  it('uses the message of rejected input unchanged', () => {
    const error = new InputError('The image name is empty.');
    assert.equal(failureMessage('Could not pull', error, english), 'The image name is empty.');
  });
});

describe("an engine's message", () => {
  it('is shown with short container IDs and full digests', () => {
    const [id, digest] = ['0123456789abcdef'.repeat(4), `sha256:${'ab'.repeat(32)}`];
    const engineMessage = `The name is already in use by container "${id}", of ${digest}.`;
    assert.equal(
      errorMessage(new EngineError('conflict', { engineMessage }), english),
      `The name is already in use by container "0123456789ab", of ${digest}.`,
    );
  });
});

describe('a formatted duration', () => {
  for (const [milliseconds, words] of [
    [-5, '0 s'],
    [340, '0.3 s'],
    [9_990, '10 s'],
    [12_400, '12 s'],
    [185_000, '3 min 5 s'],
    [7_800_000, '2 h 10 min'],
  ] as const) {
    it(`of ${milliseconds} ms is ${words}`, () => {
      assert.equal(formatElapsedTime(milliseconds, english), words);
    });
  }
});
