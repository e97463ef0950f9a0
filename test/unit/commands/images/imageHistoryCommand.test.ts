import assert from 'node:assert/strict';
import type { Documents } from '../../../../src/commands/ui/documents.ts';
import { imageHistoryCommand } from '../../../../src/commands/images/imageHistoryCommand.ts';
import { image } from '../../inventory/support/nouns.ts';
import { imageRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

describe('commands/imageHistoryCommand', () => {
  let lab: CommandLab;
  const [base, app] = [image('b', { tags: ['base:3'] }), image('a', { tags: ['me/app:1'] })];
  beforeEach(async () => {
    lab = await openCommandLab(({ path }, response) => {
      if (path.endsWith('/history'))
        json(response, 200, [{ Id: app.id, CreatedBy: 'CMD ["sh"]', Tags: app.tags, Size: 0 }]);
      else if (path === '/containers/json')
        json(response, 200, [{ Id: 'd'.repeat(64), Names: ['/web'], ImageID: app.id }]);
      else if (path === '/images/json')
        json(response, 200, [
          { Id: app.id, ParentId: base.id, RepoTags: app.tags },
          { Id: base.id, RepoTags: base.tags },
        ]);
      else json(response, 200, { Id: app.id, Parent: base.id, RepoTags: app.tags });
    });
  });
  afterEach(() => lab.close());

  it('opens the history of an image as a document named after it', async () => {
    const opened: (readonly string[])[] = [];
    const documents = {
      showText: (...shown: string[]) => Promise.resolve(void opened.push(shown)),
    } as unknown as Documents;
    await lab.run(imageHistoryCommand(documents), imageRow(app));
    assert.equal(opened.length, 1);
    const [owner, title, text = ''] = opened[0] ?? [];
    assert.deepEqual([owner, title], [lab.context.unit.id, 'me/app:1 history']);
    assert.match(text, /^Parent images: base:3$/m);
    assert.match(text, /^Used by: web$/m);
    assert.match(text, /CMD \["sh"\]/);
    assert.deepEqual(lab.ui.of('error'), []);
  });
});
