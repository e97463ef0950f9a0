import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import { encodeRegistryAuth } from '../../../../src/engine/registries/registryAuth.ts';
import { Secret } from '../../../../src/engine/secret.ts';

const SECRET = 'pa:ss~?>wörd';

describe('engine/credentials: encodeRegistryAuth', () => {
  it('is padded URL-safe Base64 of the JSON', () => {
    for (const password of ['', 'a', 'aa', 'aaa', SECRET, 'ÿþ~~~???>>>']) {
      const auth = { username: 'alice', password, serveraddress: 'r.io' };
      const encoded = encodeRegistryAuth(auth);
      assert.match(encoded, /^[A-Za-z0-9_-]+={0,2}$/);
      assert.equal(encoded.length % 4, 0);
      assert.deepEqual(JSON.parse(Buffer.from(encoded, 'base64url').toString()), auth);
    }
  });

  it('uses the two URL-safe characters', () => {
    const all = ['~~~', '???', '>>>', 'ÿÿÿ']
      .map((password) => encodeRegistryAuth({ password }))
      .join('');
    assert.match(all, /-/);
    assert.match(all, /_/);
  });

  it('leaves out whatever is no part of it', () => {
    const auth = { username: 'a', password: 'b', email: 'x' };
    const decoded = Buffer.from(encodeRegistryAuth(auth), 'base64url').toString();
    assert.equal(decoded, '{"username":"a","password":"b"}');
  });

  it('takes a secret out of its wrapping', () => {
    const auth = { username: 'a', password: new Secret(SECRET) };
    const decoded = Buffer.from(encodeRegistryAuth(auth), 'base64url').toString();
    assert.equal(decoded, JSON.stringify({ username: 'a', password: SECRET }));
  });
});

describe('engine/secret', () => {
  it('shows itself to nobody who prints, copies or serialises it', () => {
    const secret = new Secret(SECRET);
    const holder = { deep: { secret, list: [secret] } };
    const shown = [
      `${String(secret)} ${JSON.stringify(holder)}`,
      inspect(holder, { depth: null, showHidden: true, getters: true }),
      JSON.stringify(Object.entries(secret)),
      inspect(new Error('x', { cause: holder }), { depth: null, showHidden: true }),
    ];
    for (const text of shown) assert.doesNotMatch(text, /pa:ss|wörd/);
    assert.equal(secret.reveal(), SECRET);
  });
});
