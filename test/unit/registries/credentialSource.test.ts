import assert from 'node:assert/strict';

import { EngineError, type FailureReason } from '../../../src/engine/errors.ts';
import {
  credentialProblemMessage,
  explainRefusal,
  refusalMessage,
  formatCredentialSource,
  isMissingInRegistry,
  isRegistryRefusal,
} from '../../../src/registries/credentialSource.ts';

function said(engineMessage: string, reason: FailureReason = 'failed'): EngineError {
  return new EngineError(reason, { engineMessage, endpoint: 'unix:///x', operation: 'POST /y' });
}

describe('registries: a refusal', () => {
  // Messages of real engines and registries.
  const refusals = [
    'unauthorized: authentication required',
    'Head "http://r.io/v2/a/manifests/1": no basic auth credentials',
    "pull access denied for a, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    'failed to authorize: failed to fetch oauth token: unexpected status from GET request to https://r.io/token: 401 Unauthorized',
    'denied: denied',
    'unexpected status from HEAD request to https://r.io/v2/a/manifests/1: 403 Forbidden',
    'initializing source docker://r.io/a:1: reading manifest 1 in r.io/a: authentication required',
    'unable to retrieve auth token: invalid username/password: unauthorized: incorrect username or password',
    'push access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
    'unable to decode token response: invalid_grant',
  ];
  for (const words of refusals) {
    it(`is recognized: ${words.slice(0, 70)}`, () => {
      for (const reason of ['failed', 'notFound', 'unauthorized', 'badRequest'] as const) {
        assert.ok(isRegistryRefusal(said(words, reason)));
      }
    });
  }

  const others = [
    'manifest unknown',
    'Get "http://127.0.0.1:9/v2/": dial tcp 127.0.0.1:9: connect: connection refused',
    'failed to register layer: mkdir /x: permission denied',
    'no space left on device',
    'toomanyrequests: You have reached your pull rate limit',
  ];
  for (const words of others) {
    it(`is not recognized in another message: ${words}`, () => {
      assert.ok(!isRegistryRefusal(said(words)));
    });
  }

  it('is not an error of the connection to the engine, nor any other error', () => {
    assert.ok(!isRegistryRefusal(said('access denied', 'permissionDenied')));
    assert.ok(!isRegistryRefusal(said('access denied', 'proxyPage')));
    assert.ok(!isRegistryRefusal(new Error('denied')));
    assert.ok(!isRegistryRefusal(undefined));
  });

  // Messages of Docker, Docker with the containerd image store, and Podman.
  const missing = [
    'manifest for r.io/a:9 not found: manifest unknown: manifest unknown',
    'repository r.io/b not found: name unknown: repository name not known to registry',
    'failed to resolve reference "r.io/a:9": r.io/a:9: not found',
    'initializing source docker://r.io/a:9: reading manifest 9 in r.io/a: manifest unknown',
  ];
  for (const words of missing) {
    it(`is not recognized if the registry does not have the image: ${words.slice(0, 50)}`, () => {
      assert.ok(isMissingInRegistry(said(words, 'notFound')));
      assert.ok(isMissingInRegistry(said(words)));
      assert.ok(!isRegistryRefusal(said(words)));
    });
  }

  it('is not mistaken for a missing image', () => {
    for (const words of refusals) assert.ok(!isMissingInRegistry(said(words)), words);
    assert.ok(!isMissingInRegistry(said('dial tcp 127.0.0.1:9: connect: connection refused')));
    assert.ok(!isMissingInRegistry(said('manifest unknown', 'socketAbsent')));
    const platform = 'no matching manifest for linux/arm64/v8 in the manifest list entries';
    const noMatch = `${platform}: no match for platform in manifest: not found`;
    assert.ok(!isMissingInRegistry(said(noMatch)), 'the image is there, for another platform');
    assert.ok(!isMissingInRegistry(new Error('manifest unknown')));
  });

  const error = said('unauthorized: authentication required');

  it('reports that no credentials were found', () => {
    const nothing = { source: { kind: 'none' }, problems: [] } as const;
    const { message, reason, operation } = explainRefusal(error, 'r.io', nothing);
    assert.equal(
      message,
      'r.io denied access, and no credentials for it were found: unauthorized: authentication required.',
    );
    assert.deepEqual([reason, operation], ['unauthorized', 'POST /y']);
  });

  it('is asked about without the words of the engine', () => {
    const nothing = { source: { kind: 'none' }, problems: [] } as const;
    assert.equal(
      refusalMessage(error, 'r.io', nothing),
      'r.io denied access, and no credentials for it were found.',
    );
  });

  it('is not called a rejection of the credentials if the repository may not exist', () => {
    const auth = { username: 'a', password: 'b' };
    const found = { auth, source: { kind: 'signIn' }, problems: [] } as const;
    const denied = refusals.filter((words) => /resource is denied|insufficient_scope/.test(words));
    assert.equal(denied.length, 2);
    for (const words of denied) {
      assert.equal(
        refusalMessage(said(words), 'r.io', found),
        'r.io denied access with the credentials (signed in with Gantry). The repository may not exist.',
      );
      const { message } = explainRefusal(said(words), 'r.io', found);
      assert.match(message, /^r\.io denied access with the credentials \(.*\): pu(?:ll|sh) access/);
    }
    // A registry without tokens does not even look for the repository.
    const basic =
      'repository does not exist or may require authorization: no basic auth credentials';
    assert.match(refusalMessage(said(basic), 'r.io', found), /rejected the credentials/);
  });

  it('ends with one period if the message of the engine is empty, or a sentence', () => {
    const nothing = { source: { kind: 'none' }, problems: [] } as const;
    const message = (words: string) => explainRefusal(said(words), 'r.io', nothing).message;
    assert.equal(message(''), 'r.io denied access, and no credentials for it were found.');
    assert.match(message('denied: ask Alice.'), /were found: denied: ask Alice\.$/);
  });

  it('reports which credentials were rejected', () => {
    const source = { kind: 'helper', helper: 'pass', file: '/c.json' } as const;
    const found = { auth: { username: 'a', password: 'b' }, source, problems: [] };
    const { message } = explainRefusal(error, 'r.io', found);
    assert.match(
      message,
      /^r\.io rejected the credentials \(credential helper pass in \/c\.json\): unauth/,
    );
  });

  it('reports that a token may have expired', () => {
    const found = {
      auth: { identitytoken: 't' },
      source: { kind: 'signIn' },
      problems: [],
    } as const;
    const { message } = explainRefusal(error, 'r.io', found);
    assert.match(message, /\(signed in with Gantry\), which may have expired: unauth/);
  });

  it('explains why a helper had no credentials, on one line', () => {
    const trouble = { kind: 'slow', helper: 'pass', file: '/c.json' } as const;
    const found = { source: { kind: 'none' }, problems: [trouble] } as const;
    const { message } = explainRefusal(said('denied:\nno\u202e way'), 'r.io', found);
    assert.match(
      message,
      / denied: no way\. The credential helper docker-credential-pass timed out/,
    );
    assert.doesNotMatch(message, /\n/);
  });
});

describe('registries: the source of credentials', () => {
  it('is formatted as a short text', () => {
    const file = '/c.json';
    const words = (
      [
        { kind: 'none' },
        { kind: 'argument' },
        { kind: 'signIn' },
        { kind: 'variable', name: 'DOCKER_AUTH_CONFIG' },
        { kind: 'file', file },
        { kind: 'helper', helper: 'pass', file },
      ] as const
    ).map((source) => formatCredentialSource(source));
    assert.deepEqual(words, [
      'no credentials',
      'passed by the caller',
      'signed in with Gantry',
      'environment variable DOCKER_AUTH_CONFIG',
      '/c.json',
      'credential helper pass in /c.json',
    ]);
  });

  it('is explained if it had a problem', () => {
    const of = { helper: 'pass', file: '/c.json' };
    const messages = (['missing', 'slow', 'failed', 'rubbish', 'tooMuch'] as const).map((kind) =>
      credentialProblemMessage({ ...of, kind }),
    );
    const program = 'docker-credential-pass';
    assert.deepEqual(messages, [
      `Credential helper ${program} (set in /c.json) not found.`,
      `The credential helper ${program} timed out and was stopped.`,
      `The credential helper ${program} failed.`,
      `Unexpected response from the credential helper ${program}.`,
      `The credential helper ${program} returned too much output and was stopped.`,
    ]);
    const damaged = { kind: 'damaged', where: '/c.json' } as const;
    assert.equal(credentialProblemMessage(damaged), 'Cannot parse /c.json.');
    const badName = credentialProblemMessage({ kind: 'badName', file: '/c.json' });
    assert.equal(badName, '/c.json contains an invalid credential helper name.');
    const storage = credentialProblemMessage({ kind: 'storage' });
    assert.equal(storage, 'Cannot read the credentials in VS Code secret storage.');
  });
});
