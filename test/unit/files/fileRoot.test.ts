import assert from 'node:assert/strict';
import { toFileUri, parseFileUri, type FileRoot } from '../../../src/files/fileRoot.ts';

const ID = 'a1'.repeat(32);
const web: FileRoot = { engine: 'default', kind: 'container', id: ID, name: 'web' };

describe('files/fileRoot: the URI of a file', () => {
  const roots: FileRoot[] = [
    web,
    { ...web, engine: 'my & engine=?' },
    { ...web, kind: 'volume', id: 'shop_db-1.x', name: 'shop_db-1.x' },
    { ...web, kind: 'image', id: `sha256:${ID}`, name: 'ghcr.io/o/nginx:latest' },
  ];
  for (const root of roots) {
    it(`round-trips for ${root.name} on ${root.engine}`, () => {
      for (const path of ['/', '/etc/hosts', '/ä #?%/日本', '/a\nb']) {
        const read = parseFileUri(toFileUri(root, path));
        assert.equal(read?.path, path);
        const name = root.name.replace(/.*\//, '');
        assert.deepEqual(read.root, { ...root, name });
      }
    });
  }

  it('has a readable path that starts with the name', () => {
    const address = toFileUri(web, '/etc//nginx/./nginx.conf/');
    assert.equal(address.path, '/web/etc/nginx/nginx.conf');
  });

  it('is invalid without an ID, an engine, or a name', () => {
    const good = `engine=default&container=${ID}`;
    assert(parseFileUri({ path: '/web', query: good }));
    for (const query of [
      '',
      'engine=default',
      `container=${ID}`,
      `${good}a`,
      `engine=default&image=${ID}`,
      'engine=default&volume=/etc',
    ])
      assert.equal(parseFileUri({ path: '/web/x', query }), undefined, query);
    assert.equal(parseFileUri({ path: '/', query: good }), undefined);
  });

  it('never leads above the root', () => {
    const read = parseFileUri({ path: '/web/../../etc', query: `engine=default&container=${ID}` });
    assert.equal(read?.path, '/etc');
  });
});
