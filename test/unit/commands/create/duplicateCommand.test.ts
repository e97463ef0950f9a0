import assert from 'node:assert/strict';
import {
  duplicateCommand,
  runAgainCommand,
} from '../../../../src/commands/create/createCommand.ts';
import { inputWithLineBreaks } from '../../../../src/commands/ui/inputWithLineBreaks.ts';
import { container } from '../../inventory/support/nouns.ts';
import { ContainerNode, ProjectNode } from '../../../../src/views/containers/containerNode.ts';
import { containerRow, ENGINE, type CommandLab } from '../../support/commandLab.ts';
import { ENTER, ESCAPE, give, pick, ScriptedUi, type Answer } from '../../support/scriptedUi.ts';
import { changes, CREATED, createdBody, openCreatingLab, valuesOf } from './support/creating.ts';

describe('creating a container from another', () => {
  const ports = [{ ip: '127.0.0.1', privatePort: 80, publicPort: 28_095, protocol: 'tcp' }];
  const web = container('b', { name: 'web', names: ['web'], ports });
  let lab: CommandLab;
  beforeEach(async () => {
    lab = await openCreatingLab({
      image: { Cmd: ['sh'] },
      container: {
        Id: web.id,
        Name: '/web',
        Config: { Image: 'me/app:1', Cmd: ['sleep', '1000'], ExposedPorts: { '80/tcp': {} } },
        HostConfig: {
          Ulimits: [{ Name: 'nofile', Soft: 1024, Hard: 1024 }],
          PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '28095' }] },
        },
      },
    });
    lab.list([web, container('d', { name: 'web-2', names: ['web-2'] })]);
  });
  afterEach(() => lab.close());

  it('runs it at free ports, if the user wants that', async () => {
    lab.ui.act(give('Use Free Ports'));
    await lab.run(runAgainCommand(), containerRow(web));
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Duplicate web with other ports?');
    assert.equal(question.detail, 'Port 28095 is used by web.');
    const [binding] = createdBody(lab).HostConfig.PortBindings?.['80/tcp'] ?? [];
    assert(Number(binding?.HostPort) > 28_095, binding?.HostPort);
    const started = `/containers/${CREATED}/start`;
    assert.deepEqual(changes(lab), ['/containers/create web-3', started]);
  });

  it('asks for a container if the selected one is of another engine than the first row', async () => {
    const rows = [new ProjectNode(ENGINE, 'shop'), new ContainerNode('podman', web, true)];
    await lab.run(runAgainCommand(), ...rows);
    assert.deepEqual([lab.ui.of('pick').length, lab.ui.of('confirm')], [1, []]);
  });

  it('runs nothing if the user does not confirm other ports', async () => {
    lab.ui.act(ESCAPE);
    assert.equal(await lab.run(runAgainCommand(), containerRow(web)), undefined);
    assert.deepEqual(changes(lab), []);
  });

  /** Runs a command with an argument, as a keybinding does. */
  function runWith(id: string, args: object): Promise<unknown> {
    lab.register([runAgainCommand(), duplicateCommand()]);
    return Promise.resolve(lab.handlerOf(id)(args));
  }

  it('returns for an argument the created container, and the settings that were not copied', async () => {
    const expected = { id: CREATED, warnings: ['Not copied: Ulimits.'] };
    const own = { id: 'web', start: false };
    assert.deepEqual(await runWith('gantry.containers.runAgain', own), expected);
    const changed = { ...own, name: 'other', cmd: ['true'] };
    assert.deepEqual(await runWith('gantry.containers.duplicate', changed), expected);
    assert.deepEqual(changes(lab), ['/containers/create web-3', '/containers/create other']);
    assert.deepEqual(createdBody(lab).Cmd, ['true']);
    // The image that has the tag now, not the one that the container was created from.
    assert.equal(createdBody(lab).Image, 'me/app:1');
    assert.deepEqual(lab.ui.shown, []);
  });

  it('gives the copy the proxies of the configuration, and shows them in no text', async () => {
    await lab.close();
    lab = await openCreatingLab({
      image: { Cmd: ['sh'] },
      container: {
        Id: web.id,
        Name: '/web',
        Config: { Image: 'me/app:1', Env: ['HTTP_PROXY=http://me:pass@old', 'NO_PROXY=own'] },
      },
      services: {
        proxies: () => Promise.resolve({ HTTP_PROXY: 'http://me:pass@old', NO_PROXY: 'n' }),
      },
    });
    lab.list([web]);
    lab.ui.act(pick('Create'));
    await lab.run(duplicateCommand(), containerRow(web));
    const [overview] = lab.ui.of('pick');
    assert.equal(overview && valuesOf(overview)['Environment variables'], 'NO_PROXY=own');
    assert.deepEqual(createdBody(lab).Env, ['NO_PROXY=own', 'HTTP_PROXY=http://me:pass@old']);
    assert.doesNotMatch(JSON.stringify(lab.ui.shown), /pass@/);
  });

  describe('that has settings which a copy would lack', () => {
    const LOST = 'Runtime, Networks back';
    const refusal = {
      message: `The copy would lack settings of the container: ${LOST}. Set them, or allow the losses (allowLosses).`,
    };
    beforeEach(async () => {
      await lab.close();
      lab = await openCreatingLab({
        image: { Cmd: ['sh'] },
        container: {
          Id: web.id,
          Name: '/web',
          Config: { Image: 'me/app:1' },
          HostConfig: { Runtime: 'runsc', NetworkMode: 'front', CpuShares: 2 },
          NetworkSettings: { Networks: { front: {}, back: {} } },
        },
      });
      lab.list([web]);
    });

    it('starts nothing for an argument, and names them', async () => {
      await assert.rejects(runWith('gantry.containers.runAgain', { id: 'web' }), refusal);
      const started = { id: 'web', start: true };
      await assert.rejects(runWith('gantry.containers.duplicate', started), refusal);
      assert.deepEqual(changes(lab), []);
    });

    it('starts it for an argument that allows it, or sets them, or creates it only', async () => {
      const created = { id: CREATED, warnings: ['Not copied: Runtime, Networks back, CpuShares.'] };
      const run = (args: object): Promise<unknown> =>
        runWith('gantry.containers.runAgain', { id: 'web', ...args });
      assert.deepEqual(await run({ allowLosses: true }), created);
      assert.deepEqual(await run({ start: false }), created);
      const start = [`/containers/create web-2`, `/containers/${CREATED}/start`];
      assert.deepEqual(changes(lab), [...start, '/containers/create web-2']);
      assert.equal('allowLosses' in createdBody(lab), false);
      await assert.rejects(
        runWith('gantry.containers.duplicate', { id: 'web', start: true, network: 'back' }),
        { message: refusal.message.replace(LOST, 'Runtime') },
      );
    });

    it('opens the form, which names them, and starts nothing', async () => {
      lab.ui.act(ESCAPE);
      assert.equal(await lab.run(runAgainCommand(), containerRow(web)), undefined);
      const [overview] = lab.ui.of('pick');
      assert.equal(overview?.text, 'Duplicate web');
      assert.equal(overview.items?.[0]?.detail, 'Not copied: Runtime, Networks back, CpuShares.');
      assert.deepEqual(changes(lab), []);
    });
  });

  it('creates nothing for an argument if the ports are in use', async () => {
    await assert.rejects(runWith('gantry.containers.runAgain', { id: 'web' }), {
      message: 'Port 28095 is used by web.',
    });
    assert.deepEqual(changes(lab), []);
  });

  it('opens the form with the values of the other container, and the next free name', async () => {
    lab.ui.act(pick('Create'));
    await lab.run(duplicateCommand(), containerRow(web));
    const [overview] = lab.ui.of('pick');
    assert(overview);
    assert.equal(overview.text, 'Duplicate web');
    const told = 'Not copied: Ulimits. Port 28095 is used by web.';
    assert.equal(overview.items?.[0]?.detail, told);
    const { Name, Command, Ports } = valuesOf(overview);
    assert.deepEqual([Name, Command, Ports], ['web-3', 'sleep 1000', '127.0.0.1:28095:80']);
    assert.deepEqual(changes(lab), ['/containers/create web-3']);
    assert.deepEqual(lab.revealed, [CREATED]);
  });

  it('can be canceled while the container and the image are read', async () => {
    let held = '/containers/';
    await lab.close();
    lab = await openCreatingLab({
      image: {},
      container: { Id: web.id, Name: '/web', Config: { Image: 'me/app:1' } },
      isHeld: (path) => {
        if (path.startsWith(held)) lab.ui.cancel();
        return path.startsWith(held);
      },
    });
    const run = (command: typeof runAgainCommand | typeof duplicateCommand): Promise<unknown> =>
      lab.run(command(), containerRow(web));
    assert.deepEqual(
      [await run(runAgainCommand), await run(duplicateCommand)],
      [undefined, undefined],
    );
    assert(lab.ui.shown.every(({ text }) => text === 'Inspecting web'));
    held = '/images/';
    await run(runAgainCommand);
    assert.deepEqual(changes(lab), []);
    await run(duplicateCommand);
    const [form] = lab.ui.of('pick');
    assert.equal(form && valuesOf(form)['Command'], 'image default');
  });

  it('can be canceled while the containers are listed', async () => {
    await lab.close();
    lab = await openCreatingLab({
      container: { Id: web.id, Name: '/web', Config: { Image: 'me/app:1' } },
      isHeld: (path) => {
        if (path === '/containers/json') lab.ui.cancel();
        return path === '/containers/json';
      },
    });
    lab.inventory.setPhase({ kind: 'connecting' });
    assert.equal(await lab.run(duplicateCommand(), containerRow(web)), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ text }) => text),
      ['Inspecting web'],
    );
  });

  it('keeps the line breaks of values that the user edits', async () => {
    const own = {
      Cmd: ['sh', '-c', 'a\r\nb'],
      Env: ['LINES=a\nb'],
      Healthcheck: { Test: ['CMD-SHELL', 'a\nb'] },
    };
    await lab.close();
    lab = await openCreatingLab({
      image: {},
      container: { Id: web.id, Name: '/web', Config: { Image: 'me/app:1', ...own } },
    });
    const values: (string | undefined)[] = [];
    const append: Answer = ({ input }) => {
      values.push(input?.value);
      return `${input?.value} x`;
    };
    lab.ui.act(
      ...[pick('Command'), append],
      ...[pick('Environment variables'), pick('LINES'), ENTER, pick('Done')],
      ...[pick('Health check'), pick('Custom'), append, give('7s'), give(''), give('')],
      pick('Create'),
    );
    await lab.run(duplicateCommand(), containerRow(web));
    assert.deepEqual(values, ["sh -c 'a␍␤b'", 'a␤b']);
    const { Cmd, Env, Healthcheck } = createdBody(lab);
    assert.deepEqual([Cmd, Env], [[...own.Cmd, 'x'], own.Env]);
    assert.deepEqual(Healthcheck?.Test, ['CMD-SHELL', 'a\nb x']);
  });

  it('does not turn symbols of a value into line breaks', async () => {
    const ui = new ScriptedUi(ENTER);
    assert.equal(await inputWithLineBreaks(ui, { prompt: '', value: 'a␤b' }), 'a␤b');
  });
});
