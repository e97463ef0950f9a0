import assert from 'node:assert/strict';
import type { CommandContext } from '../../../../src/commands/frame/commandContext.ts';
import { logsCommand } from '../../../../src/commands/logs/logsCommand.ts';
import type { Settings } from '../../../../src/base/settings.ts';
import { container } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';

describe('commands/logsCommand', () => {
  const web = container('a', { name: 'web' });
  let lab: CommandLab;
  let opened: unknown[];
  let where: string;
  beforeEach(async () => {
    opened = [];
    const open =
      (place: string) =>
      (...what: readonly unknown[]) => {
        opened.push([place, ...what]);
        return Promise.resolve({ title: place });
      };
    const parts = {
      logs: () => Promise.resolve({ open: open('output') }),
      openViewer: open('viewer'),
      terminals: () => Promise.resolve({ openLog: open('terminal') }),
    } as unknown as Partial<CommandContext>;
    lab = await openCommandLab(() => undefined, parts);
    lab.list([web]);
    const settings = { logTail: () => 100, logsOpenIn: () => where };
    lab.ui.settings = settings as unknown as Settings;
  });
  afterEach(() => lab.close());

  const call = (more: object = {}) => lab.call(logsCommand(lab.ui), { id: web.id, ...more });
  const owner = { id: web.id, name: 'web' };

  it('opens a log for the user as configured', async () => {
    for (where of ['output', 'viewer', 'terminal']) {
      const shown = await lab.run(logsCommand(lab.ui), containerRow(web));
      assert.deepEqual(shown, { title: where });
    }
    const view = { tail: 100, timestamps: false };
    assert.deepEqual(opened, [
      ['output', owner, { ...view, follow: true }],
      ['viewer', { ids: [web.id] }, ['web']],
      ['terminal', owner, view],
    ]);
  });

  it('opens a log for an argument with its options, in an output channel', async () => {
    where = 'viewer';
    await call();
    await call({ follow: false, tail: 0, since: 0, timestamps: true });
    assert.deepEqual(opened, [
      ['output', owner, { follow: true, tail: 100, since: undefined, timestamps: false }],
      ['output', owner, { follow: false, tail: 0, since: 0, timestamps: true }],
    ]);
  });

  it('accepts a number of lines or "all"', async () => {
    for (const tail of [0, 7, 'all']) await call({ tail });
    for (const tail of [-1, 1.5, '7', null, Infinity])
      await assert.rejects(call({ tail }), /"tail" must be an integer of 0 or more, or "all"/);
    assert.equal(opened.length, 3);
  });

  it('accepts only valid times for "since"', async () => {
    const good = [0, 1.5, '1785571200', '1785571200.000000001', '2026-08-01T00:00:00Z'];
    for (const since of good) await call({ since });
    const bad = [-1, NaN, Infinity, true, {}, '', '1.0000000001', '2026-99-99', 'May 2026', '-5'];
    for (const since of bad)
      await assert.rejects(
        call({ since }),
        /"since" must be an ISO 8601 date and time, or seconds/,
      );
    assert.equal(opened.length, good.length);
  });
});
