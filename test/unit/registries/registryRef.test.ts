import assert from 'node:assert/strict';

import { readRegistry } from '../../../src/registries/registryRef.ts';

describe('registries: a registry typed by the user', () => {
  const good: [text: string, registry: string][] = [
    ['ghcr.io', 'ghcr.io'],
    [' GHCR.IO ', 'ghcr.io'],
    ['https://ghcr.io/owner/name', 'ghcr.io'],
    ['localhost:5000', 'localhost:5000'],
    ['localhost', 'localhost'],
    ['http://127.0.0.1:5000/v2/', '127.0.0.1:5000'],
    ['[::1]:5000', '[::1]:5000'],
    ['docker.io', 'docker.io'],
    ['https://index.docker.io/v1/', 'docker.io'],
    ['registry-1.docker.io', 'docker.io'],
    ['hub.docker.com', 'docker.io'],
    ['my.docker.io', 'my.docker.io'],
  ];
  for (const [text, registry] of good) {
    it(`is ${registry} for ${text}`, () => assert.equal(readRegistry(text), registry));
  }

  for (const text of [
    '',
    ' ',
    'ghcr',
    'two words.io',
    'r.io:port',
    '-r.io',
    'r..io',
    'a/b',
    '#.io',
  ]) {
    it(`is rejected if it is ${JSON.stringify(text)}, with a message`, () => {
      assert.throws(() => readRegistry(text), {
        name: 'InputError',
        message: /registry is empty|is not a registry/,
      });
    });
  }

  it('is not repeated in the error if it may contain a password', () => {
    assert.throws(
      () => readRegistry('https://alice:canary@r.io'),
      (error: Error) => error.name === 'InputError' && !error.message.includes('canary'),
    );
  });
});
