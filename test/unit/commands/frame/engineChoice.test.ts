import assert from 'node:assert/strict';
import { InputError } from '../../../../src/engine/errors.ts';
import { container } from '../../inventory/support/nouns.ts';
import { openEngineLab, type EngineLab } from '../../support/engineLab.ts';
import { ESCAPE, pick } from '../../support/scriptedUi.ts';

const SOCKET = 'unix:///run/gantry-test/nobody.sock';

describe('commands/engineChoice', () => {
  let lab: EngineLab;
  beforeEach(async () => {
    lab = await openEngineLab();
    lab.write({ Staging: SOCKET, Other: SOCKET });
  });
  afterEach(() => lab.close());

  const unitOf = (name: string) => lab.engines.named(name) ?? assert.fail(`no engine ${name}`);
  const forArgument = (name?: unknown, target?: string) =>
    lab.choice.forArgument(name, target).unit.name;

  it('finds the engine that an argument names', () => {
    assert.equal(forArgument('Staging'), 'Staging');
    const unknown = 'Engine "Nobody" not found. Available engines: Default, Staging, Other.';
    assert.throws(() => forArgument('Nobody'), new InputError(unknown));
    assert.throws(() => forArgument(5), new InputError('"engine" must be a string.'));
  });

  it('finds the engine that has the container of an argument, only by its full ID', () => {
    const there = container('a');
    unitOf('Other').inventory.replaceAll([there], [], 0);
    assert.equal(forArgument(undefined, there.id), 'Other');
    const several = 'More than one engine is available: Default, Staging, Other. Set "engine".';
    assert.throws(() => forArgument(undefined, 'a'), new InputError(several));
    assert.throws(() => forArgument(undefined, container('b').id), new InputError(several));
  });

  it('uses the workspace default for an argument without an engine', async () => {
    await lab.preferred.set(unitOf('Staging').id);
    assert.equal(forArgument(), 'Staging');
  });

  it('ignores disconnected engines, unless all are', async () => {
    for (const name of ['Default', 'Staging']) lab.engines.disconnect(unitOf(name));
    assert.equal(forArgument(), 'Other');
    assert.equal((await lab.choice.forUser([], 'gantry.images.pull'))?.unit.name, 'Other');
    lab.engines.disconnect(unitOf('Other'));
    assert.throws(() => forArgument(), /More than one engine is available/);
  });

  it('offers what all connected engines have, that of the workspace default first', async () => {
    lab.engines.disconnect(unitOf('Default'));
    await lab.preferred.set(unitOf('Other').id);
    const names = () => lab.choice.contextsFor([]).map(({ unit }) => unit.name);
    assert.deepEqual(names(), ['Other', 'Staging']);
  });

  it('does not replace a disconnected workspace default without a word', async () => {
    await lab.preferred.set(unitOf('Staging').id);
    lab.engines.disconnect(unitOf('Staging'));
    lab.engines.disconnect(unitOf('Default'));
    lab.ui.act(ESCAPE);
    assert.equal(await lab.choice.forUser([], 'gantry.images.pull'), undefined);
    const [shown] = lab.ui.of('pick');
    assert.deepEqual(
      [shown?.text, shown?.detail],
      ['gantry.images.pull', 'The workspace default is disconnected. Select an engine'],
    );
  });

  it('lets the user pick an engine that fits, or reports that there is none', async () => {
    lab.ui.act(pick('Other'), ESCAPE);
    const fits = ({ isAdded }: { readonly isAdded: boolean }) => isAdded;
    assert.equal(await lab.choice.pick(fits, 'gantry.engines.connect'), unitOf('Other'));
    assert.deepEqual(
      lab.ui.of('pick')[0]?.items?.map(({ label }) => label),
      ['Staging', 'Other'],
    );
    assert.equal(await lab.choice.pick(fits, 'gantry.engines.connect'), undefined);
    assert.deepEqual(lab.ui.of('info'), []);
    assert.equal(await lab.choice.pick(() => false, 'gantry.engines.connect'), undefined);
    assert.deepEqual(
      lab.ui.of('info').map(({ text }) => text),
      ['No engine is available for this command.'],
    );
  });
});
