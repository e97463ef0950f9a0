import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capabilitiesOf, type Capabilities } from '../../../src/engine/capabilities.ts';
import type { EngineInfo } from '../../../src/engine/model.ts';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));
/** A branch on what answers. Its name as text to show, and the names of programs found here, are none. */
const BRANCH =
  /[!=]==\s*['"](?:podman|docker)['"]|\bcase ['"](?:podman|docker)['"]|info\)?\.product\b\s*[!=?]/;

function of(product: EngineInfo['product'], api: string): Capabilities {
  return capabilitiesOf({ product, api, engineApi: api });
}

function unable(can: Capabilities): readonly string[] {
  return Object.entries(can).flatMap(([name, isAble]) => (isAble === true ? [] : [name]));
}

describe('engine/capabilities', () => {
  it('of Docker are all, once it tells the platforms of an image', () => {
    assert.deepEqual(unable(of('docker', '1.52')), []);
    assert.deepEqual(unable(of('docker', '1.49')), []);
    assert.deepEqual(unable(of('docker', '1.48')), ['inspectsByPlatform']);
  });

  it('of Docker before 27 lack events of untagged builds, too, whatever version is spoken', () => {
    for (const api of ['1.41', '1.45']) {
      assert.deepEqual(unable(of('docker', api)), ['inspectsByPlatform', 'tellsUntaggedBuilds']);
    }
    const pinned = capabilitiesOf({ product: 'docker', api: '1.41', engineApi: '1.46' });
    assert.equal(pinned.tellsUntaggedBuilds, true);
  });

  for (const api of ['1.41', '1.44', '1.52']) {
    it(`of Podman are none that only Docker was seen to have, whatever version it announces (${api})`, () => {
      const able = Object.entries(of('podman', api)).flatMap(([name, isAble]) =>
        isAble === true ? [name] : [],
      );
      assert.deepEqual(able, ['tellsUntaggedBuilds']);
    });
  }

  it('of an engine without a name are the usual ones, with all care at force and at its logs', () => {
    assert.deepEqual(unable(of('unknown', '1.52')), [
      'unsetsVariables',
      'readsHealthchecks',
      'forcedRemovalKeepsUsers',
      'tellsUntaggedBuilds',
      'asksRegistries',
      'followsLogsWhole',
      'endsLogsWithRun',
      'readsLastRecordWhole',
      'stampsTerminalLines',
      'countsFromEnd',
      'stampsPiecesAlike',
    ]);
  });

  it('are the only place that asks for a product', () => {
    const files = globSync('**/*.ts', { cwd: SRC }).map((file) => file.replaceAll('\\', '/'));
    assert(files.length > 40);
    const asking = files.filter((file) => BRANCH.test(readFileSync(join(SRC, file), 'utf8')));
    assert.deepEqual(asking, ['engine/capabilities.ts']);
  });
});
