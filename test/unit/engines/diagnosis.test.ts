import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Engine } from '../../../src/engine/engine.ts';
import { parseEndpoint, type Machine } from '../../../src/engine/http/endpoint.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import type {
  DiscoveryResult,
  EndpointCandidate,
} from '../../../src/engine/discovery/endpointCandidate.ts';
import { discoverEndpoints } from '../../../src/engine/discovery/discoverEndpoints.ts';
import { readEngineConfig } from '../../../src/engine/discovery/engineConfig.ts';
import { diagnose } from '../../../src/engines/diagnosis.ts';
import { formatDiagnosis } from '../../../src/engines/formatDiagnosis.ts';
import { EngineUnit } from '../../../src/engines/engineUnit.ts';
import { compareWithCli } from '../../../src/engines/compareWithCli.ts';
import { Watcher } from '../../../src/inventory/watcher.ts';
import { isCancellation } from '../../../src/base/lifetime.ts';
import { delay, wallClock } from '../../../src/base/time.ts';
import { contextFile, contextText, machineWith, SOCKET } from '../engine/discovery/fakeFiles.ts';
import { json, startFakeEngine, type Answer, type FakeEngine } from '../support/fakeEngine.ts';

const GOOD: Answer = ({ path }, response) => {
  if (path === '/events') response.writeHead(200).flushHeaders();
  else json(response, 200, [{ Id: 'a'.repeat(64), Names: ['/web'] }]);
};

/** Engines and candidates to diagnose, and the report about them. */
class DiagnosisFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'gantry-fixture-'));
  readonly #fakes: FakeEngine[] = [];
  readonly #units: EngineUnit[] = [];
  readonly #choices = new Map<EngineUnit, DiscoveryResult>();

  async fake(answer: Answer = GOOD): Promise<FakeEngine> {
    const fake = await startFakeEngine(answer);
    this.#fakes.push(fake);
    return fake;
  }

  /** Adds an engine of the window with candidates at these addresses. */
  unit(name: string, ...urls: readonly string[]): EngineUnit {
    return this.unitAt(name, ...urls.map((url) => placeAt(name, url)));
  }

  unitAt(name: string, ...candidates: readonly EndpointCandidate[]): EngineUnit {
    const choice = { candidates, isChosen: candidates.length === 1, steps: [] };
    const unit = new EngineUnit({
      id: name,
      name,
      engine: new Engine({ discover: () => Promise.resolve(choice) }),
      watch: (engine, inventory) =>
        new Watcher({
          inventory,
          clock: wallClock,
          connect: (signal) => engine.check(signal),
        }),
    });
    this.#units.push(unit);
    this.#choices.set(unit, choice);
    return unit;
  }

  async report(
    machine: Machine = machineWith({}),
    { isWide = true, hostSetting = '', signal = new AbortController().signal } = {},
  ): Promise<string> {
    const parts = { machine, userAgent: 'Gantry', limitMs: 4000 };
    const choose = (unit: EngineUnit): Promise<DiscoveryResult> =>
      Promise.resolve(this.#choices.get(unit) ?? assert.fail());
    const engines = this.#units;
    const found = await diagnose({ ...parts, hostSetting, engines, choose, isWide }, signal);
    const more = { version: '1.2.3', editor: 'Editor 1', remoteName: undefined };
    return formatDiagnosis(found, { ...parts, ...more, architecture: 'x64' });
  }

  async close(): Promise<void> {
    for (const unit of this.#units) unit.dispose();
    for (const fake of this.#fakes) await fake.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function placeAt(name: string, url: string, more: object = {}): EndpointCandidate {
  const endpoint = { ...parseEndpoint(url, 'setting'), ...more };
  return { name, found: { kind: 'setting' }, endpoint, error: undefined };
}

/** Returns the steps in a report, each as its sign and name. */
function stepsIn(report: string): string {
  return [...report.matchAll(/^ {2}([✓✗–]) (\w+)/gm)].map(([, ...step]) => step.join('')).join(' ');
}

describe('engines/diagnosis', () => {
  let fixture: DiagnosisFixture;
  beforeEach(() => (fixture = new DiagnosisFixture()));
  afterEach(async () => {
    mock.timers.reset();
    await fixture.close();
  });

  describe('of an engine that responds', () => {
    it('runs every step', async () => {
      const fake = await fixture.fake();
      fixture.unit('work', fake.url);
      const report = await fixture.report();
      assert.equal(stepsIn(report), '✓socket ✓connection ✓ping ✓list ✓events');
      assert.match(report, /^Gantry 1\.2\.3: diagnosis of engines\nEditor 1, linux x64$/m);
      assert.match(report, /✓ socket \d+ ms: \w+:\w+ [0-7]{3}$/m);
      assert.match(report, /✓ ping \d+ ms: Docker 20\.10\.24, API 1\.41; Gantry uses 1\.41$/m);
      assert.match(report, /✓ list \d+ ms: Containers: 1$/m);
      assert.match(report, /^State +not checked yet$/m);
    });

    it('works if a proxy blocks /version', async () => {
      const fake = await fixture.fake((request, response) => {
        if (request.path === '/version') json(response, 403, { message: 'no' });
        else void GOOD(request, response);
      });
      fixture.unit('work', fake.url);
      assert.match(await fixture.report(), /✓ ping \d+ ms: Docker 20\.10\.24, API 1\.41; Gantry/);
    });

    it('tries the default sockets in order, up to the first engine that responds', async () => {
      const fake = await fixture.fake();
      const nothing = `unix://${join(fixture.folder, 'nothing')}`;
      const usual = (name: string, url: string): EndpointCandidate => ({
        ...placeAt(name, url),
        found: { kind: 'usual', product: name },
      });
      fixture.unitAt('Default', usual('A', nothing), usual('B', fake.url), usual('C', nothing));
      const report = await fixture.report();
      assert.match(report, /^A, unix:.*\n {2}✗ socket \d+ ms: No container engine is running/m);
      assert.match(report, /^B, unix:/m);
      assert.doesNotMatch(report, /^C, unix:/m);
    });

    it('closes its connections', async () => {
      const fake = await fixture.fake();
      fixture.unit('work', fake.url);
      await fixture.report();
      while ((await fake.connections()) > 0) await delay(5);
    });
  });

  describe('stops at the first step that fails and names the problem', () => {
    const fails = async (url: string, steps: string, words: RegExp): Promise<void> => {
      fixture.unit('work', url);
      const report = await fixture.report();
      assert.equal(stepsIn(report), steps);
      assert.match(report, words);
    };

    it('for an invalid address', async () => {
      const error = new EngineError('badEndpoint', { endpoint: 'a b', engineMessage: 'a b' });
      const found = { kind: 'setting' } as const;
      fixture.unitAt('work', { name: 'work', found, endpoint: undefined, error });
      const report = await fixture.report();
      assert.equal(stepsIn(report), '✗address');
      assert.match(report, /"a b" is not a valid engine address/);
    });

    it('for no socket', () =>
      fails(join(fixture.folder, 'no'), '✗socket', /socket unix:.*\/no not found\./));

    it('for a file that is not a socket', async () => {
      const file = join(fixture.folder, 'file');
      writeFileSync(file, '');
      await fails(file, '✗socket', /is not a socket/);
    });

    it('for a socket without a listener', async () => {
      const path = join(fixture.folder, 's');
      const other = join(fixture.folder, 't');
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      // A server deletes its socket when it closes, unless the socket was renamed.
      renameSync(path, other);
      await new Promise((resolve) => server.close(resolve));
      await fails(other, '✓socket ✗connection', /connection refused/);
    });

    it('for a port without a listener', () =>
      fails('tcp://127.0.0.1:1', '✓host ✗connection', /connection refused/));

    it('for a web page', async () => {
      const fake = await fixture.fake();
      fake.ping((_, response) => {
        response.end('<html></html>');
      });
      await fails(fake.url, '✓socket ✓connection ✗ping', /returned a web page/);
    });

    it('for a server that requires a sign-in', async () => {
      const fake = await fixture.fake();
      fake.ping((_, response) => {
        response.writeHead(401, { 'content-type': 'text/html' }).end('<html></html>');
      });
      const words = /requires a sign-in \(HTTP status 401\)/;
      await fails(fake.url, '✓socket ✓connection ✗ping', words);
    });

    it('for an engine that is too old', async () => {
      const fake = await fixture.fake();
      fake.ping((_, response) => {
        response.setHeader('api-version', '1.24').end('OK');
      });
      const steps = '✓socket ✓connection ✗ping';
      await fails(fake.url, steps, /is too old \(API 1\.24\)\. /);
    });

    it('for a pinned API version that the engine does not support', async () => {
      const fake = await fixture.fake();
      fixture.unitAt('work', placeAt('work', fake.url, { pinnedApi: '1.50' }));
      const report = await fixture.report();
      assert.equal(stepsIn(report), '✓socket ✓connection ✗ping');
      assert.match(report, /does not support the API version in DOCKER_API_VERSION/);
    });

    it('for an engine that fails to list containers', async () => {
      const fake = await fixture.fake((request, response) => {
        if (request.path !== '/containers/json') void GOOD(request, response);
        else json(response, 500, { message: 'the disk is full' });
      });
      const steps = '✓socket ✓connection ✓ping ✗list';
      await fails(fake.url, steps, /✗ list \d+ ms: the disk is full/);
    });

    it('for an engine that does not open its event stream', async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      const fake = await fixture.fake((request, response) => {
        if (request.path === '/events') mock.timers.tick(5_000);
        else void GOOD(request, response);
      });
      const steps = '✓socket ✓connection ✓ping ✓list ✗events';
      await fails(fake.url, steps, /did not respond to GET \/events within 4 s/);
    });
  });

  describe('skips', () => {
    it('an SSH engine without a connection, because it would have to log in', async () => {
      fixture.unit('far', 'ssh://me@far.example.com');
      const report = await fixture.report();
      assert.equal(stepsIn(report), '–ssh');
    });

    it('an SSH engine that is lost, but checks one that is live over its open connection', async () => {
      const fake = await fixture.fake();
      const unit = fixture.unit('far', 'ssh://me@far.example.com');
      const near = new Engine({
        discover: () =>
          Promise.resolve({ candidates: [placeAt('', fake.url)], isChosen: true, steps: [] }),
      });
      const { endpoint } = placeAt('far', 'ssh://me@far.example.com');
      Object.defineProperty(unit.engine, 'endpoint', { value: endpoint });
      unit.engine.connect = (signal) => near.connect(signal);
      const error = new EngineError('refused');
      unit.inventory.setPhase({ kind: 'lost', error, hadRows: false });
      assert.equal(stepsIn(await fixture.report()), '–ssh');
      assert.equal(fake.pings(), 0);
      const info = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
      unit.inventory.setPhase({ kind: 'live', info });
      assert.match(await fixture.report(), /✓ events \d+ ms$/m);
      near.dispose();
    });

    it('the other steps of a live SSH engine whose connection has just broken', async () => {
      const unit = fixture.unit('far', 'ssh://me@far.example.com');
      const { endpoint } = placeAt('far', 'ssh://me@far.example.com');
      Object.defineProperty(unit.engine, 'endpoint', { value: endpoint });
      const info = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
      unit.inventory.setPhase({ kind: 'live', info });
      const controller = new AbortController();
      unit.engine.connect = () => {
        controller.abort();
        return Promise.reject(new EngineError('cut'));
      };
      const { signal } = controller;
      const canceled = fixture.report(machineWith({}), { signal });
      await assert.rejects(canceled, (error) => isCancellation(error));
      unit.engine.connect = () => Promise.reject(new EngineError('cut'));
      fixture.unit('work', (await fixture.fake()).url);
      const report = await fixture.report();
      assert.equal(stepsIn(report), '✗ssh ✓socket ✓connection ✓ping ✓list ✓events');
    });

    it('an engine that the user disconnected, unless only that engine is diagnosed', async () => {
      const fake = await fixture.fake();
      fixture.unit('work', fake.url).disconnect();
      assert.match(await fixture.report(), /^State +disconnected$/m);
      assert.equal(fake.pings(), 0);
      assert.match(await fixture.report(machineWith({}), { isWide: false }), /✓ events \d+ ms$/m);
    });
  });

  it('rejects with a cancellation when it is canceled', async () => {
    const fake = await fixture.fake(() => undefined);
    fixture.unit('work', fake.url);
    const controller = new AbortController();
    fake.ping(() => controller.abort());
    const { signal } = controller;
    await assert.rejects(fixture.report(machineWith({}), { signal }), (error) =>
      isCancellation(error),
    );
  });

  it('reports other engines and checks each, except SSH engines', async () => {
    const ours = await fixture.fake();
    const other = await fixture.fake();
    fixture.unit('work', ours.url);
    const contexts = { ours: ours.url, other: other.url, dead: `unix://${fixture.folder}/no` };
    const files = Object.entries({ ...contexts, far: 'ssh://far.example.com' }).map(
      ([name, url]) => [contextFile(name), contextText(name, url)] as const,
    );
    const broken = [contextFile('broken'), '{'] as const;
    const report = await fixture.report(machineWith(Object.fromEntries([...files, broken])));
    const [, others = ''] = report.split('Other engines');
    assert.match(others, /^✓ other, unix:.* \d+ ms: Docker 20\.10\.24, API/m);
    assert.match(
      others,
      /^✗ dead, unix:.*No container engine is running: socket unix:.* not found/m,
    );
    assert.match(others, /^✗ .*The Docker context ".*" has no endpoint/m);
    assert.match(others, /^– far, ssh:\/\/far\.example\.com: Skipped/m);
    assert.doesNotMatch(others, /ours/);
  });

  it('shows how the default engine was chosen', async () => {
    const config = { '/home/me/.docker/config.json': '{"currentContext":"blue"}' };
    const machine = machineWith(config, { DOCKER_HOST: 'unix:///tmp/s' });
    const report = await fixture.report(machine);
    assert.match(report, /^→ DOCKER_HOST +set: unix:\/\/\/tmp\/s$/m);
    assert.match(report, /^ {2}gantry\.host +not set$/m);
    assert.match(report, /^ {2}~\/\.docker\/config\.json +found: blue$/m);
    assert.match(report, /^ {2}DOCKER_CONTEXT +not set$/m);
    assert.match(report, /^SSH_AUTH_SOCK +not set$/m);
  });

  it('shows the engine of the Docker CLI if it is a different one', async () => {
    const machine = machineWith({ '/var/run/docker.sock': SOCKET });
    const report = await fixture.report(machine, { hostSetting: 'unix:///tmp/other' });
    assert.match(
      report,
      /Docker CLI uses a different engine: Docker, unix:\/\/\/var\/run\/docker\.sock/,
    );
    const same = await fixture.report(machine, { hostSetting: '/run/docker.sock' });
    assert.doesNotMatch(same, /different engine/);
  });

  describe('shows no secrets', () => {
    const SECRETS = ['hunter2', 'hush-header', 'hush-config', 'hush-key'];

    it('from environment variables, files and addresses', async () => {
      const machine = machineWith(
        {
          '/home/me/.docker/config.json':
            '{"HttpHeaders":{"X-Auth":"hush-config"},"auths":{"r":{"auth":"hunter2"}}}',
          [contextFile('tls')]: contextText('tls', 'tcp://127.0.0.1:1'),
          [contextFile('tls', 'key.pem')]: 'hush-key',
          [contextFile('tls', 'cert.pem')]: 'hush-key',
          [contextFile('pw')]: contextText('pw', 'ssh://me:hunter2@far'),
        },
        {
          DOCKER_HOST: 'tcp://hunter2@far:2375',
          DOCKER_CUSTOM_HEADERS: 'X-Auth=hush-header',
        },
      );
      const candidates = (await discoverEndpoints('', await readEngineConfig(machine))).candidates;
      fixture.unitAt('Default', ...candidates);
      const report = await fixture.report(machine, { hostSetting: 'tcp://you:hunter2@far' });
      for (const secret of SECRETS) assert.ok(!report.includes(secret), `${secret} in ${report}`);
      assert.match(report, /^ {2}DOCKER_CUSTOM_HEADERS +set$/m);
      assert.match(report, /^ {2}DOCKER_HOST +set: tcp:\/\/…@/m);
      assert.doesNotMatch(report, /\/home\/me/);
    });

    it("and no markup from the engine's messages", async () => {
      const fake = await fixture.fake((request, response) => {
        if (request.path !== '/containers/json') void GOOD(request, response);
        else json(response, 500, { message: '[a](command:x)\n✓ forged: <img src=x>\u202e' });
      });
      fixture.unit('work', fake.url);
      const report = await fixture.report();
      assert.doesNotMatch(report, /\]\(|<|\u202e/);
      assert.doesNotMatch(report, /^ *✓ forged/m);
    });
  });
});

describe('engines/compareWithCli', () => {
  const machine = machineWith({ [contextFile('blue')]: contextText('blue', 'unix:///tmp/blue') });
  const differs = async (host: string, where = machine): Promise<boolean> =>
    (await compareWithCli(host, where)).cli !== undefined;

  it('reports the engine of the Docker CLI if the setting selects another one', async () => {
    assert.equal(await differs('unix:///tmp/x'), true);
    assert.equal(await differs('context:blue'), true);
    assert.equal(await differs('context:nobody'), true);
  });

  it('reports nothing without the setting, or if both select the same engine', async () => {
    assert.equal(await differs(''), false);
    assert.equal(await differs('/var/run/docker.sock'), false);
    const blue = { ...machine, env: { DOCKER_CONTEXT: 'blue' } };
    assert.equal(await differs('unix:///tmp/blue', blue), false);
    assert.equal(await differs('unix:///tmp/x', blue), true);
  });
});
