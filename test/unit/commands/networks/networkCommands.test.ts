import assert from 'node:assert/strict';
import { copyNetworkNameCommand } from '../../../../src/commands/containers/clipboardCommands.ts';
import {
  inspectNetworkCommand,
  listNetworksCommand,
} from '../../../../src/commands/networks/networkCommands.ts';
import {
  APP,
  networkRow,
  OLD,
  openNetworkLab,
  STOPPED,
  WEB,
  type NetworkLab,
} from './networkLab.ts';

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
  beforeEach(async () => {
    lab = await openNetworkLab();
  });
  afterEach(() => lab.close());

  it('lists networks with the containers on them, by two requests', async () => {
    const list = (await lab.call(listNetworksCommand(), {})) as readonly { name: string }[];
    assert.deepEqual(list[0], LISTED);
    assert.deepEqual(
      list.map(({ name }) => name),
      ['app', 'old', 'bridge'],
    );
    assert.equal(lab.engine.seen.length, 2);
  });

  it('inspects a network with the aliases that users gave', async () => {
    const found = (await lab.call(inspectNetworkCommand(), { id: 'app' })) as Record<
      string,
      unknown
    >;
    const { raw, ...rest } = found;
    const members = MEMBERS.map((member) => ({ ...member, aliases: ['api', 'db'] }));
    assert.deepEqual(rest, { ...LISTED, members });
    assert.equal((raw as { readonly Id: string }).Id, APP.id);
    assert.deepEqual(lab.ui.documents, []);
  });

  it('shows the network as a document if the user asks', async () => {
    await lab.run(inspectNetworkCommand(), await networkRow(lab, APP));
    assert.deepEqual(
      lab.ui.documents.map(([, name]) => name),
      ['network app'],
    );
  });

  it('copies names: of rows without a request, of an ID from the engine', async () => {
    const copy = copyNetworkNameCommand(lab.ui);
    const rows = [await networkRow(lab, APP), await networkRow(lab, OLD)];
    const before = lab.engine.seen.length;
    await lab.run(copy, ...rows);
    assert.equal(lab.engine.seen.length, before);
    assert.deepEqual(await lab.call(copy, { id: APP.id }), { outcome: 'copied' });
    const copied = lab.ui.of('copy').map(({ text }) => text);
    assert.deepEqual([...new Set(copied)], ['app\nold', 'app']);
  });
});
