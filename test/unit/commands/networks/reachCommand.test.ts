import assert from 'node:assert/strict';
import { reachCommand } from '../../../../src/commands/networks/reachCommand.ts';
import { containerRow } from '../../support/commandLab.ts';
import { ENTER, pick, type } from '../../support/scriptedUi.ts';
import {
  LONE,
  networkRow,
  openNetworkLab,
  STOPPED,
  WEB,
  APP,
  type NetworkLab,
} from './networkLab.ts';

const PORTS = [
  { privatePort: 5432, protocol: 'tcp' },
  { privatePort: 53, protocol: 'udp' },
];

describe('commands/reachCommand', () => {
  let lab: NetworkLab;
  beforeEach(async () => {
    lab = await openNetworkLab();
    // No program can be run in these containers.
    lab.refuse = () => [409, 'no exec here'];
  });
  afterEach(() => lab.close());

  const fix = 'Connect web and lone to the same network, such as app.';
  const CLOSED = {
    isReachable: false,
    checks: [
      { name: 'running', ok: true },
      { name: 'sharedNetwork', ok: false, fix },
      { name: 'nameResolves' },
      { name: 'portListens' },
    ],
  };

  it('returns the checks, and changes nothing', async () => {
    const args = { from: 'web', to: LONE.id, port: 80 };
    assert.deepEqual(await lab.call(reachCommand(), args), CLOSED);
    assert.deepEqual(
      lab.changes.map(([operation]) => operation),
      [`POST /containers/${LONE.id}/exec`],
    );
    assert.deepEqual(lab.ui.shown, []);
  });

  for (const [args, message] of [
    [{ port: 0 }, 'gantry.networks.reach: "port" must be a port number from 1 to 65535.'],
    [{ port: 80, to: 'web' }, '"from" and "to" are the same container.'],
  ] as const) {
    it(`rejects ${JSON.stringify(args)}`, async () => {
      const call = lab.call(reachCommand(), { from: 'web', to: 'lone', ...args });
      await assert.rejects(call, { message });
    });
  }

  it('asks for the other container and its port, and shows the answer, with the checks as details', async () => {
    lab.list([WEB, STOPPED, { ...LONE, ports: PORTS }]);
    const row = containerRow(WEB);
    const result = await lab.act(reachCommand(), [row], pick('lone'), ENTER);
    assert.deepEqual(result, CLOSED);
    const [containers, ports, ...others] = lab.ui.of('pick');
    assert.deepEqual(others, []);
    assert.equal(containers?.detail, 'Select the container that web connects to');
    assert.deepEqual(
      containers.items?.map(({ label }) => label),
      ['job', 'lone'],
    );
    assert.equal(ports?.text, 'Can web Reach lone?');
    assert.deepEqual(
      ports.items?.map(({ label }) => label),
      ['5432'],
    );
    const [message] = lab.ui.of('warn');
    assert.equal(message?.text, `web cannot reach lone:5432. ${fix}`);
    assert.deepEqual([message.buttons, lab.ui.documents], [['Details'], []]);
    await message.press?.('Details');
    assert.deepEqual(
      lab.ui.documents.map(([, name, text]) => [name, ...text.split('\n')]),
      [
        [
          'Connection from web to lone:5432',
          'web cannot reach lone:5432.',
          '',
          'Both containers are running: yes',
          'Both containers share a network: no',
          `    ${fix}`,
          'web resolves the name lone: unknown',
          'A process in lone listens on port 5432: unknown',
          '',
        ],
      ],
    );
  });

  it('takes two rows, and a typed port', async () => {
    const rows = (await networkRow(lab, APP)).children ?? [];
    await lab.act(reachCommand(), [...rows].reverse(), type('8080'));
    assert.match(lab.ui.of('warn').at(-1)?.text ?? '', /^web cannot reach job:8080\. /);
    const [{ pick: question } = {}] = lab.ui.of('pick');
    assert.equal(question?.typedItem?.('99999')?.isDisabled, true);
  });
});
