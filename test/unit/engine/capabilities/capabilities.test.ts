import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  capabilitiesOf,
  type Capabilities,
} from '../../../../src/engine/capabilities/capabilities.ts';
import type { EngineInfo } from '../../../../src/engine/model.ts';

const SRC = fileURLToPath(new URL('../../../../src/', import.meta.url));
/** A branch on the product. Product names in texts and names of local programs do not count. */
const BRANCH =
  /[!=]==\s*['"](?:podman|docker)['"]|\bcase ['"](?:podman|docker)['"]|info\)?\.product\b\s*[!=?]/;

/**
 * Podman versions in which its faults are fixed, and others, including one that is missing and one that is not a
 * number.
 */
const RIGHT_VERSIONS = ['5.8.0', '5.8.6', '5.10.0', '6.0.0-dev'];
const VERSIONS = [undefined, 'unknown', '5.8-dev', '4.3.1', '4.10.0', '5.7.9', ...RIGHT_VERSIONS];

function of(product: EngineInfo['product'], api: string): Capabilities {
  return capabilitiesOf({ product, api, engineApi: api });
}

function unable(can: Capabilities): readonly string[] {
  return Object.entries(can).flatMap(([name, isAble]) => (isAble ? [] : [name]));
}

describe('capabilities', () => {
  it('of Docker are complete but for pods, processes and uploads to tmpfs as soon as it takes HTTP/2', () => {
    const always = ['hasPods', 'writesToTmpfs', 'listsProcessesItself', 'samplesTogether'];
    assert.deepEqual(unable(of('docker', '1.53')), always);
    assert.deepEqual(unable(of('docker', '1.52')), ['supportsHttp2', ...always]);
    assert.deepEqual(unable(of('docker', '1.49')), ['supportsHttp2', ...always]);
    assert.deepEqual(unable(of('docker', '1.48')), [
      'supportsHttp2',
      'inspectsByPlatform',
      ...always,
    ]);
  });

  it('of Docker before 23 exclude a list with the exit when the event is sent', () => {
    assert.equal(of('docker', '1.41').savesExitFirst, false);
    assert.equal(of('docker', '1.42').savesExitFirst, true);
  });

  it('of Docker before 23 exclude a sample at once', () => {
    assert.equal(of('docker', '1.41').samplesAtOnce, false);
    assert.equal(of('docker', '1.42').samplesAtOnce, true);
  });

  it('of Docker before 24 exclude the history of builds', () => {
    assert.equal(of('docker', '1.42').keepsBuilds, false);
    assert.equal(of('docker', '1.43').keepsBuilds, true);
  });

  it('of Docker before 27 exclude events of untagged builds, whatever API version is used', () => {
    for (const api of ['1.43', '1.45']) {
      assert.deepEqual(unable(of('docker', api)), [
        'supportsHttp2',
        'checksDockerfiles',
        'inspectsByPlatform',
        'tellsUntaggedBuilds',
        'hasPods',
        'keepsVolumeAge',
        'writesToTmpfs',
        'listsProcessesItself',
        'samplesTogether',
      ]);
    }
    const pinned = capabilitiesOf({ product: 'docker', api: '1.41', engineApi: '1.46' });
    assert.equal(pinned.tellsUntaggedBuilds, true);
  });

  for (const api of ['1.41', '1.44', '1.52']) {
    it(`of Podman exclude those observed only in Docker, whatever API version it reports (${api})`, () => {
      const able = Object.entries(of('podman', api)).flatMap(([name, isAble]) =>
        isAble ? [name] : [],
      );
      assert.deepEqual(able, [
        'tellsUntaggedBuilds',
        'hasPods',
        'keepsSetuid',
        'keepsVolumeAge',
        'extractsLinksOut',
        'writesToTmpfs',
        'listsProcessesItself',
        'samplesTogether',
      ]);
    });
  }

  /**
   * The Podman version from which on it has a capability that the first observed Podman lacks; undefined for
   * none.
   */
  const rows: Readonly<Record<keyof Capabilities, string | undefined>> = {
    refusesNewerApi: undefined,
    inspectsRuntime: undefined,
    reportsStops: undefined,
    listsPausedAsRunning: undefined,
    knowsUsualGrace: '5.8.0',
    supportsEndlessGrace: undefined,
    checksPlatformAtCreate: undefined,
    unsetsVariables: undefined,
    readsHealthchecks: undefined,
    runsHealthchecks: undefined,
    waitsForShortRuns: undefined,
    savesExitFirst: undefined,
    tellsExitAtRemoval: '5.8.0',
    inspectsPastExit: '5.8.0',
    forcedRemovalKeepsUsers: undefined,
    supportsHttp2: undefined,
    hasBuildKit: undefined,
    checksDockerfiles: undefined,
    keepsBuilds: undefined,
    inspectsByPlatform: undefined,
    tellsUntaggedBuilds: '0.0',
    reportsNetworks: undefined,
    asksRegistries: undefined,
    searchesOneRegistry: undefined,
    followsLogsWhole: undefined,
    checksNetworkUseById: undefined,
    forgetsRefusedConnections: '5.8.0',
    endsLogsWithRun: undefined,
    readsLastRecordWhole: undefined,
    includesLogBounds: undefined,
    stampsTerminalLines: undefined,
    countsFromEnd: undefined,
    stampsPiecesAlike: undefined,
    appliesLastSize: undefined,
    hasPods: '0.0',
    keepsOwnersInArchives: undefined,
    keepsOwnersInCopies: '5.8.0',
    keepsVolumeOptions: undefined,
    mountsVolumesToRead: undefined,
    commitsHealthCheck: undefined,
    supportsHealthCheckChange: '5.8.0',
    keepsVolumeAge: '0.0',
    extractsLinksOut: '0.0',
    changesFoldersByArchive: undefined,
    writesToTmpfs: '0.0',
    listsProcessesItself: '0.0',
    samplesAtOnce: undefined,
    samplesTogether: '0.0',
    keepsSetuid: '0.0',
  };
  for (const [row, since] of Object.entries(rows)) {
    it(`of Podman ${since === undefined ? `never include ${row}` : `include ${row} from version ${since} on`}`, () => {
      const able = VERSIONS.filter((version) => {
        const info = { product: 'podman', api: '1.44', engineApi: '1.44' } as const;
        const can = capabilitiesOf(version === undefined ? info : { ...info, version });
        return Object.entries(can).some(([name, isAble]) => name === row && isAble);
      });
      const right = since === undefined ? [] : since === '0.0' ? VERSIONS : RIGHT_VERSIONS;
      assert.deepEqual(able, right);
    });
  }

  it('of an unknown engine are the common ones, without those for force removal and logs', () => {
    assert.deepEqual(unable(of('unknown', '1.52')), [
      'unsetsVariables',
      'readsHealthchecks',
      'savesExitFirst',
      'forcedRemovalKeepsUsers',
      'supportsHttp2',
      'checksDockerfiles',
      'keepsBuilds',
      'tellsUntaggedBuilds',
      'asksRegistries',
      'followsLogsWhole',
      'endsLogsWithRun',
      'readsLastRecordWhole',
      'stampsTerminalLines',
      'countsFromEnd',
      'hasPods',
      'keepsVolumeAge',
      'writesToTmpfs',
      'listsProcessesItself',
      'samplesAtOnce',
      'samplesTogether',
      'stampsPiecesAlike',
    ]);
  });

  it('are the only code that branches on the product', () => {
    const files = globSync('**/*.ts', { cwd: SRC }).map((file) => file.replaceAll('\\', '/'));
    assert(files.length > 40);
    const asking = files.filter((file) => BRANCH.test(readFileSync(join(SRC, file), 'utf8')));
    assert.deepEqual(asking, ['engine/capabilities/capabilities.ts']);
  });
});
