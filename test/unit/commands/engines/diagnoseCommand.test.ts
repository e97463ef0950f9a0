import assert from 'node:assert/strict';
import { diagnoseCommand } from '../../../../src/commands/engines/diagnoseCommand.ts';
import { EngineNode } from '../../../../src/views/engines/engineNode.ts';
import { openEngineLab, type EngineLab } from '../../support/engineLab.ts';

describe('commands/diagnoseCommand', () => {
  let lab: EngineLab;
  beforeEach(async () => {
    lab = await openEngineLab();
    const { engines, maker, choice } = lab;
    const command = diagnoseCommand(lab.ui, { engines, maker, choice });
    lab.register([command]);
    const host = 'unix:///run/gantry-test/nobody.sock';
    lab.write({ Staging: host, Other: host });
  });
  afterEach(() => lab.close());

  it('opens the report on all engines as a document', async () => {
    const { report } = (await lab.run('gantry.engines.diagnose')) as { readonly report: string };
    assert.deepEqual(lab.ui.documents, [['', 'Diagnosis of engines', report]]);
    assert.match(report, /diagnosis of engines/);
    assert.match(report, /^Engine Staging$/m);
    assert.match(report, /^Engine Other$/m);
    assert.deepEqual(lab.ui.of('error'), []);
  });

  it('reports only on the engine of a row', async () => {
    const unit = lab.engines.named('Staging') ?? assert.fail();
    const unused = {} as ConstructorParameters<typeof EngineNode>[1];
    await lab.run('gantry.engines.diagnose', new EngineNode(unit, unused));
    const [[owner, title, report] = assert.fail()] = lab.ui.documents;
    assert.deepEqual([owner, title], [unit.id, 'Diagnosis of Staging']);
    assert.match(report, /^Engine Staging$/m);
    assert.doesNotMatch(report, /^Engine Other$/m);
  });

  it('returns the report on the engine of an argument, or on all engines', async () => {
    const call = async (argument: object) =>
      ((await lab.run('gantry.engines.diagnose', argument)) as { readonly report: string }).report;
    assert.match(await call({}), /^Engine Other$/m);
    const one = await call({ engine: 'Staging' });
    assert.match(one, /^Engine Staging$/m);
    assert.doesNotMatch(one, /^Engine Other$/m);
    assert.deepEqual(lab.ui.documents, []);
  });
});
