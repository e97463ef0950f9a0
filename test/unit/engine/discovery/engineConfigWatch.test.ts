import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EngineConfigWatch } from '../../../../src/engine/discovery/engineConfigWatch.ts';

describe('EngineConfigWatch', function () {
  // Long enough to distinguish a late callback from a missing one.
  this.timeout(20_000);

  let home = '';
  let docker = '';
  let watches: EngineConfigWatch[] = [];
  let calls = 0;
  let heard = (): void => undefined;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'places-'));
    docker = join(home, '.docker');
    calls = 0;
  });

  afterEach(() => {
    for (const watch of watches) watch.dispose();
    watches = [];
    rmSync(home, { recursive: true, force: true });
  });

  async function start(
    onChange: () => void,
    env: Readonly<Record<string, string>> = {},
  ): Promise<EngineConfigWatch> {
    const watch = new EngineConfigWatch({ platform: process.platform, home, env }, () => {
      onChange();
      heard();
    });
    watches.push(watch);
    await watch.begun;
    return watch;
  }

  const count = (): void => {
    calls += 1;
  };

  /** Makes a change and waits for the next callback. */
  async function told(change: () => void): Promise<void> {
    const next = new Promise<void>((resolve) => (heard = resolve));
    change();
    await next;
  }

  function replaceConfig(text = '{}'): void {
    writeFileSync(join(docker, 'config.json.tmp'), text);
    renameSync(join(docker, 'config.json.tmp'), join(docker, 'config.json'));
  }

  it('notices each replacement of config.json', async () => {
    mkdirSync(docker);
    await start(count);
    for (const text of ['{}', '{"currentContext":"a"}', '{"currentContext":"b"}']) {
      await told(() => replaceConfig(text));
    }
    await told(() => rmSync(join(docker, 'config.json')));
  });

  it('notices nested folders that are created, and then changes in them', async () => {
    await start(count);
    const context = join(docker, 'contexts', 'meta', 'abc');
    const tls = join(docker, 'contexts', 'tls', 'abc', 'docker');
    const changes = [
      () => mkdirSync(docker),
      () => mkdirSync(join(context, '..'), { recursive: true }),
      () => mkdirSync(context),
      () => writeFileSync(join(context, 'meta.json'), '{}'),
      () => mkdirSync(tls, { recursive: true }),
      () => writeFileSync(join(tls, 'ca.pem'), ''),
      () => rmSync(tls, { recursive: true }),
    ];
    for (const change of changes) await told(change);
  });

  it('keeps watching after the folder was deleted and created again', async () => {
    mkdirSync(docker);
    await start(count);
    for (let round = 0; round < 3; round++) {
      await told(() => {
        rmSync(docker, { recursive: true });
        mkdirSync(docker);
      });
      await told(replaceConfig);
    }
  });

  it('keeps watching after the folder was missing for a while', async () => {
    mkdirSync(join(docker, 'contexts', 'meta', 'a'), { recursive: true });
    await start(count);
    await told(() => renameSync(docker, join(home, 'old')));
    await told(() => renameSync(join(home, 'old'), docker));
    await told(() => writeFileSync(join(docker, 'contexts', 'meta', 'a', 'meta.json'), ''));
  });

  it('notices changes of the Podman connections in either file', async () => {
    await start(count);
    const folder = join(home, '.config', 'containers');
    for (const name of ['podman-connections.json', 'containers.conf']) {
      await told(() => {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, name), '');
      });
    }
  });

  it('watches the folder of DOCKER_CONFIG', async () => {
    docker = join(home, 'elsewhere');
    mkdirSync(docker);
    await start(count, { DOCKER_CONFIG: docker });
    await told(replaceConfig);
  });

  /** Resolves when all callbacks for earlier changes have been made: another watch has reported later changes. */
  async function settled(): Promise<void> {
    const elsewhere = mkdtempSync(join(home, 'elsewhere-'));
    await start(() => undefined, { DOCKER_CONFIG: elsewhere });
    for (const text of ['1', '2', '3']) {
      await told(() => writeFileSync(join(elsewhere, 'config.json'), text));
    }
  }

  it('calls back once for many changes in a burst', async () => {
    mkdirSync(docker);
    await start(count);
    await told(() => {
      for (let change = 0; change < 20; change++) replaceConfig(String(change));
    });
    await settled();
    assert.equal(calls, 1);
  });

  it('ignores other files in these folders and in those above', async () => {
    mkdirSync(docker);
    await start(count);
    for (let change = 0; change < 20; change++) {
      writeFileSync(join(docker, `other${change}`), '');
      writeFileSync(join(home, `other${change}`), '');
    }
    await settled();
    assert.equal(calls, 0);
  });

  it('does not call back after it is disposed', async () => {
    mkdirSync(docker);
    const ended = await start(count);
    ended.dispose();
    ended.dispose();
    replaceConfig();
    await settled();
    assert.equal(calls, 0);
  });

  it('does not call back if it is disposed before it has begun', async () => {
    mkdirSync(docker);
    new EngineConfigWatch({ platform: process.platform, home, env: {} }, count).dispose();
    replaceConfig();
    await settled();
    assert.equal(calls, 0);
  });

  for (const machine of [
    { home: '', env: {} },
    { home: 'relative', env: { DOCKER_CONFIG: 'relative', XDG_CONFIG_HOME: '..' } },
    { home: '/proc/self/none', env: {} },
  ]) {
    it(`neither calls back nor throws if the home folder is "${machine.home}"`, async () => {
      for (const platform of ['linux', 'darwin', 'win32'] as const) {
        const watch = new EngineConfigWatch({ platform, ...machine }, count);
        watches.push(watch);
        await watch.begun;
      }
    });
  }
});
