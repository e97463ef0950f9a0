import assert from 'node:assert/strict';
import { canCheckNewer, NewerImages } from '../../../../src/registries/transfers/newerImages.ts';
import { image } from '../../inventory/support/nouns.ts';

const OLD = `sha256:${'1'.repeat(64)}`;
const NEW = `sha256:${'2'.repeat(64)}`;
const named = { engine: 'default', reference: 'nginx:1' };

describe('registries/transfers/newerImages', () => {
  it('reports a newer image only for tags that were checked', () => {
    const newer = new NewerImages();
    const here = image('a', { tags: ['nginx:1'], digests: [`nginx@${OLD}`] });
    assert.equal(newer.isNewer(named, here), false);
    const told: string[] = [];
    newer.onDidChange(({ reference }) => told.push(reference));
    newer.record(named, NEW);
    assert.equal(newer.isNewer(named, here), true);
    assert.equal(newer.isNewer({ ...named, engine: 'other' }, here), false);
    assert.equal(newer.isNewer({ ...named, reference: 'nginx:2' }, here), false);
    assert.deepEqual(told, ['nginx:1']);
  });

  it('compares digests of the same repository, in short or full form', () => {
    const newer = new NewerImages();
    newer.record(named, NEW);
    const full = image('a', { digests: [`docker.io/library/nginx@${NEW}`] });
    const older = image('a', { digests: [`docker.io/library/nginx@${OLD}`] });
    const both = image('a', { digests: [`mirror.example.org/nginx@${NEW}`, `nginx@${OLD}`] });
    assert.equal(newer.isNewer(named, full), false);
    assert.equal(newer.isNewer(named, older), true);
    assert.equal(newer.isNewer(named, both), true);
  });

  it('reports nothing for an image that was not pulled from that registry', () => {
    const newer = new NewerImages();
    newer.record(named, NEW);
    const built = image('a', { tags: ['nginx:1'], digests: [] });
    const mirror = image('a', { digests: [`mirror.example.org/nginx@${OLD}`] });
    assert.equal(newer.isNewer(named, built), false);
    assert.equal(newer.isNewer(named, mirror), false);
  });

  it('is supported on Docker, once connected', () => {
    const info = { api: '1.41', engineApi: '1.41' };
    assert.equal(canCheckNewer({ kind: 'connecting' }), false);
    assert.equal(canCheckNewer({ kind: 'live', info: { ...info, product: 'docker' } }), true);
    assert.equal(canCheckNewer({ kind: 'live', info: { ...info, product: 'podman' } }), false);
  });
});
