import assert from 'node:assert/strict';
import { readContainerDetails } from '../../../src/engine/containers/containerDetails.ts';
import { readContainer } from '../../../src/engine/containers/readContainer.ts';
import { readImage } from '../../../src/engine/images/images.ts';
import { projectOf } from '../../../src/projects/projectLabels.ts';
import { HIDDEN, HOSTILE } from '../support/hostile.ts';

const ID = 'a'.repeat(64);

describe('reading untrusted data', () => {
  for (const { name, text } of HOSTILE) {
    it(`sanitizes texts with ${name}`, () => {
      const container = readContainer({ Id: ID, Names: [`/${text}`], Image: text, Status: text });
      const image = readImage({ Id: ID, RepoTags: [text], RepoDigests: [text] });
      const details = readContainerDetails({ Id: ID, Name: `/${text}`, State: { Error: text } });
      const shown = [
        ...[container?.name, container?.image, container?.status, ...(container?.names ?? [])],
        ...[...(image?.tags ?? []), ...(image?.digests ?? []), details.name, details.error],
      ];
      for (const one of shown) assert.doesNotMatch(one ?? '', HIDDEN);
      assert.notEqual(container?.name, '');
    });
  }

  it('keeps labels unchanged, because they are compared', () => {
    const Labels = { 'com.example': 'a\u202eb\n' };
    assert.deepEqual(readContainer({ Id: ID, Labels })?.labels, Labels);
  });

  it('drops elements with an invalid ID', () => {
    for (const Id of ['../x', 'a/b', 'a b', '\x1b[31m', '', 'a'.repeat(257), 'a\u202e']) {
      assert.equal(readContainer({ Id }), undefined);
      assert.equal(readImage({ Id }), undefined);
      assert.equal(readContainerDetails({ Id }).id, '');
    }
  });

  it('drops an invalid address, protocol or number of a port', () => {
    const wrong = { IP: '1.2.3.4@evil', Type: 'tcp\n[x](command:y)' };
    const [port] = readContainer({ Id: ID, Ports: [{ PrivatePort: 80, ...wrong }] })?.ports ?? [];
    assert.deepEqual(port, { privatePort: 80, protocol: 'tcp' });
    for (const PublicPort of [1.5, -1, 65_536, '80', Number.NaN]) {
      const Ports = [{ PrivatePort: 80, PublicPort, Type: 'tcp' }];
      assert.deepEqual(readContainer({ Id: ID, Ports })?.ports, [
        { privatePort: 80, protocol: 'tcp' },
      ]);
    }
  });

  it('truncates a very long name', () => {
    const name = readContainer({ Id: ID, Names: [`/${'x'.repeat(100_000)}`] })?.name ?? '';
    assert.match(name, /^x{511}…$/);
  });

  it('creates no group without a visible name', () => {
    for (const project of ['\u200b', ' \n', '\x1b[0m\u202e']) {
      const Labels = {
        'com.docker.compose.project': project,
        'com.docker.compose.config-hash': 'hash',
      };
      const container = readContainer({ Id: ID, Labels });
      assert(container);
      assert.equal(projectOf(container), undefined);
    }
  });
});
