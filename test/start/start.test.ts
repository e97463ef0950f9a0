import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { startDocker, type BedEngine } from '../bed/engines.ts';
import { askWell } from '../bed/http.ts';
import { BED_IMAGE, importBusybox } from '../bed/images.ts';
import { launchBrowser, type TestBrowser } from '../bed/vscode/browser.ts';
import { Workbench } from '../bed/vscode/workbench.ts';
import { Started, type How } from './started.ts';

const OPEN = /^Open (http:\S+)\n/m;
const THROWAWAY = /^A throwaway Docker engine is at (unix:\S+)\n/m;

/** Returns whether the server accepts the token: it then responds with a cookie and a redirect. */
async function letsIn(url: URL): Promise<boolean> {
  const { status } = await fetch(url, { redirect: 'manual' });
  assert.ok(status === 302 || status === 403, String(status));
  return status === 302;
}

/** Returns the address with another token, or without one. */
function withToken(url: URL, token: string | undefined): URL {
  const other = new URL(url);
  if (token === undefined) other.searchParams.delete('tkn');
  else other.searchParams.set('tkn', token);
  return other;
}

/** Resolves to the names of the engine's containers and images. */
async function contentsOf(engine: string): Promise<string[]> {
  const get = async (path: string): Promise<unknown> =>
    JSON.parse(await askWell(new URL(engine).pathname, 'GET', path));
  const containers = (await get('/containers/json?all=1')) as { readonly Names: string[] }[];
  const images = (await get('/images/json')) as { readonly RepoTags: string[] }[];
  return [
    ...containers.flatMap(({ Names }) => Names),
    ...images.flatMap(({ RepoTags }) => RepoTags),
  ];
}

describe('npm start', function () {
  this.timeout(180_000);

  let browser: TestBrowser;
  const all: Started[] = [];

  function start(how: How = {}): Started {
    const started = new Started(how);
    all.push(started);
    return started;
  }

  /** Opens the page like a user would, and the Gantry view in it. */
  async function look(url: string): Promise<Workbench> {
    const page = await browser.newPage();
    await page.goto(url);
    const workbench = new Workbench(page);
    await workbench.ready();
    await workbench.openView('Gantry');
    return workbench;
  }

  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());
  afterEach(async () => {
    for (const started of all.splice(0)) await started.clear();
  });

  describe('with an engine', () => {
    let engine: BedEngine;

    const containers = () => askWell(engine.socket, 'GET', '/containers/json?all=1');
    const images = () => askWell(engine.socket, 'GET', '/images/json?all=1');

    before(async () => {
      engine = await startDocker();
      await importBusybox(engine);
      const body = { Image: BED_IMAGE, Cmd: ['true'] };
      await askWell(engine.socket, 'POST', '/containers/create?name=mine', { body });
    });
    after(() => engine.stop());

    it('shows its contents to those with the token, changes nothing, and leaves nothing behind when the terminal is closed', async () => {
      const before = [await containers(), await images()];
      const started = start({ env: { DOCKER_HOST: engine.url } });
      const url = new URL(await started.says(OPEN));
      assert.ok(await letsIn(url));
      assert.ok(!(await letsIn(withToken(url, 'guessed'))));
      assert.ok(!(await letsIn(withToken(url, undefined))));
      const workbench = await look(url.href);
      await workbench.row('mine', 'Containers').waitFor();
      await workbench.row(BED_IMAGE, 'Images').waitFor();
      assert.doesNotMatch(started.output, /throwaway/);
      started.signalAll('SIGHUP');
      assert.deepEqual(await started.left(), []);
      assert.deepEqual([await containers(), await images()], before);
    });

    it('opens the desktop VS Code if there is one, and exits', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gantry-code-'));
      try {
        const script = `#!/bin/sh\nprintf '%s\\n' "$@" "$DOCKER_HOST" >${folder}/said\n`;
        writeFileSync(join(folder, 'code'), script, { mode: 0o755 });
        const path = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
        const started = start({ env: { DOCKER_HOST: engine.url, DISPLAY: ':9', PATH: path } });
        assert.deepEqual(await started.left(), []);
        const said = readFileSync(join(folder, 'said'), 'utf8').trim().split('\n');
        assert.equal(said[0], '--new-window');
        assert.equal(said[1], `--extensionDevelopmentPath=${join(import.meta.dirname, '../..')}`);
        assert.equal(said[2], engine.url);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });

  describe('without an engine', () => {
    it('runs twice at once, each with its own engine, and leaves nothing behind on Ctrl+C or when npm is killed', async () => {
      const both = [start({ withoutEngines: true }), start({ withoutEngines: true })] as const;
      const urls = await Promise.all(both.map((one) => one.says(OPEN)));
      const engines = await Promise.all(both.map((one) => one.says(THROWAWAY)));
      assert.notEqual(urls[0], urls[1]);
      assert.notEqual(engines[0], engines[1]);
      for (const [index, one] of both.entries()) {
        assert.equal(one.serverVariable('DOCKER_HOST'), engines[index]);
        assert.deepEqual((await contentsOf(engines[index]!)).sort(), [
          '/clock',
          '/greeting',
          BED_IMAGE,
        ]);
      }
      both[0].signalAll('SIGINT');
      assert.deepEqual(await both[0].left(), []);
      assert.ok(await letsIn(new URL(urls[1]!)));
      both[1].signalNpm('SIGKILL');
      assert.deepEqual(await both[1].left(), []);
    });

    it('leaves nothing behind when npm is terminated while starting', async () => {
      const started = start({ withoutEngines: true });
      await started.says(/starting a throwaway one/);
      started.signalNpm('SIGTERM');
      assert.deepEqual(await started.left(), []);
    });
  });
});
