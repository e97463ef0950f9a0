import assert from 'node:assert/strict';
import { chooseEngineCommand } from '../../../../src/commands/engines/addEngineCommand.ts';
import { contextFile, contextText, machineWith } from '../../engine/discovery/fakeFiles.ts';
import { openEngineLab, type EngineLab } from '../../support/engineLab.ts';
import { startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';
import { ENTER, ESCAPE, give } from '../../support/scriptedUi.ts';

const NOBODY = '/run/gantry-test/nobody.sock';

/** So that there is something to select. */
const WITH_CONTEXT = machineWith({
  [contextFile('far')]: contextText('far', 'tcp://127.0.0.1:1'),
});

describe('selecting the engine by its address', () => {
  let lab: EngineLab;
  let engine: FakeEngine;
  beforeEach(async () => {
    engine = await startFakeEngine();
    lab = await openEngineLab(WITH_CONTEXT);
    lab.register([chooseEngineCommand(lab.ui, lab.engines, lab.maker)]);
  });
  afterEach(async () => {
    lab.close();
    await engine.stop();
  });

  const choose = () => lab.run('gantry.engines.choose');

  it('tests the address, lets the user edit one that fails, and uses one that works', async () => {
    // Enter picks the first row, which asks for an address.
    lab.ui.act(ENTER, give(NOBODY), give('Edit...'), give(engine.socket));
    assert.deepEqual(await choose(), { outcome: 'chosen' });
    const [found] = lab.ui.of('pick');
    assert.equal(found?.detail, 'Select an engine or enter an address');
    const [failed] = lab.ui.of('choose');
    assert.match(failed?.text ?? '', /^Could not connect to .*nobody\.sock$/);
    assert.deepEqual(failed?.buttons, ['Edit...', 'Use Anyway']);
    assert.deepEqual(
      lab.ui.of('input').map(({ detail, input }) => [detail, input?.value]),
      [
        ['Address of the container engine', ''],
        ['Address of the container engine', NOBODY],
      ],
    );
    assert.equal(lab.written.host, engine.socket);
  });

  it('uses an address that fails if the user wants that', async () => {
    lab.ui.act(ENTER, give(NOBODY), give('Use Anyway'));
    await choose();
    assert.equal(lab.written.host, NOBODY);
  });

  it('connects again if it is the same address, unless the engine is connected', async () => {
    const { inventory, engine: used } = lab.engines.get('default') ?? assert.fail();
    let resets = 0;
    used.onDidChangeEndpoint(() => resets++);
    const chooseSame = () => {
      lab.ui.act(ENTER, give(engine.socket));
      return choose();
    };
    await chooseSame();
    // The window reacts to the change of the setting.
    assert.equal(resets, 0);
    await chooseSame();
    assert.equal(resets, 1);
    const info = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
    inventory.setPhase({ kind: 'live', info });
    await chooseSame();
    assert.equal(resets, 1);
  });

  it('connects a disconnected engine if the user selects its address', async () => {
    const unit = lab.engines.get('default') ?? assert.fail();
    lab.engines.disconnect(unit);
    await lab.run('gantry.engines.choose', { host: engine.socket });
    assert.equal(unit.isOff, true);
    lab.ui.act(ENTER, give(engine.socket));
    await choose();
    assert.equal(unit.isOff, false);
  });

  it('changes nothing after Escape', async () => {
    lab.ui.act(ENTER, give(NOBODY), ESCAPE);
    assert.equal(await choose(), undefined);
    assert.equal(lab.written.host, '');
  });

  it('uses the address in an argument without a test, unless it is invalid', async () => {
    const call = (host: string) => lab.run('gantry.engines.choose', { host });
    await assert.rejects(call('a b'), /"a b" is not a valid engine address/);
    assert.equal(lab.written.host, '');
    assert.deepEqual(await call(` ${NOBODY} `), { outcome: 'chosen' });
    assert.equal(lab.written.host, NOBODY);
    assert.deepEqual(lab.ui.shown, []);
  });
});
