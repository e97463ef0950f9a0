import assert from 'node:assert/strict';
import { bed } from '../../../bed/env.ts';
import { refusal, run } from '../kit/commands.ts';
import { useLab } from '../kit/lab.ts';
import { recordRequests, type Recorder } from '../kit/recorder.ts';

interface Bad {
  readonly what: string;
  readonly fields: object;
  readonly words: RegExp;
}

const TO_CREATE: readonly Bad[] = [
  { what: 'an empty image name', fields: { image: '' }, words: /image name is empty/ },
  {
    what: 'an image name with a leading space',
    fields: { image: ' x' },
    words: /" x" contains a space/,
  },
  { what: 'a blank image name', fields: { image: '  ' }, words: /image name is empty/ },
  {
    what: 'an image name with capital letters',
    fields: { image: 'Busybox' },
    words: /capital letters/,
  },
  { what: 'an image name with a URL scheme', fields: { image: 'https://a.b/c' }, words: /https:/ },
  {
    what: 'a tag of 129 characters',
    fields: { image: `a:${'t'.repeat(129)}` },
    words: /129 characters/,
  },
  { what: 'a name with spaces', fields: { name: 'a b' }, words: /"a b" is not a container name/ },
  { what: 'an empty name', fields: { name: '' }, words: /"" is not a container name/ },
  { what: 'a name with a slash', fields: { name: '/ab' }, words: /"\/ab" is not a container name/ },
  {
    what: 'container port 99999',
    fields: { ports: ['99999'] },
    words: /99999 .*not a port number/,
  },
  { what: 'container port 0', fields: { ports: ['0'] }, words: /not a port/ },
  { what: 'host port 99999', fields: { ports: ['99999:80'] }, words: /99999 .*not a port number/ },
  {
    what: 'a port that is not a number',
    fields: { ports: ['http'] },
    words: /"http" is not a port/,
  },
  { what: 'an empty port', fields: { ports: [''] }, words: /not a port/ },
  { what: 'an unknown protocol', fields: { ports: ['80/icmp'] }, words: /protocol/ },
  {
    what: 'an invalid host IP address',
    fields: { ports: ['1.2.3:80:80'] },
    words: /"1.2.3".*not an IP/,
  },
  {
    what: 'an environment variable without =',
    fields: { env: ['A'] },
    words: /"A" is not an environment variable/,
  },
  {
    what: 'an environment variable without a name',
    fields: { env: ['=1'] },
    words: /"=…" is not an environment variable/,
  },
  {
    what: 'an empty environment variable',
    fields: { env: [''] },
    words: /is not an environment variable/,
  },
  { what: 'a mount with a relative target', fields: { mounts: ['/a:b'] }, words: /b/ },
  {
    what: 'an unknown restart policy',
    fields: { restart: 'sometimes' },
    words: /"sometimes" is not/,
  },
  {
    what: 'a restart policy together with autoRemove',
    fields: { restart: 'always', autoRemove: true },
    words: /Automatic removal conflicts with the restart policy/,
  },
  { what: 'an empty network name', fields: { network: '' }, words: /network/ },
  {
    what: 'a relative working directory',
    fields: { workingDir: 'tmp' },
    words: /"tmp" is not an absolute path/,
  },
  { what: 'a platform with spaces', fields: { platform: 'a b' }, words: /"a b" is not a platform/ },
];

const TO_PULL: readonly Bad[] = [
  { what: 'an empty reference', fields: { reference: '' }, words: /empty/ },
  { what: 'a reference with a leading space', fields: { reference: ' x' }, words: /space/ },
  {
    what: 'a reference with capital letters',
    fields: { reference: 'Busybox' },
    words: /capital letters/,
  },
  { what: 'a tag of 129 characters', fields: { reference: `a:${'t'.repeat(129)}` }, words: /129/ },
  { what: 'a reference with an empty tag', fields: { reference: 'a:' }, words: /not a tag/ },
  { what: 'a short digest', fields: { reference: 'a@sha256:12' }, words: /not a digest/ },
  { what: 'an image ID', fields: { reference: 'f'.repeat(64) }, words: /image ID/ },
];

describe('invalid input', () => {
  const lab = useLab('bad');
  let recorder: Recorder;

  /** Asserts that a command rejects without any request of its own, and that the extension works afterwards. */
  async function assertRefused(ask: () => Promise<unknown>, words: RegExp): Promise<void> {
    await refusal(ask(), words);
    assert.deepEqual(recorder.asked(), []);
    await run('containers.list', {});
  }

  before(async () => {
    recorder = await recordRequests();
  });
  after(() => recorder.close());

  for (const { what, fields, words } of TO_CREATE) {
    it(`for a container, such as ${what}, is rejected before any request`, () =>
      assertRefused(
        () => run('containers.create', { image: bed().image, name: lab.name(), ...fields }),
        words,
      ));
  }

  for (const { what, fields, words } of TO_PULL) {
    it(`for a pull, such as ${what}, is rejected before any request`, () =>
      assertRefused(() => run('images.pull', fields), words));
  }

  it('that is neither a name nor an ID is rejected', async () => {
    for (const id of ['a b', '../etc', 'a/b', 'ümlaut', 'a?force=1', '-a', '\ud800']) {
      await refusal(run('containers.remove', { id, force: true }), /is not a container name or ID/);
    }
    for (const id of ['a b', '../etc', 'UPPER', 'a?force=1', '\ud800']) {
      await refusal(run('images.remove', { id, force: true }), /is not an image name or ID/);
    }
    const sent = recorder.lines().filter((line) => line.includes('DELETE'));
    assert.deepEqual(sent, []);
  });
});
