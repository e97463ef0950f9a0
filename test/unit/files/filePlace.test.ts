import assert from 'node:assert/strict';
import { addressOf, readAddress, type FilePlace } from '../../../src/files/filePlace.ts';

const ID = 'a1'.repeat(32);
const web: FilePlace = { engine: 'default', kind: 'container', id: ID, name: 'web' };

describe('files/filePlace: the address of a file', () => {
  const places: FilePlace[] = [
    web,
    { ...web, engine: 'my & engine=?' },
    { ...web, kind: 'image', id: `sha256:${ID}`, name: 'ghcr.io/o/nginx:latest' },
  ];
  for (const place of places) {
    it(`says where a file of ${place.name} on ${place.engine} is`, () => {
      for (const path of ['/', '/etc/hosts', '/ä #?%/日本', '/a\nb']) {
        const read = readAddress(addressOf(place, path));
        assert.equal(read?.path, path);
        const name = place.name.replace(/.*\//, '');
        assert.deepEqual(read.place, { ...place, name });
      }
    });
  }

  it('reads like a path to a person', () => {
    const address = addressOf(web, '/etc//nginx/./nginx.conf/');
    assert.equal(address.path, '/web/etc/nginx/nginx.conf');
  });

  it('is none without an id, an engine or a name', () => {
    const good = `engine=default&container=${ID}`;
    assert(readAddress({ path: '/web', query: good }));
    for (const query of [
      '',
      'engine=default',
      `container=${ID}`,
      `${good}a`,
      `engine=default&image=${ID}`,
    ])
      assert.equal(readAddress({ path: '/web/x', query }), undefined, query);
    assert.equal(readAddress({ path: '/', query: good }), undefined);
  });

  it('never leads above the root', () => {
    const read = readAddress({ path: '/web/../../etc', query: `engine=default&container=${ID}` });
    assert.equal(read?.path, '/etc');
  });
});
