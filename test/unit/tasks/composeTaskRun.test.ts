import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from '../../../src/engine/model.ts';
import type { ComposeCli } from '../../../src/projects/cli/composeCli.ts';
import { Screen } from '../../../src/output/terminal/screen.ts';
import { ComposeTaskRun } from '../../../src/tasks/composeTaskRun.ts';
import { readComposeTaskOptions } from '../../../src/tasks/composeTaskOptions.ts';
import { HIDDEN } from '../support/hostile.ts';
import { when } from '../support/lab.ts';
import { idOf } from '../inventory/support/nouns.ts';
import {
  openProjectLab,
  service as serviceOf,
  type ProjectLab,
} from '../commands/projects/support/projectLab.ts';

describe('a task on a compose project', function () {
  this.timeout(20_000);
  let lab: ProjectLab['lab'];
  let engine: ProjectLab['engine'];
  let folder: string;
  let file: string;
  let cli: ComposeCli | undefined;
  let text: string;
  let end: AbortController;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-compose-task-'));
    file = join(folder, 'compose.yaml');
    writeFileSync(file, 'name: shop\nservices: {}');
    cli = undefined;
    text = '';
    end = new AbortController();
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await lab.close();
  });

  /** Returns a container of a service that was created from the file. */
  function service(letter: string, name: string, depends = '', fields = {}): Container {
    const one = serviceOf(letter, name, depends, fields);
    const config = { 'com.docker.compose.project.config_files': file };
    return { ...one, labels: { ...one.labels, ...config } };
  }

  async function open(...containers: readonly Container[]): Promise<void> {
    ({ lab, engine } = await openProjectLab(containers));
    Object.assign(lab.context.window, { findCompose: () => Promise.resolve(cli) });
    lab.ui.folders = [folder];
  }

  /** Installs a program in place of the compose CLI, which appends its arguments to `calls`. */
  function install(body: string): void {
    const program = join(folder, 'docker');
    const log = join(folder, 'calls');
    writeFileSync(program, `#!/bin/sh\necho "$@" >>'${log}'\n${body}\n`);
    chmodSync(program, 0o755);
    cli = { file: program, prefix: [], hasJson: false, hasDryRun: true, hasFolder: true };
  }
  const calls = (): readonly string[] =>
    readFileSync(join(folder, 'calls'), 'utf8').trim().replaceAll(folder, '').split('\n');

  async function run(definition: object): Promise<number> {
    const screen = new Screen();
    // oxlint-disable-next-line no-control-regex -- it is what is looked for
    screen.onDidWrite((part) => (text += part.replaceAll(/\x1b\[\d+m/g, '')));
    const options = readComposeTaskOptions({ type: 'gantry.compose', ...definition });
    const { context } = lab;
    return new ComposeTaskRun({ options, folder, context, screen, signal: end.signal }).run();
  }

  /** Tells the inventory that a container has changed, as after an event. */
  function tell(container: Container, health: 'healthy' | 'unhealthy' | undefined): void {
    const next = { ...container, state: 'running', ...(health && { health }) } as const;
    lab.inventory.replaceContainers([next.id], [next], 0);
  }

  it('starts a project that exists in its order, and waits until it is healthy', async () => {
    const db = service('b', 'db');
    await open(service('a', 'web', 'db'), db);
    engine.setHealth('db', 'starting');
    const running = run({ command: 'up', project: 'shop', waitFor: 'healthy' });
    await when(() => engine.asked.length === 2);
    assert.deepEqual(engine.asked, ['start db', 'start web']);
    engine.setHealth('db', 'healthy');
    tell(db, 'healthy');
    assert.equal(await running, 0);
    assert.deepEqual(text.trim().split('\r\n').sort(), ['db is healthy.', 'web is running.']);
  });

  it('fails at the first service that is unhealthy, and waits for no other', async () => {
    await open(service('a', 'web'), service('b', 'db'));
    engine.setHealth('db', 'unhealthy');
    engine.setHealth('web', 'starting');
    assert.equal(await run({ command: 'up', project: 'shop', waitFor: 'healthy' }), 1);
    assert.equal(text, 'db is unhealthy.\r\n');
  });

  it('fails if a service does not start, with the reason', async () => {
    await open(service('a', 'web', 'db'), service('b', 'db'));
    engine.refuses.add('start db');
    const services = ['web', 'db'];
    assert.equal(await run({ command: 'up', project: 'shop', services }), 1);
    assert.equal(
      text,
      'db: start db is not possible\r\nweb: It depends on db, which could not be started.\r\n',
    );
  });

  it('waits for jobs to exit with code 0, and for no other service', async () => {
    for (const code of [0, 3]) {
      text = '';
      await open(service('a', 'job'), service('b', 'web'));
      const up = { command: 'up', project: 'shop', services: ['job'], waitFor: 'completed' };
      const running = run(up);
      await when(() => engine.isWaited('job'));
      engine.exit('job', code);
      assert.equal(await running, code === 0 ? 0 : 1);
      assert.equal(text, code === 0 ? 'job has completed.\r\n' : 'job exited with code 3.\r\n');
      assert.deepEqual(engine.asked, ['start job']);
      if (code === 0) await lab.close();
    }
  });

  it('takes a job that others wait for as running once it has completed', async () => {
    await open(service('a', 'web', 'job:service_completed_successfully'), service('b', 'job'));
    const running = run({ command: 'up', project: 'shop', waitFor: 'running' });
    await when(() => engine.isWaited('job'));
    engine.exit('job', 0);
    assert.equal(await running, 0);
    assert.deepEqual(text.trim().split('\r\n').sort(), ['job has completed.', 'web is running.']);
  });

  it('does not take a container in a crash loop as healthy, nor as running', async () => {
    for (const waitFor of ['healthy', 'running']) {
      text = '';
      await open(service('a', 'web', '', { state: 'restarting' }));
      assert.equal(await run({ command: 'up', project: 'shop', waitFor }), 1);
      assert.equal(text, 'web is not running: restarting.\r\n');
      if (waitFor === 'healthy') await lab.close();
    }
  });

  it('takes an empty list of services as all', async () => {
    await open(service('a', 'web'));
    const up = { command: 'up', project: 'shop', services: [], waitFor: 'running' };
    assert.equal(await run(up), 0);
    assert.deepEqual(engine.asked, ['start web']);
    assert.equal(text, 'web is running.\r\n');
  });

  it('fails if a service that it names has no container after Up', async () => {
    install('exit 0');
    await open(service('a', 'web', '', { state: 'running' }));
    const services = ['web', 'worker'];
    assert.equal(await run({ command: 'up', services, waitFor: 'running' }), 1);
    assert.match(text, /\r\nThe service worker has no container\.\r\n/);
  });

  it('ends its waits when it is terminated', async () => {
    await open(service('a', 'job'));
    const running = run({ command: 'up', project: 'shop', waitFor: 'completed' });
    await when(() => engine.isWaited('job'));
    end.abort();
    await assert.rejects(running, { name: 'AbortError' });
    assert.equal(text, '');
  });

  it('runs Compose on the compose file of the folder, and waits for the services that it names', async () => {
    install('case "$*" in *--services*) echo web;; *) echo Started;; esac');
    await open(service('a', 'web', '', { state: 'running' }), service('b', 'debugger'));
    writeFileSync(join(folder, 'compose.override.yaml'), '');
    assert.equal(await run({ command: 'up', waitFor: 'running' }), 0);
    const files = '--file=/compose.yaml --file=/compose.override.yaml';
    // No project was created with the override file: the one of its name is it.
    assert.deepEqual(calls(), [`${files} up --detach`, `${files} config --services`]);
    assert.match(text, /^> .*docker .*up --detach\r\nStarted\r\nweb is running\.\r\n$/);
  });

  it('passes on services, profiles, env files, project and build', async () => {
    install('exit 0');
    await open();
    const paths = { files: ['a/compose.yaml'], envFiles: ['dev.env'] };
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a', 'compose.yaml'), '');
    const more = { services: ['web'], profiles: ['dev'], build: true };
    assert.equal(await run({ command: 'up', project: 'own', ...paths, ...more }), 0);
    const before = '--project-name=own --file=/a/compose.yaml --profile=dev --env-file=/dev.env';
    assert.deepEqual(calls(), [`${before} up --detach --build web`]);
    rmSync(join(folder, 'calls'));
    assert.equal(await run({ command: 'watch', ...paths }), 0);
    assert.deepEqual(calls(), ['--file=/a/compose.yaml --env-file=/dev.env watch']);
  });

  it('ends with the code of Compose, and waits for nothing after a failure', async () => {
    install('echo "no such service" >&2; exit 14');
    await open(service('a', 'web'));
    assert.equal(await run({ command: 'up', waitFor: 'healthy' }), 14);
    assert.match(text, /\r\nno such service\r\n$/);
  });

  it('terminates the program that it started, and nothing else', async () => {
    install(`trap 'echo ended >>"${join(folder, 'calls')}"; exit 1' TERM; touch '${folder}/ready'
      while :; do sleep 0.1; done`);
    await open(service('a', 'web', '', { state: 'running' }));
    const running = run({ command: 'watch' });
    await when(() => {
      try {
        return readFileSync(join(folder, 'ready')).length === 0;
      } catch {
        return false;
      }
    });
    end.abort();
    await assert.rejects(running, { name: 'AbortError' });
    assert.deepEqual(calls(), ['--file=/compose.yaml watch', 'ended']);
    assert.deepEqual(engine.asked, []);
  });

  it('starts what exists if Compose is not installed, unless it has to build', async () => {
    await open(service('a', 'web'));
    assert.equal(await run({ command: 'up', waitFor: 'running' }), 0);
    assert.deepEqual(engine.asked, ['start web']);
    assert.match(text, /^Compose is not installed\. Changes of the compose file are not applied\./);
    await assert.rejects(run({ command: 'up', build: true }), /Compose is not installed/);
    await assert.rejects(run({ command: 'watch' }), /Compose is not installed/);
  });

  it('takes a project down without Compose; one that does not exist is down', async () => {
    await open(service('a', 'web'), service('b', 'db'));
    assert.equal(await run({ command: 'down', files: ['compose.yaml'] }), 0);
    assert.deepEqual(engine.asked.toSorted(), ['remove db', 'remove web']);
    assert.deepEqual(text.trim().split('\r\n').sort(), ['Removed db.', 'Removed web.']);
    text = '';
    assert.equal(await run({ command: 'down' }), 0);
    assert.equal(text, 'The project shop does not exist on this engine.\r\n');
  });

  it('fails if something stays', async () => {
    await open(service('a', 'web'));
    engine.refuses.add('remove web');
    assert.equal(await run({ command: 'down', project: 'shop' }), 1);
    assert.equal(text, 'web: remove web is not possible\r\n');
  });

  it('shows names of containers as plain text, and not endlessly many', async () => {
    const letters = Array.from({ length: 300 }, (_, at) => String(at).padStart(64, '0'));
    const many = letters.map((id) => ({
      ...service('a', `s${id}`),
      id,
      name: 'x\u202e\x1b[31m\ny',
    }));
    await open(...many);
    assert.equal(await run({ command: 'up', project: 'shop', waitFor: 'running' }), 0);
    assert.equal(text.split('\r\n').length, 201);
    assert.doesNotMatch(text.replaceAll('\r\n', ''), HIDDEN);
  });

  const refused: readonly [definition: object, message: RegExp][] = [
    [{}, /The task: property "command" is required/],
    [{ command: 'ps' }, /"command" must be one of "up", "down", "watch"/],
    [{ command: 'down', waitFor: 'running' }, /unknown property "waitFor"/],
    [{ command: 'watch', build: true }, /unknown property "build"/],
    [{ command: 'up', waitFor: 'ready' }, /"waitFor" must be one of/],
    [{ command: 'up', files: 'compose.yaml' }, /"files" must be an array of strings/],
    [{ command: 'up', project: 'nowhere' }, /The project nowhere does not exist/],
    [{ command: 'up', project: 'shop', services: ['db'] }, /has no service db/],
  ];
  for (const [definition, message] of refused) {
    it(`refuses ${JSON.stringify(definition)}`, async () => {
      await open(service('a', 'web'));
      await assert.rejects(async () => run(definition), message);
      assert.deepEqual(engine.asked, []);
    });
  }

  it('needs a compose file or a project, and a workspace that is trusted', async () => {
    rmSync(file);
    await open({ ...service('a', 'web'), id: idOf('a') });
    await assert.rejects(run({ command: 'up' }), /no compose file\. Set "files" or "project"/);
    lab.ui.trusted = false;
    await assert.rejects(run({ command: 'up', project: 'shop' }), /Restricted Mode/);
    assert.deepEqual(engine.asked, []);
  });
});
