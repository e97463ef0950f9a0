import assert from 'node:assert/strict';
import { sentence } from '../../../../src/base/sentence.ts';
import { formatElapsedTime } from '../../../../src/commands/containers/exitMessage.ts';
import { errorMessage, failureMessage } from '../../../../src/commands/ui/errorMessage.ts';
import { TlsFolderError } from '../../../../src/engine/discovery/readTlsFolder.ts';
import { EngineError, InputError, type FailureReason } from '../../../../src/engine/errors.ts';
import { FAILURES } from '../../../../src/engines/failures/failures.ts';
import { LocalNameError } from '../../../../src/files/safePath.ts';
import { AmbiguousError } from '../../../../src/engine/system/resolveTarget.ts';
import { TlsMaterialError } from '../../../../src/engine/http/secureContextOf.ts';

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
        );
        assert.match(text, /^[A-Z"u]/);
        assert.match(text, /[.)]$/);
        assert.doesNotMatch(text, /undefined|\{\d\}|: ?$|\(\)/);
      });
    }
  }

  it("puts a program's message between the problem and the remedy", () => {
    const text = (reason: FailureReason, engineMessage: string): string =>
      errorMessage(new EngineError(reason, { endpoint: 'ssh://me@host', engineMessage }));
    assert.equal(
      text('sshRefused', 'me@host: Permission denied (publickey).\n'),
      'SSH authentication failed for ssh://me@host: me@host: Permission denied (publickey). Check the user name and the key or password.',
    );
    assert.equal(
      text('sshFailed', 'broken pipe'),
      'SSH connection to ssh://me@host failed: broken pipe.',
    );
    assert.equal(text('sshFailed', ''), 'SSH connection to ssh://me@host failed.');
  });

  it('quotes a name that is not valid for a local file', () => {
    const text = errorMessage(new LocalNameError('a/..'));
    assert.equal(text, '"a/.." is not a valid file name.');
  });

  it("keeps the engine's message unchanged", () => {
    const error = new EngineError('conflict', { engineMessage: 'name "/web" is in use' });
    assert.equal(
      failureMessage('Could not rename web', error),
      'Could not rename web: name "/web" is in use',
    );
  });

  for (const [endpoint, words] of [
    ['unix:///var/run/docker.sock', /Add your user to the "docker" group/],
    ['unix:///run/docker.sock', /Add your user to the "docker" group/],
    ['unix:///run/podman/podman.sock', /systemctl --user enable --now podman\.socket/],
    ['unix:///run/user/1001/docker.sock', /Ask the owner of the socket for access/],
    ['ssh://me@there', /Ask the administrator of the host for access/],
  ] as const) {
    it(`explains how to get access to ${endpoint}`, () => {
      const text = errorMessage(new EngineError('permissionDenied', { endpoint }));
      assert.match(text, words);
      assert(text.includes(endpoint));
    });
  }

  for (const [code, words] of [
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /an unknown certificate authority/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /an unknown certificate authority/],
    ['CERT_HAS_EXPIRED', /has expired/],
    ['CERT_NOT_YET_VALID', /Check the clocks/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /does not match the host name/],
    ['CERT_REVOKED', /was revoked/],
    ['UNSPECIFIED', /too weak or invalid/],
  ] as const) {
    it(`explains what is wrong with a server certificate for ${code}`, () => {
      const cause = Object.assign(new Error('the library’s words'), { code });
      const error = new EngineError('certificateUntrusted', { endpoint: 'tcp://e:2376', cause });
      assert.match(errorMessage(error), words);
      assert.doesNotMatch(errorMessage(error), /library/);
    });
  }

  for (const [problem, words] of [
    ['caUnreadable', /CA certificate .* is not a valid PEM file/],
    ['certificateMissing', /^A private key is set for .*, but no certificate\. Set both\.$/],
    ['certificateUnreadable', /client certificate .* is not a valid PEM file/],
    ['keyMissing', /^A certificate is set for .*, but no private key\. Set both\.$/],
    ['keyEncrypted', /is encrypted\. Remove its passphrase/],
    ['keyUnreadable', /private key .* is not a valid PEM file/],
    ['keyOfAnother', /certificate and private key .* do not match/],
  ] as const) {
    it(`explains what is wrong with a client certificate for ${problem}`, () => {
      const cause = new TlsMaterialError(problem);
      const error = new EngineError('certificateUnusable', { endpoint: 'tcp://e:2376', cause });
      assert.match(errorMessage(error), words);
    });
  }

  for (const [problem, words] of [
    ['relative', 'The certificate folder for e is not an absolute path: certs.'],
    ['empty', 'No certificates for e in certs. Add ca.pem, or cert.pem and key.pem.'],
    ['unreadable', 'Cannot read certs for e.'],
  ] as const) {
    it(`explains what is wrong with a folder of certificates for ${problem}`, () => {
      const cause = new TlsFolderError(problem, 'certs');
      const error = new EngineError('certificateUnusable', { engineMessage: 'e', cause });
      assert.equal(errorMessage(error), words);
    });
  }

  it('distinguishes a Docker context without an endpoint from one with an invalid endpoint', () => {
    const said = (cause?: Error): string =>
      errorMessage(new EngineError('contextBroken', { engineMessage: 'c', cause }));
    assert.match(said(), /^The Docker context "c" has no endpoint\. /);
    assert.match(
      said(new EngineError('badEndpoint')),
      /^The endpoint of the Docker context "c" is invalid\. /,
    );
  });

  it('follows what failed as a sentence, and after a colon if it is the message of the engine', () => {
    const said = (error: Error): string => failureMessage('Could not start web', error);
    assert.equal(
      said(new EngineError('refused', { endpoint: 'unix:///e' })),
      'Could not start web. The container engine at unix:///e is not running (connection refused). Start it.',
    );
    assert.equal(
      said(new EngineError('conflict', { engineMessage: 'in use' })),
      'Could not start web: in use',
    );
    assert.equal(
      said(new EngineError('failed', { operation: 'POST /x', status: 500 })),
      'Could not start web. The engine rejected POST /x with HTTP status 500.',
    );
    assert.equal(said(new Error('EACCES')), 'Could not start web: EACCES');
  });

  it('names both matches of an ambiguous ID', () => {
    const text = errorMessage(new AmbiguousError('ab', ['web', 'db']));
    assert.match(text, /"ab".*web, db/);
  });

  it('uses the message of rejected input unchanged', () => {
    const error = new InputError('The image name is empty.');
    assert.equal(failureMessage('Could not pull', error), 'The image name is empty.');
  });
});

describe("an engine's message", () => {
  it('is shown with short container IDs and full digests', () => {
    const id = '0123456789abcdef'.repeat(4);
    const digest = `sha256:${'ab'.repeat(32)}`;
    const engineMessage = `The name is already in use by container "${id}", of ${digest}.`;
    assert.equal(
      errorMessage(new EngineError('conflict', { engineMessage })),
      `The name is already in use by container "0123456789ab", of ${digest}.`,
    );
  });

  it('hides passwords of URLs and shortens IDs in a sentence of ours, as in the words of an engine', () => {
    const id = 'c0ffee'.padEnd(64, '0');
    const error = new EngineError('failed', {
      engineMessage: sentence('{0} of {1}', id, 'https://me:secret@r.io/x'),
    });
    assert.equal(
      errorMessage(error),
      errorMessage(new EngineError('failed', { engineMessage: error.message })),
    );
    assert.match(errorMessage(error), /^c0ffee000000 of https:\/\/\S*@?r\.io\/x$/);
    assert.doesNotMatch(errorMessage(error), /secret/);
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
      assert.equal(formatElapsedTime(milliseconds), words);
    });
  }
});
