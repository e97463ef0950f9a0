import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import { encodeRegistryAuth } from '../../../../src/engine/wire/registryAuth.ts';
import { Secret } from '../../../../src/base/secret.ts';

const SECRET = 'pa:ss~?>wörd';

describe('engine/registryAuth: encodeRegistryAuth', () => {
  it('returns padded URL-safe Base64 of the JSON', () => {
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

  it('omits fields that are not credentials', () => {
    const auth = { username: 'a', password: 'b', email: 'x' };
    const decoded = Buffer.from(encodeRegistryAuth(auth), 'base64url').toString();
    assert.equal(decoded, '{"username":"a","password":"b"}');
  });

  it('reveals wrapped secrets', () => {
    for (const field of ['password', 'identitytoken', 'registrytoken']) {
      const auth = { username: 'a', [field]: new Secret(SECRET) };
      const decoded = Buffer.from(encodeRegistryAuth(auth), 'base64url').toString();
      assert.equal(decoded, JSON.stringify({ username: 'a', [field]: SECRET }));
    }
  });
});

describe('engine/secret', () => {
  it('is hidden when printed, copied or serialized', () => {
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
