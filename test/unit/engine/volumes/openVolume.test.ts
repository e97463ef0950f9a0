import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseReading, type VolumeReading } from '../../../../src/engine/volumes/openVolume.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

// Linux always has mounts below /dev.
(process.platform === 'linux' ? describe : describe.skip)('chooseReading', () => {
  let lab: Lab;
  let folder: string;
  beforeEach(() => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry reading-'));
    symlinkSync('/dev', join(folder, 'link'));
    symlinkSync(folder, join(folder, 'self'));
  });
  afterEach(async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  });

  /** Chooses on an engine whose archives have no owners. Its container has the files of this machine. */
  async function choose(path: string): Promise<VolumeReading> {
    let command: readonly string[] = [];
    let exitCode: number | null = null;
    const user = {
      ...{ Id: idOf('a'), Names: ['/user'], State: 'running' },
      Mounts: [{ Type: 'volume', Name: 'data', Destination: path }],
    };
    const { engine, connection } = await lab.fake(({ path, body }, response) => {
      if (path === '/containers/json') json(response, 200, [user]);
      else if (path === '/volumes/data') json(response, 200, { Name: 'data' });
      else if (path.endsWith('/json')) json(response, 200, { Running: false, ExitCode: exitCode });
      else if (path.endsWith('/exec')) {
        ({ Cmd: command } = JSON.parse(body) as { Cmd: readonly string[] });
        json(response, 201, { Id: idOf('e') });
      } else {
        exitCode = spawnSync(command[0] ?? '', command.slice(1)).status;
        response.writeHead(200, { 'content-type': 'application/vnd.docker.raw-stream' }).end();
      }
    });
    engine.ping((_request, response) => {
      response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': '4.3.1' }).end('OK');
    });
    return chooseReading(connection, 'data');
  }

  it('reads through a container, which keeps the owners', async () => {
    for (const path of [folder, join(folder, 'self')])
      assert.deepEqual((await choose(path)).method, { container: idOf('a'), path });
  });

  for (const [what, path] of [
    ['the folder of the volume', () => '/dev'],
    ['it, written in another way', () => '/proc/..//dev/'],
    ['the folder that its link leads to', () => join(folder, 'link')],
    ['that, below another link', () => join(folder, 'self', 'link')],
  ] as const) {
    it(`does not if something else is mounted in ${what}`, async () => {
      assert.deepEqual((await choose(path())).losses, ['owners']);
    });
  }
});
