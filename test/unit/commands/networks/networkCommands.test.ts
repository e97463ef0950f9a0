import assert from 'node:assert/strict';
import {
  inspectNetworkCommand,
  listNetworksCommand,
} from '../../../../src/commands/networks/networkCommands.ts';
import { english } from '../../../../src/l10n.ts';
import { APP, networkRow, openNetworkLab, STOPPED, WEB, type NetworkLab } from './networkLab.ts';

const MEMBERS = [
  { id: WEB.id, name: 'web', ip: '10.1.0.2' },
  { id: STOPPED.id, name: 'job' },
];
const LISTED = {
  ...{ id: APP.id, name: 'app', driver: 'bridge', subnets: [{ subnet: '10.1.0.0/24' }] },
  ...{ isInternal: false, members: MEMBERS },
};

describe('commands/networkCommands', () => {
  let lab: NetworkLab;
  let shown: unknown[];
  beforeEach(async () => {
    lab = await openNetworkLab();
    shown = [];
  });
  afterEach(() => lab.close());

  const inspect = () =>
    inspectNetworkCommand(
      { showJson: (...given) => Promise.resolve(void shown.push(given)) },
      english,
    );

  it('lists networks with the containers on them, by two requests', async () => {
    const list = (await lab.call(listNetworksCommand(lab.ui), {})) as readonly { name: string }[];
    assert.deepEqual(list[0], LISTED);
    assert.deepEqual(
      list.map(({ name }) => name),
      ['app', 'old', 'bridge'],
    );
    assert.equal(lab.engine.seen.length, 2);
  });

  it('inspects a network with the aliases that users gave', async () => {
    const found = (await lab.call(inspect(), { id: 'app' })) as Record<string, unknown>;
    const { raw, ...rest } = found;
    const members = MEMBERS.map((member) => ({ ...member, aliases: ['api', 'db'] }));
    assert.deepEqual(rest, { ...LISTED, members });
    assert.equal((raw as { readonly Id: string }).Id, APP.id);
    assert.deepEqual(shown, []);
  });

  it('shows the network as a document if the user asks', async () => {
    await lab.run(inspect(), await networkRow(lab, APP));
    assert.equal(shown.length, 1);
  });
});
