import assert from 'node:assert/strict';
import { WorkQueue } from '../../../../src/base/time.ts';
import { engineCommands } from '../../../../src/commands/engines/engineCommands.ts';
import { EngineNode } from '../../../../src/views/engines/engineNode.ts';
import { openEngineLab, type EngineLab } from '../../support/engineLab.ts';
import { give, pick } from '../../support/scriptedUi.ts';

const STAGING = 'unix:///run/gantry-test/staging.sock';

describe('the engine commands', () => {
  let lab: EngineLab;
  /** The open shells of the engine Staging. */
  let sessions: readonly string[];
  beforeEach(async () => {
    lab = await openEngineLab();
    lab.write({ Staging: STAGING, Other: STAGING });
    sessions = [];
    lab.register(
      engineCommands(lab.ui, lab.engines, {
        ...{ preferred: lab.preferred, writes: new WorkQueue() },
        sessionsOf: ({ name }) => Promise.resolve(name === 'Staging' ? sessions : []),
      }),
    );
  });
  afterEach(() => lab.close());

  const rowOf = (name: string) => {
    const unit = lab.engines.named(name) ?? assert.fail(`no engine ${name}`);
    return new EngineNode(unit, {} as ConstructorParameters<typeof EngineNode>[1]);
  };
  /** Returns the engine of a command that is run without a row. */
  const meant = async () => (await lab.choice.forUser([], 'gantry.images.pull'))?.unit.name;

  it('remove an engine from the settings after a confirmation', async () => {
    lab.ui.act(give('Remove'));
    assert.deepEqual(await lab.run('gantry.engines.remove', rowOf('Staging')), {
      outcome: 'removed',
    });
    const [question] = lab.ui.of('confirm');
    assert.equal(question?.text, 'Remove the engine Staging from Gantry?');
    assert.match(question.detail ?? '', /Its containers and images are not affected\.$/);
    assert.deepEqual(lab.written.engines, { Other: STAGING });
  });

  it('say before a removal which shells lose their connection, and that it is the default', async () => {
    sessions = ['web (Staging)', 'db (Staging)'];
    await lab.preferred.set(lab.engines.named('Staging')?.id);
    await lab.run('gantry.engines.remove', rowOf('Staging'));
    assert.deepEqual(lab.ui.of('confirm')[0]?.detail?.split('\n').slice(1), [
      'It is the workspace default.',
      'Terminals that lose their connection: web (Staging), db (Staging).',
    ]);
  });

  it('leave the settings unchanged if the user does not confirm', async () => {
    assert.equal(await lab.run('gantry.engines.remove', rowOf('Staging')), undefined);
    assert.deepEqual(Object.keys(lab.written.engines), ['Staging', 'Other']);
  });

  it('ask for the engine, until one is the workspace default', async () => {
    lab.ui.act(pick('Other'));
    assert.equal(await meant(), 'Other');
    const [question] = lab.ui.of('pick');
    assert.equal(question?.detail, 'Select an engine');
    assert.deepEqual(
      question.items?.map(({ label }) => label),
      ['Default', 'Staging', 'Other'],
    );
    lab.ui.shown.length = 0;
    await lab.run('gantry.engines.setDefault', rowOf('Staging'));
    assert.equal(await meant(), 'Staging');
    assert.deepEqual(lab.ui.shown, []);
    await lab.run('gantry.engines.unsetDefault', rowOf('Staging'));
    assert.equal(await meant(), undefined);
    assert.equal(lab.ui.of('pick').length, 1);
  });

  it('never ask if there is only one engine', async () => {
    lab.write({});
    assert.equal(await meant(), 'Default');
    assert.deepEqual(lab.ui.shown, []);
  });

  it('clear the workspace default if that engine is removed', async () => {
    await lab.run('gantry.engines.setDefault', rowOf('Staging'));
    lab.ui.act(give('Remove'));
    await lab.run('gantry.engines.remove', rowOf('Staging'));
    assert.equal(lab.preferred.id, undefined);
  });

  it('disconnect and connect an engine, and return if it already was', async () => {
    const call = (verb: string) => lab.run(`gantry.engines.${verb}`, { engine: 'Staging' });
    assert.deepEqual(await call('disconnect'), { outcome: 'disconnected' });
    assert.equal(lab.engines.named('Staging')?.isOff, true);
    assert.deepEqual(await call('disconnect'), { outcome: 'alreadyDisconnected' });
    assert.deepEqual(await call('connect'), { outcome: 'connected' });
    assert.equal(lab.engines.named('Staging')?.isOff, false);
    assert.deepEqual(await call('connect'), { outcome: 'alreadyConnected' });
    const unknown = lab.run('gantry.engines.connect', { engine: 'Nobody' });
    await assert.rejects(unknown, /Engine "Nobody" not found/);
  });

  it('do not remove an engine that is not in the settings', async () => {
    const removing = lab.run('gantry.engines.remove', { engine: 'Default' });
    await assert.rejects(removing, /The default engine cannot be removed/);
  });

  it('list the engines with their state and the workspace default', async () => {
    await lab.run('gantry.engines.setDefault', rowOf('Staging'));
    const info = { product: 'docker', version: '28.0', engineApi: '1.48', api: '1.41' } as const;
    lab.engines.named('Other')?.inventory.setPhase({ kind: 'live', info });
    lab.engines.disconnect(lab.engines.named('Default') ?? assert.fail());
    assert.deepEqual(await lab.run('gantry.engines.list'), [
      { name: 'Default', state: 'off', isDefault: false },
      { name: 'Staging', state: 'connecting', isDefault: true },
      {
        ...{ name: 'Other', state: 'live', isDefault: false },
        ...{ product: 'docker', api: '1.41', version: '28.0' },
      },
    ]);
  });
});
