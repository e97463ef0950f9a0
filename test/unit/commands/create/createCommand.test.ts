import assert from 'node:assert/strict';
import type { LogChannels } from '../../../../src/output/logChannels.ts';
import type { Consent } from '../../../../src/commands/credentials/consent.ts';
import { createCommand } from '../../../../src/commands/create/createCommand.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { Settings } from '../../../../src/base/settings.ts';
import { container, image } from '../../inventory/support/nouns.ts';
import { imageRow, type CommandLab } from '../../support/commandLab.ts';
import { ENTER, ESCAPE, give, pick, type, type Answer } from '../../support/scriptedUi.ts';
import {
  add,
  changes,
  CREATED,
  createdBody,
  fillIn,
  openCreatingLab,
  valuesOf,
  type CreatingOptions,
} from './support/creating.ts';

const STARTED = ['/containers/create', `/containers/${CREATED}/start`];
const FOLLOWING = { logTail: () => 100, logsOpenIn: () => 'output' } as unknown as Settings;
const SECRET = 'never-to-be-kept';

describe('creating a container', () => {
  const app = image('a', { tags: ['me/app:1'] });
  let lab: CommandLab;
  afterEach(() => lab.close());

  async function open(options: CreatingOptions = { image: { Cmd: ['sh'] } }): Promise<void> {
    lab = await openCreatingLab(options);
    lab.list([], [app]);
  }

  const run = (): Promise<unknown> => lab.run(createCommand(), imageRow(app));
  const runAsked = (): Promise<unknown> => lab.run(createCommand());

  it('starts it after typing an image and pressing Enter twice', async () => {
    await open();
    lab.ui.act(type('me/app'), ENTER);
    await runAsked();
    assert.deepEqual(changes(lab), STARTED);
    assert.equal(createdBody(lab).Image, 'me/app:1');
    assert.deepEqual(lab.revealed, [CREATED]);
  });

  it('leaves out proxies with a password unless the user lets them be read, and says so', async () => {
    let isAsked = 0;
    const consent = {
      isGiven: () => false,
      ask: () => Promise.resolve(++isAsked > 1),
      refusal: () => 'Left out.',
    } as unknown as Consent;
    const proxies = () => Promise.resolve({ HTTP_PROXY: 'http://me:pw@p', NO_PROXY: 'n' });
    await open({ image: { Cmd: ['sh'] }, services: { consent, proxies } });
    const made = await lab.call(createCommand(), { image: 'me/app:1' });
    assert.deepEqual([made, isAsked], [{ id: CREATED, warnings: ['Left out.'] }, 0]);
    assert.deepEqual(createdBody(lab).Env, ['NO_PROXY=n']);
    lab.ui.act(pick('Create and Start'));
    await run();
    assert.deepEqual(createdBody(lab).Env, ['NO_PROXY=n']);
    lab.ui.act(pick('Use Image Defaults'), pick('Create and Start'));
    await run();
    assert.deepEqual(createdBody(lab).Env, ['HTTP_PROXY=http://me:pw@p', 'NO_PROXY=n']);
    assert.deepEqual(
      lab.ui.of('warn').map(({ text }) => text),
      ['Left out.'],
    );
    assert.equal(isAsked, 2);
  });

  it('opens without the defaults of the image if connecting is canceled', async () => {
    await open();
    let isCanceled: boolean | undefined;
    lab.context.engine.connect = (signal) => {
      if (lab.ui.of('progress').length === 2) {
        lab.ui.cancel();
        isCanceled = signal?.aborted;
      }
      return Promise.reject(new EngineError('refused'));
    };
    await run();
    assert.deepEqual(
      lab.ui.shown.map(({ text }) => text),
      ['Loading images', 'Inspecting me/app:1', 'Create Container'],
    );
    assert.equal(isCanceled, true);
  });

  it('opens no form if connecting is canceled before', async () => {
    await open();
    lab.inventory.setPhase({ kind: 'connecting' });
    lab.context.engine.connect = () => {
      lab.ui.cancel();
      return Promise.reject(new EngineError('refused'));
    };
    assert.equal(await run(), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ text }) => text),
      ['Loading images'],
    );
  });

  it('begins with the last values for the image after Enter', async () => {
    await open();
    lab.ui.act(type('me/app'), ...fillIn('Name', 'web'), pick('Create and Start'));
    await runAsked();
    lab.list([container('c', { name: 'web', names: ['web'] })], [app]);
    lab.ui.act(type('me/app'), ENTER, ENTER);
    await runAsked();
    const begin = lab.ui.of('pick').at(-2);
    assert.equal(begin?.text, 'Create Container: Start From');
    assert.equal(begin.detail, 'You created a container from this image before');
    assert.deepEqual(
      changes(lab).filter((path) => path.startsWith('/containers/create')),
      ['/containers/create web', '/containers/create web-2'],
    );
  });

  it('does and shows nothing after Escape', async () => {
    await open();
    lab.ui.act(ESCAPE);
    assert.equal(await runAsked(), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['progress', 'pick'],
    );
    assert.deepEqual(changes(lab), []);
  });

  it('asks for a command on Enter if neither the image nor the user has one', async () => {
    await open({ image: {} });
    const told: (string | undefined)[] = [];
    const enter: Answer = (overview) => {
      told.push(overview.items?.[0]?.detail);
      return ENTER(overview);
    };
    lab.ui.act(enter, give('sleep 1000'), enter);
    await run();
    assert.deepEqual(told, [
      'The image has neither a command nor an entrypoint. Enter a command.',
      undefined,
    ]);
    assert.equal(lab.ui.of('input')[0]?.text, 'Create Container: Command');
    assert.deepEqual(createdBody(lab).Cmd, ['sleep', '1000']);
    assert.deepEqual(changes(lab), STARTED);
  });

  it('puts the last used action first, and remembers all values but secrets', async () => {
    const followed: string[] = [];
    const logs = { open: ({ name }: { name: string }) => followed.push(name) };
    const opened = () => Promise.resolve(logs as unknown as LogChannels);
    await open({ image: { Cmd: ['sh'] }, logs: opened });
    lab.ui.settings = FOLLOWING;
    lab.ui.act(
      ...fillIn('Command', "sh -c 'echo here'"),
      ...fillIn('Name', 'web'),
      ...add('Environment variables', `DB_PASSWORD=${SECRET}`),
      ...add('Environment variables', 'TZ=UTC'),
      pick('Create, Start, and Show Logs'),
    );
    await run();
    assert.deepEqual(followed, ['web']);
    lab.list([container('c', { name: 'web', names: ['web'] })], [app]);
    lab.ui.act(pick('Use Previous Values'), pick('Create and Start'));
    await run();
    const overview = lab.ui.of('pick').at(-1);
    assert(overview);
    assert.equal(overview.items?.[0]?.label, 'Create, Start, and Show Logs');
    assert.equal(
      overview.items[0].detail,
      'Not saved because it may contain a secret: DB_PASSWORD.',
    );
    const values = valuesOf(overview);
    assert.equal(values['Name'], 'web-2');
    assert.equal(values['Command'], `sh -c 'echo here'`);
    assert.equal(values['Environment variables'], 'DB_PASSWORD=, TZ=UTC');
    assert.deepEqual(followed, ['web']);
    assert.equal(changes(lab).at(-1), STARTED.at(-1));
  });

  it('opens the form with all values if the engine rejects the container', async () => {
    await open({ image: { Cmd: ['sh'] }, refusal: 'Duplicate mount point: /twice' });
    lab.ui.act(
      ...fillIn('Command', 'sleep 1000'),
      ...fillIn('Name', 'wanted'),
      ...add('Environment variables', `TOKEN=${SECRET}`),
      ...add('Mounts', '/tmp:/twice'),
      ...add('Mounts', '/srv:/twice'),
      ...add('Labels', 'com.example.owner=me'),
      pick('Create and Start'),
    );
    await run();
    const refusal = lab.ui.shown.at(-1);
    assert.equal(refusal?.kind, 'error');
    assert.equal(refusal.text, 'Could not create the container: Duplicate mount point: /twice');
    lab.ui.shown.length = 0;
    lab.ui.act(
      pick('Mounts'),
      pick('/srv:/twice'),
      give(''),
      pick('Done'),
      pick('Create and Start'),
    );
    await refusal.press?.('Edit...');
    const [overview] = lab.ui.of('pick');
    assert(overview);
    const values = valuesOf(overview);
    assert.deepEqual(
      ['Image', 'Command', 'Name', 'Environment variables', 'Labels'].map((label) => values[label]),
      ['me/app:1', 'sleep 1000', 'wanted', 'TOKEN=••••••', 'com.example.owner=me'],
    );
    assert.deepEqual(createdBody(lab).Env, [`TOKEN=${SECRET}`]);
    assert.deepEqual(createdBody(lab).HostConfig.Binds, ['/tmp:/twice']);
    assert.deepEqual(changes(lab).slice(-2), ['/containers/create wanted', STARTED[1]]);
  });

  describe('that cannot be started', () => {
    const failures = { 'POST /start': [500, 'port is already allocated'] } as const;
    const failed = 'Created cccccccccccc, but could not start it: port is already allocated';

    it('reveals it, and removes it if the user wants that', async () => {
      await open({ image: { Cmd: ['sh'] }, failures });
      const rechecked: string[] = [];
      lab.context.unit.requests.recheck = (id) => void rechecked.push(id);
      lab.ui.act(pick('Create and Start'));
      await run();
      const refusal = lab.ui.shown.at(-1);
      assert.deepEqual([refusal?.kind, refusal?.text], ['error', failed]);
      assert.deepEqual([lab.revealed, rechecked], [[CREATED], [CREATED]]);
      await refusal?.press?.('Remove');
      const { method, path } = lab.engine.seen.at(-1) ?? {};
      assert.deepEqual([method, path], ['DELETE', `/containers/${CREATED}`]);
      assert.equal(lab.ui.shown.at(-1), refusal);
    });

    describe('because another container uses its port', () => {
      const ports = [{ privatePort: 80, publicPort: 28_080, protocol: 'tcp' }];
      const shop = container('e', { name: 'shop', names: ['shop'], ports });
      const told = 'Created web, but port 28080 is used by shop.';
      const start = async (): Promise<void> => {
        await open({ image: { Cmd: ['sh'] }, failures });
        lab.list([shop], [app]);
        lab.ui.act(...fillIn('Name', 'web'), ...add('Ports', '28080:80'), pick('Create and Start'));
        await run();
        assert.equal(lab.ui.shown.at(-1)?.text, told);
      };
      const removed = (): readonly string[] =>
        lab.engine.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path);

      it('names both, and creates it at a free port', async () => {
        await start();
        await lab.ui.shown.at(-1)?.press?.('Use a Free Port');
        assert.deepEqual(removed(), [`/containers/${CREATED}`]);
        const [binding] = createdBody(lab).HostConfig.PortBindings?.['80/tcp'] ?? [];
        assert(Number(binding?.HostPort) > 0 && binding?.HostPort !== '28080', binding?.HostPort);
        assert.deepEqual(changes(lab).slice(2), ['/containers/create web', STARTED[1]]);
      });

      it('opens the form again', async () => {
        await start();
        lab.ui.act(ESCAPE);
        await lab.ui.shown.at(-1)?.press?.('Edit...');
        assert.deepEqual(removed(), [`/containers/${CREATED}`]);
        const form = lab.ui.of('pick').at(-1);
        assert.equal(form && valuesOf(form)['Ports'], '28080:80');
        assert.equal(changes(lab).length, 2);
      });
    });

    it('shows an error if it cannot be removed', async () => {
      const removal = { [`DELETE /${CREATED}`]: [500, 'device busy'] } as const;
      await open({ image: { Cmd: ['sh'] }, failures: { ...failures, ...removal } });
      lab.ui.act(pick('Create and Start'));
      await run();
      await lab.ui.shown.at(-1)?.press?.('Remove');
      assert.equal(lab.ui.shown.at(-1)?.text, 'Could not remove cccccccccccc: device busy');
    });

    it('rejects a call with an argument, too', async () => {
      await open({ image: { Cmd: ['sh'] }, failures });
      const command = createCommand();
      lab.register([command]);
      const running = lab.handlerOf(command.id)({ image: 'me/app:1', start: true });
      await assert.rejects(Promise.resolve(running), { message: failed });
    });
  });

  it('keeps the exit of a container that is removed on exit', async () => {
    await open();
    lab.ui.act(pick('Remove on exit (--rm)'), pick('Create and Start'));
    await run();
    const [, wait, start] = changes(lab);
    assert.deepEqual([wait, start], [`/containers/${CREATED}/wait`, STARTED[1]]);
    const kept = lab.context.exits.find('made');
    assert.equal(kept?.id, CREATED);
    assert.equal((await kept.exit).exitCode, 0);
  });

  it('reports that the log is gone if the container was removed before it could be followed', async () => {
    const logs = { open: () => Promise.reject(new EngineError('notFound')) };
    const opened = () => Promise.resolve(logs as unknown as LogChannels);
    await open({ image: { Cmd: ['sh'] }, logs: opened });
    lab.ui.settings = FOLLOWING;
    lab.ui.act(pick('Remove on exit (--rm)'), pick('Create, Start, and Show Logs'));
    await run();
    const [said] = lab.ui.of('info');
    assert.equal(
      said?.text,
      'The container has already exited and was removed, including its log.',
    );
    assert.deepEqual(lab.ui.of('error'), []);
  });

  it('offers to pull a missing image, then creates the container', async () => {
    await open({});
    lab.ui.act(
      type('registry.example.org/tiny:1'),
      ...fillIn('Name', 'pulled'),
      pick('Create'),
      give('Pull and Create'),
    );
    await runAsked();
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Pull registry.example.org/tiny:1?');
    assert.deepEqual(changes(lab), ['/images/create', '/containers/create pulled']);
    assert.deepEqual(lab.revealed, [CREATED]);
  });

  it('pulls a missing image for a caller, without a question', async () => {
    await open({});
    const created = await lab.call(createCommand(), { image: 'me/app:1', name: 'web' });
    assert.deepEqual(created, { id: CREATED, warnings: [] });
    assert.deepEqual(changes(lab), [
      '/containers/create web',
      '/images/create',
      '/containers/create web',
    ]);
    assert.deepEqual(lab.ui.shown, []);
  });

  it('does not take a missing network for a missing image', async () => {
    const failures = { 'POST /create': [404, 'network back not found'] } as const;
    await open({ image: { Cmd: ['sh'] }, failures });
    const call = lab.call(createCommand(), { image: 'me/app:1', network: 'back', start: true });
    await assert.rejects(call, /network back not found/);
    assert.deepEqual(changes(lab), ['/containers/create']);
  });

  it('rejects an invalid argument before any request', async () => {
    await open();
    for (const fields of [{ image: ' ' }, { name: 'a b' }, { ports: ['99999'] }, { env: {} }]) {
      const call = lab.call(createCommand(), { image: 'me/app:1', ...fields });
      await assert.rejects(call, /empty|not a container name|not a port|"env" must be/);
    }
    assert.deepEqual(lab.engine.seen, []);
  });

  it('creates nothing if the user declines the pull, and opens the form again', async () => {
    await open({});
    lab.ui.act(type('registry.example.org/tiny:1'), pick('Create'), ESCAPE);
    await runAsked();
    assert.equal(lab.ui.shown.at(-1)?.text, 'Create Container');
    assert.deepEqual(changes(lab), []);
  });

  it('opens the form again with all values if the check for the image is canceled', async () => {
    let inspects = 0;
    await open({
      image: { Cmd: ['sh'] },
      isHeld: (path) => {
        const isHeld = path.startsWith('/images/') && ++inspects === 2;
        if (isHeld) lab.ui.cancel();
        return isHeld;
      },
    });
    lab.ui.act(...fillIn('Name', 'wanted'), pick('Create'));
    await run();
    const form = lab.ui.shown.at(-1);
    assert.equal(form?.text, 'Create Container');
    assert.equal(valuesOf(form)['Name'], 'wanted');
    assert.deepEqual(changes(lab), []);
  });
});
