import assert from 'node:assert/strict';
import { showStatisticsCommand } from '../../../../src/commands/statistics/showStatisticsCommand.ts';
import { ContainerNode, ProjectNode } from '../../../../src/views/containers/containerNode.ts';
import { container } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';

describe('commands/showStatisticsCommand', () => {
  const web = container('a', { name: 'web' });
  const db = container('b', { name: 'db' });
  let lab: CommandLab;
  let opened: unknown[];
  beforeEach(async () => {
    opened = [];
    const openGraphs = (...what: readonly unknown[]) => {
      opened.push(what);
      return Promise.resolve({ title: 'Statistics' });
    };
    lab = await openCommandLab(() => undefined, { openGraphs });
    lab.list([web, db]);
  });
  afterEach(() => lab.close());

  it('shows the containers of all rows in one page, each once', async () => {
    await lab.run(showStatisticsCommand(), ...[web, db, web].map(containerRow));
    assert.deepEqual(opened, [[{ ids: [web.id, db.id] }, ['web', 'db']]]);
  });

  it('shows a project as such: containers that come later are added', async () => {
    const project = new ProjectNode(lab.context.unit.id, 'shop');
    project.add(new ContainerNode(lab.context.unit.id, web, true, project));
    await lab.run(showStatisticsCommand(), project);
    assert.deepEqual(opened, [[{ ids: [], project: 'shop' }, ['web']]]);
  });

  it('takes IDs, and not too many', async () => {
    assert.deepEqual(await lab.call(showStatisticsCommand(), { ids: [web.id, db.id] }), {
      title: 'Statistics',
    });
    assert.deepEqual(opened, [[{ ids: [web.id, db.id] }, ['web', 'db']]]);
    const ids = Array.from({ length: 21 }, (_, at) => `c${at}`);
    await assert.rejects(async () => lab.call(showStatisticsCommand(), { ids }), /up to 20/);
  });
});
