import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import { encodeRegistryAuth } from '../../../../src/engine/wire/registryAuth.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import { hideErrorSecrets } from '../../../../src/engine/wire/hideSecrets.ts';
import { Secret } from '../../../../src/base/secret.ts';

function said(engineMessage: string): EngineError {
  return new EngineError('failed', { engineMessage, endpoint: 'unix:///x', operation: 'POST /y' });
}

describe('hideErrorSecrets', () => {
  const password = 'canary/+~?>ö';
  const auth = { username: 'alice', password: new Secret(password), serveraddress: 'r.io' };
  const forms: [what: string, secret: string][] = [
    ['the password', password],
    ['the URL-encoded password', encodeURIComponent(password)],
    ['the password in Base64', Buffer.from(password).toString('base64')],
    ['user name and password in Base64', Buffer.from(`alice:${password}`).toString('base64')],
    ['the X-Registry-Auth header', encodeRegistryAuth(auth)],
    ['the X-Registry-Auth header without padding', encodeRegistryAuth(auth).replace(/=+$/, '')],
  ];
  for (const [what, secret] of forms) {
    it(`removes ${what} from an error`, () => {
      const error = hideErrorSecrets(said(`unauthorized: you sent "${secret}" to me`), auth);
      assert.ok(error instanceof EngineError);
      assert.match(error.message, /^unauthorized: you sent "…" to me$/);
      assert.ok(!inspect(error, { depth: null, showHidden: true }).includes(secret));
      assert.deepEqual([error.reason, error.endpoint], ['failed', 'unix:///x']);
    });
  }

  it('handles a lone surrogate', () => {
    const half = { username: 'a', password: 'canary\ud800' };
    assert.equal((hideErrorSecrets(said('canary\ud800'), half) as Error).message, 'canary\ufffd');
  });

  it('returns other errors unchanged', () => {
    const errors = [said('unauthorized'), new Error('x'), undefined, 'text'];
    for (const error of errors) assert.equal(hideErrorSecrets(error, auth), error);
    const quoting = said(`"${password}"`);
    assert.equal(hideErrorSecrets(quoting, undefined), quoting);
  });

  it('removes tokens and keeps words that are too short to be a secret', () => {
    const token = { identitytoken: new Secret('tok-canary') };
    assert.equal((hideErrorSecrets(said('x tok-canary'), token) as Error).message, 'x …');
    const short = { username: 'a', password: 'is' };
    assert.equal((hideErrorSecrets(said('this is it'), short) as Error).message, 'this is it');
  });
});
