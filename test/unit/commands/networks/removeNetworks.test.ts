import assert from 'node:assert/strict';
import { createNetworkCommand } from '../../../../src/commands/networks/createNetworkCommand.ts';
import { removeNetworkCommand } from '../../../../src/commands/networks/removeNetworkCommand.ts';
import { give, pick, type } from '../../support/scriptedUi.ts';
import { APP, networkRow, OLD, openNetworkLab, USUAL, type NetworkLab } from './networkLab.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { pruneCommandOf, withoutReasons } from '../system/systemLab.ts';

describe('commands/networks: remove, prune, create', () => {
  let lab: NetworkLab;
  beforeEach(async () => (lab = await openNetworkLab()));
  afterEach(() => lab.close());

  const removed = [`DELETE /networks/${OLD.id}`, undefined];

  it('removes a network that no container uses, after the user confirms', async () => {
    const command = removeNetworkCommand(lab.ui);
    assert.equal(await lab.act(command, [await networkRow(lab, OLD)]), undefined);
    assert.deepEqual(lab.changes, []);
    const answer = await lab.act(command, [await networkRow(lab, OLD)], give('Remove'));
    assert.deepEqual(answer, { outcome: 'removed' });
    assert.deepEqual(lab.changes, [removed]);
    assert.equal(lab.ui.of('confirm')[0]?.text, 'Remove the network old?');
    assert.deepEqual(await lab.call(command, { id: OLD.id }), { outcome: 'alreadyGone' });
  });

  it('asks nothing if the user cancels while the containers on the network are listed', async () => {
    const row = await networkRow(lab, OLD);
    lab.engine.answer((_, response) => {
      lab.ui.cancel();
      response.destroy();
    });
    assert.equal(await lab.act(removeNetworkCommand(lab.ui), [row]), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ kind, text }) => [kind, text]),
      [['progress', 'Inspecting old']],
    );
  });

  it('names a network of Podman, which checks the use only then', async () => {
    lab.engine.ping((_, response) => {
      response.writeHead(200, {
        ...{ 'api-version': '1.41', 'libpod-api-version': '5.8.6', server: 'Libpod/5.8.6 (linux)' },
      });
      response.end('OK');
    });
    await lab.call(removeNetworkCommand(lab.ui), { id: OLD.id });
    assert.deepEqual(lab.changes[0]?.[0], 'DELETE /networks/old');
  });

  it('explains why a network cannot be removed', async () => {
    const command = removeNetworkCommand(lab.ui);
    await lab.act(command, [await networkRow(lab, APP)]);
    const [shown] = lab.ui.of('message');
    assert.equal(shown?.text, 'app cannot be removed');
    assert.equal(shown.detail, 'app: Containers use the network: web, job.');
    const message = /^Could not remove .+: Containers use the network: web, job\.?$/;
    await assert.rejects(lab.call(command, { id: APP.id }), { message });
    await assert.rejects(
      lab.call(command, { id: USUAL.id }),
      /Predefined networks cannot be removed/,
    );
    assert.deepEqual(lab.changes, []);
  });

  it('removes of several networks those that are not used', async () => {
    const rows = [await networkRow(lab, OLD), await networkRow(lab, APP)];
    await lab.act(removeNetworkCommand(lab.ui), rows, give('Remove'));
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Remove the network old?');
    assert.match(question.detail ?? '', /Kept:\napp: Containers use the network/);
    assert.deepEqual(lab.changes, [removed]);
    assert.deepEqual(lab.ui.of('error'), []);
  });

  it('keeps what the question named as kept, even if no container uses it any more', async () => {
    const rows = [await networkRow(lab, OLD), await networkRow(lab, APP)];
    await lab.act(removeNetworkCommand(lab.ui), rows, () => {
      lab.removeContainers();
      return 'Remove';
    });
    assert.deepEqual(lab.changes, [removed]);
  });

  it('prunes by ID, after a dry run', async () => {
    const command = pruneCommandOf('networks');
    const pruned = { removed: [OLD.id], kept: [] };
    assert.deepEqual(withoutReasons(await lab.call(command, { dryRun: true })), pruned);
    assert.deepEqual(lab.changes, []);
    assert.deepEqual(withoutReasons(await lab.call(command, {})), pruned);
    assert.deepEqual(lab.changes, [removed]);
  });

  it('creates a network from an argument', async () => {
    const args = { name: 'new', subnet: '10.9.0.0/16', labels: { a: 'b' } };
    const id = idOf('9');
    assert.deepEqual(await lab.call(createNetworkCommand(), args), { id });
    const IPAM = { Config: [{ Subnet: '10.9.0.0/16' }] };
    const body = { Name: 'new', CheckDuplicate: true, IPAM, Labels: { a: 'b' } };
    assert.deepEqual(lab.changes, [['POST /networks/create', body]]);
  });

  it('creates a network by a form, which comes back with its values if the engine refuses', async () => {
    lab.refuse = () => [409, 'network with name new already exists'];
    const fill = [
      give('new'),
      pick('Subnet'),
      type('10.9.0.0/16'),
      pick('Internal'),
      pick('Create'),
    ];
    await lab.act(createNetworkCommand(), [], ...fill);
    const body = lab.changes[0]?.[1] as { readonly Internal: boolean };
    assert.equal(body.Internal, true);
    const [error] = lab.ui.of('error');
    assert.equal(
      error?.text,
      'Could not create the network new: network with name new already exists',
    );
    lab.refuse = undefined;
    lab.ui.act(pick('Create'));
    await error.press?.('Edit...');
    assert.equal(lab.changes.length, 2);
    assert.deepEqual(lab.changes[1], lab.changes[0]);
  });

  it('rejects invalid options before anything is sent', async () => {
    const create = createNetworkCommand();
    const args = { name: 'new', gateway: '10.9.0.1' };
    await assert.rejects(lab.call(create, args), {
      message: 'The gateway "10.9.0.1" needs a subnet. Set both, or neither.',
    });
    assert.deepEqual(lab.engine.seen, []);
  });
});
