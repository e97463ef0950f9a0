import assert from 'node:assert/strict';

import { EngineError, type FailureReason } from '../../../src/engine/errors.ts';
import { english } from '../../../src/l10n.ts';
import {
  explainRefusal,
  isMissingInRegistry,
  isRegistryRefusal,
} from '../../../src/registries/explainRefusal.ts';

function said(engineMessage: string, reason: FailureReason = 'failed'): EngineError {
  return new EngineError(reason, { engineMessage, endpoint: 'unix:///x', operation: 'POST /y' });
}

describe('registries: a refusal', () => {
  // What engines and registries really say.
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
    it(`is: ${words.slice(0, 70)}`, () => {
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
    it(`is not: ${words}`, () => {
      assert.ok(!isRegistryRefusal(said(words)));
    });
  }

  it('is none of the connection to the engine, and no other error', () => {
    assert.ok(!isRegistryRefusal(said('access denied', 'permissionDenied')));
    assert.ok(!isRegistryRefusal(said('access denied', 'proxyPage')));
    assert.ok(!isRegistryRefusal(new Error('denied')));
    assert.ok(!isRegistryRefusal(undefined));
  });

  // What Docker, its containerd store and Podman say.
  const missing = [
    'manifest for r.io/a:9 not found: manifest unknown: manifest unknown',
    'repository r.io/b not found: name unknown: repository name not known to registry',
    'failed to resolve reference "r.io/a:9": r.io/a:9: not found',
    'initializing source docker://r.io/a:9: reading manifest 9 in r.io/a: manifest unknown',
  ];
  for (const words of missing) {
    it(`is not, but an image that the registry does not have: ${words.slice(0, 50)}`, () => {
      assert.ok(isMissingInRegistry(said(words, 'notFound')));
      assert.ok(isMissingInRegistry(said(words)));
      assert.ok(!isRegistryRefusal(said(words)));
    });
  }

  it('is no missing image', () => {
    for (const words of refusals) assert.ok(!isMissingInRegistry(said(words)), words);
    assert.ok(!isMissingInRegistry(said('dial tcp 127.0.0.1:9: connect: connection refused')));
    assert.ok(!isMissingInRegistry(said('manifest unknown', 'socketAbsent')));
    const platform = 'no matching manifest for linux/arm64/v8 in the manifest list entries';
    const noMatch = `${platform}: no match for platform in manifest: not found`;
    assert.ok(!isMissingInRegistry(said(noMatch)), 'the image is there, for another platform');
    assert.ok(!isMissingInRegistry(new Error('manifest unknown')));
  });

  const error = said('unauthorized: authentication required');

  it('says that nothing was found', () => {
    const nothing = { source: { kind: 'none' }, problems: [] } as const;
    const { message, reason, operation } = explainRefusal(error, 'r.io', nothing, english);
    assert.equal(
      message,
      'r.io refused, and no credentials for it were found: unauthorized: authentication required.',
    );
    assert.deepEqual([reason, operation], ['unauthorized', 'POST /y']);
  });

  it('says whose credentials were refused', () => {
    const source = { kind: 'helper', helper: 'pass', file: '/c.json' } as const;
    const found = { auth: { username: 'a', password: 'b' }, source, problems: [] };
    const { message } = explainRefusal(error, 'r.io', found, english);
    assert.match(
      message,
      /^r\.io refused the credentials \(the helper pass of \/c\.json\): unauth/,
    );
  });

  it('says that a token may have expired', () => {
    const found = {
      auth: { identitytoken: 't' },
      source: { kind: 'signIn' },
      problems: [],
    } as const;
    const { message } = explainRefusal(error, 'r.io', found, english);
    assert.match(
      message,
      /\(signed in with Gantry\); it may have expired, so sign in anew: unauth/,
    );
  });

  it('says why a helper had nothing, and keeps to one line', () => {
    const trouble = { kind: 'slow', helper: 'pass', file: '/c.json' } as const;
    const found = { source: { kind: 'none' }, problems: [trouble] } as const;
    const { message } = explainRefusal(said('denied:\nno\u202e way'), 'r.io', found, english);
    assert.match(message, / denied: no way\. The credential helper docker-credential-pass did not/);
    assert.doesNotMatch(message, /\n/);
  });
});
