import assert from 'node:assert/strict';
import { knownDiskUse, listKnownSizes } from '../../../../src/engine/volumes/knownSizes.ts';
import { listVolumes } from '../../../../src/engine/volumes/volumes.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, type Lab } from '../../support/lab.ts';

const bind = { Driver: 'local', Options: { type: 'none', o: 'bind', device: '/srv' } };
const VOLUMES = [
  { Name: 'plain', Driver: 'local', Options: null },
  { Name: 'running', ...bind },
  { Name: 'paused', ...bind },
  { Name: 'stopped', ...bind },
  { Name: 'unused', Driver: 'vieux/sshfs' },
];
const CONTAINERS = ['running', 'paused', 'stopped'].map((name) => ({
  Id: idOf(name === 'stopped' ? 'c' : 'd'),
  State: name === 'stopped' ? 'exited' : name,
  Mounts: [{ Type: 'volume', Name: name, Destination: '/data' }],
}));

describe('the sizes of volumes', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  async function sizesOn(product: object): Promise<readonly (readonly string[])[]> {
    const { connection, engine } = await lab.fake(({ path }, response) => {
      const df = VOLUMES.map(({ Name }) => ({ Name, UsageData: { Size: 0 } }));
      if (path === '/volumes') json(response, 200, { Volumes: VOLUMES });
      else json(response, 200, path === '/system/df' ? { Volumes: df } : CONTAINERS);
    });
    engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.41', ...product }).end('OK');
    });
    const all = [await listKnownSizes(connection), (await knownDiskUse(connection)).volumes];
    return all.map((sizes) => [...sizes.keys()]);
  }

  it('are unknown for one that the engine mounts only while it is used', async () => {
    const known = ['plain', 'running', 'paused'];
    assert.deepEqual(await sizesOn({ 'libpod-api-version': '5.8.6' }), [known, known]);
  });

  it('are as reported by an engine that measures no other ones', async () => {
    const known = VOLUMES.map(({ Name }) => Name);
    assert.deepEqual(await sizesOn({ server: 'Docker/28.0.0 (linux)' }), [known, known]);
  });

  it('are of no volume if the engine has an empty list, but not if it sends none', async () => {
    let answer: object = { Volumes: null };
    const { connection } = await lab.fake((_, response) => json(response, 200, answer));
    assert.deepEqual(await listVolumes(connection), []);
    answer = {};
    await failure(listVolumes(connection), 'badAnswer');
  });
});
