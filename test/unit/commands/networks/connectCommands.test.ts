import assert from 'node:assert/strict';
import {
  connectCommand,
  disconnectCommand,
} from '../../../../src/commands/networks/connectCommands.ts';
import { copyAddressCommand } from '../../../../src/commands/networks/copyAddressCommand.ts';
import type { Network } from '../../../../src/engine/model.ts';
import { containerRow } from '../../support/commandLab.ts';
import { ENTER, pick, type } from '../../support/scriptedUi.ts';
import {
  APP,
  LONE,
  networkRow,
  OLD,
  openNetworkLab,
  STOPPED,
  WEB,
  type NetworkLab,
} from './networkLab.ts';

describe('commands/connectCommands', () => {
  let lab: NetworkLab;
  beforeEach(async () => (lab = await openNetworkLab()));
  afterEach(() => lab.close());

  const connected = (container: string, endpoint: object = {}) =>
    [
      `POST /networks/${APP.id}/connect`,
      { Container: container, EndpointConfig: endpoint },
    ] as const;
  const lastText = () => lab.ui.shown.at(-1)?.text;

  it('connects by IDs or names, with aliases and a fixed address', async () => {
    const args = { id: 'app', container: 'lone', aliases: ['db'], ip: '10.1.0.9' };
    assert.deepEqual(await lab.call(connectCommand(), args), { outcome: 'connected' });
    const IPAMConfig = { IPv4Address: '10.1.0.9' };
    assert.deepEqual(lab.changes, [connected(LONE.id, { Aliases: ['db'], IPAMConfig })]);
    assert.deepEqual(lab.rechecked, [LONE.id]);
    assert.deepEqual(lab.ui.shown, []);
  });

  it('does not connect a container twice', async () => {
    const args = { id: APP.id, container: WEB.id };
    assert.deepEqual(await lab.call(connectCommand(), args), { outcome: 'alreadyConnected' });
    assert.deepEqual(lab.changes, []);
  });

  for (const [args, message] of [
    [{ ip: '10.2.0.9' }, '"10.2.0.9" is not a host address on the network "app" (10.1.0.0/24).'],
    [
      { aliases: ['a b'] },
      '"a b" is not a valid alias. Use letters, digits, _, ., or -, such as db.',
    ],
  ] as const) {
    it(`rejects ${JSON.stringify(args)} before anything changes`, async () => {
      const call = lab.call(connectCommand(), { id: APP.id, container: LONE.id, ...args });
      await assert.rejects(call, { message });
      assert.deepEqual(lab.changes, []);
    });
  }

  it('rejects a network that does not exist, without a change', async () => {
    const args = { id: 'f'.repeat(64), container: LONE.id };
    const message = 'Could not connect the container: The network ffffffffffff does not exist.';
    await assert.rejects(lab.call(connectCommand(), args), { message });
    assert.deepEqual(lab.changes, []);
  });

  it('offers from a network the containers that are not on it, and then the options', async () => {
    const row = await networkRow(lab, APP);
    await lab.act(
      connectCommand(),
      [row],
      pick('lone'),
      pick('Aliases'),
      type('db'),
      () => undefined,
      pick('Connect'),
    );
    const [containers] = lab.ui.of('pick');
    assert.deepEqual(
      containers?.items?.map(({ label }) => label),
      ['lone'],
    );
    assert.deepEqual(lab.changes, [connected(LONE.id, { Aliases: ['db'] })]);
    assert.equal(lastText(), 'Connected lone to app.');
  });

  it('offers the networks from a container, and checks the address while the user types', async () => {
    const answer = ({ input }: { input?: { problem?: (text: string) => string | undefined } }) => {
      assert.notEqual(input?.problem?.('10.9.0.1'), undefined);
      return '10.1.0.7';
    };
    const command = connectCommand();
    await lab.act(
      command,
      [containerRow(LONE)],
      pick('app'),
      pick('Static IP address'),
      answer,
      pick('Connect'),
    );
    const IPAMConfig = { IPv4Address: '10.1.0.7' };
    assert.deepEqual(lab.changes, [connected(LONE.id, { IPAMConfig })]);
  });

  it('asks nothing for rows of both kinds, as after a drop', async () => {
    await lab.act(connectCommand(), [await networkRow(lab, APP), containerRow(LONE)]);
    assert.deepEqual(lab.changes, [connected(LONE.id)]);
    assert.deepEqual(lab.ui.of('pick'), []);
  });

  it('says nothing after a drop on the network that the container is on', async () => {
    await lab.act(connectCommand(), [await networkRow(lab, APP), containerRow(WEB)]);
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['progress'],
    );
  });

  it('connects the others if it fails on one of several, and names that one', async () => {
    lab.refuse = () => (lab.changes.length === 2 ? [500, 'host networking'] : undefined);
    const rows = [WEB, STOPPED, LONE].map(containerRow);
    await lab.act(connectCommand(), [await networkRow(lab, OLD), ...rows]);
    assert.deepEqual(
      lab.changes.map(([, body]) => body),
      [WEB, STOPPED, LONE].map(({ id }) => ({ Container: id, EndpointConfig: {} })),
    );
    assert.deepEqual(
      lab.ui.shown.map(({ text }) => text),
      ['Connecting web, job, lone', '1 of 3 failed. job: host networking'],
    );
  });

  it('connects no more containers after Cancel, and shows what was connected', async () => {
    lab.refuse = () => {
      if (lab.changes.length === 2) lab.ui.cancel();
      return undefined;
    };
    const rows = [WEB, STOPPED, LONE].map(containerRow);
    await lab.act(connectCommand(), [await networkRow(lab, OLD), ...rows]);
    assert.equal(lab.changes.length, 2);
    assert.equal(lastText(), 'Connected web to old.');
    assert.deepEqual(lab.ui.of('error'), []);
  });

  it('disconnects the others if it fails on one of several, and names that one', async () => {
    lab.refuse = () => (lab.changes.length === 1 ? [500, 'in use'] : undefined);
    const rows = [...((await networkRow(lab, APP)).children ?? [])];
    const [first, second] = rows.map(({ container }) => container);
    assert(first && second);
    await lab.act(disconnectCommand(), rows);
    assert.deepEqual(
      lab.changes.map(([, body]) => body),
      [first, second].map(({ id }) => ({ Container: id })),
    );
    assert.equal(lastText(), `1 of 2 failed. ${first.name}: in use`);
  });

  it('disconnects the container of a row below its network', async () => {
    const [web] = (await networkRow(lab, APP)).children ?? [];
    assert(web);
    assert.deepEqual(await lab.act(disconnectCommand(), [web]), { outcome: 'disconnected' });
    const expected = [`POST /networks/${APP.id}/disconnect`, { Container: web.container.id }];
    assert.deepEqual(lab.changes, [expected]);
    assert.deepEqual(lab.rechecked, [web.container.id]);
  });

  it('disconnects containers of several engines, and copies their addresses', async () => {
    const far = await openNetworkLab();
    lab.join('podman', far);
    const rowOf = async (one: NetworkLab, engine?: string) =>
      (await networkRow(one, APP, engine)).children?.find(
        ({ container }) => container.id === WEB.id,
      ) ?? assert.fail();
    const rows = [await rowOf(lab), await rowOf(far, 'podman')];
    await lab.act(copyAddressCommand(lab.ui), rows);
    assert.equal(lab.ui.of('copy')[0]?.text, '10.1.0.2\n10.1.0.2');
    await lab.act(disconnectCommand(), rows);
    const expected = [`POST /networks/${APP.id}/disconnect`, { Container: WEB.id }];
    assert.deepEqual([lab.changes, far.changes], [[expected], [expected]]);
    assert.deepEqual([lab.rechecked, far.rechecked], [[WEB.id], [WEB.id]]);
  });

  it('names all networks that it disconnected a container from, but no other', async () => {
    const both = { ...WEB, networks: [APP, OLD].map(({ id, name }) => ({ name, networkId: id })) };
    lab.list([both]);
    const rowsOf = async (of: Network) => (await networkRow(lab, of)).children ?? [];
    const rows = [...(await rowsOf(APP)), ...(await rowsOf(OLD))];
    await lab.act(disconnectCommand(), rows);
    assert.equal(lastText(), 'Disconnected web from app, old.');
    lab.refuse = (path) => {
      if (path.includes(OLD.id)) lab.ui.cancel();
      return undefined;
    };
    await lab.act(disconnectCommand(), rows);
    assert.equal(lastText(), 'Disconnected web from app.');
  });

  it('offers the networks of a container to disconnect', async () => {
    await lab.act(disconnectCommand(), [containerRow(WEB)], ENTER);
    assert.equal(lab.changes[0]?.[0], `POST /networks/${APP.id}/disconnect`);
    assert.equal(lastText(), 'Disconnected web from app.');
    await lab.act(disconnectCommand(), [containerRow(LONE)]);
    assert.equal(lastText(), 'lone is not connected to a network.');
  });

  it('can be canceled while a picked network is looked up', async () => {
    lab.engine.answer((_, response) => {
      lab.ui.cancel();
      response.destroy();
    });
    const command = disconnectCommand();
    assert.equal(await lab.act(command, [containerRow(WEB)], ENTER), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ kind, text }) => [kind, text]),
      [
        ['pick', 'gantry.networks.disconnect: web'],
        ['progress', 'Inspecting app'],
      ],
    );
  });

  it('finds out that a container was not connected', async () => {
    lab.refuse = () => [500, 'container is not connected'];
    const args = { id: OLD.id, container: WEB.id };
    const outcome = { outcome: 'alreadyDisconnected' };
    assert.deepEqual(await lab.call(disconnectCommand(), args), outcome);
    await assert.rejects(
      lab.call(disconnectCommand(), { id: APP.id, container: WEB.id }),
      /not connected/,
    );
  });

  it('copies addresses, one line for each row', async () => {
    const command = copyAddressCommand(lab.ui);
    const args = { id: 'app', container: 'web' };
    assert.deepEqual(await lab.call(command, args), { outcome: 'copied' });
    const rows = (await networkRow(lab, APP)).children ?? [];
    await lab.act(
      command,
      rows.filter(({ container }) => container.name === 'web'),
    );
    assert.deepEqual(
      lab.ui.of('copy').map(({ text }) => text),
      ['10.1.0.2', '10.1.0.2'],
    );
    const stopped = lab.call(command, { id: 'app', container: 'job' });
    const message = 'job has no address on app. Start the container.';
    await assert.rejects(stopped, { message });
  });
});
