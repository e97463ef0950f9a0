import assert from 'node:assert/strict';
import type * as command from '../../../../src/commands/recipes/saveRecipeCommand.ts';
import { container, idOf } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

describe('copying the docker run command of a container', () => {
  let copyRunCommand: typeof command.copyRunCommand;
  let lab: CommandLab;
  /** The configuration of the container. */
  let config: object;
  before(async () => {
    ({ copyRunCommand } = await import('../../../../src/commands/recipes/saveRecipeCommand.ts'));
  });
  beforeEach(async () => {
    lab = await openCommandLab((request, response) => {
      if (request.path.startsWith('/images/')) json(response, 200, { Id: 'x', Config: {} });
      else json(response, 200, { Id: idOf('c'), Name: '/web', Config: config });
    });
  });
  afterEach(() => lab.close());

  const run = (): Promise<unknown> =>
    lab.run(copyRunCommand(lab.ui), containerRow(container('c', { name: 'web' })));

  it('quotes it for the default shell of this machine', async () => {
    config = { Image: 'busybox', Cmd: ['echo', "it's"] };
    await run();
    const quoted = process.platform === 'win32' ? "'it''s'" : String.raw`'it'\''s'`;
    const [copied] = lab.ui.of('copy');
    assert.match(copied?.text ?? '', /^docker run .*--name web.* busybox echo /);
    assert(copied?.text.endsWith(quoted), copied?.text);
    assert.deepEqual(lab.ui.of('info'), []);
    assert.deepEqual(lab.ui.of('warn'), []);
  });

  it('reports which settings have no option', async () => {
    config = { Image: 'busybox', Domainname: 'example.org' };
    await run();
    const said = lab.ui.shown.find(({ text }) => text.includes('Domainname'));
    assert.equal(said?.text, 'Some container settings cannot be copied. Not included: Domainname.');
  });
});
