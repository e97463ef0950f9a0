import assert from 'node:assert/strict';
import {
  formatImageHistory,
  imageHistoryCommand,
} from '../../../../src/commands/images/imageHistoryCommand.ts';
import { formatDate } from '../../../../src/views/format.ts';
import { image } from '../../inventory/support/nouns.ts';
import { imageRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

describe('commands/imageHistoryCommand', () => {
  let lab: CommandLab;
  const base = image('b', { tags: ['base:3'] });
  const app = image('a', { tags: ['me/app:1'] });
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
    await lab.run(imageHistoryCommand(), imageRow(app));
    assert.equal(lab.ui.documents.length, 1);
    const [owner, title, text = ''] = lab.ui.documents[0] ?? [];
    assert.deepEqual([owner, title], [lab.context.unit.id, 'me/app:1 history']);
    assert.match(text, /^Parent images: base:3$/m);
    assert.match(text, /^Used by: web$/m);
    assert.match(text, /CMD \["sh"\]/);
    assert.deepEqual(lab.ui.of('error'), []);
  });
});

const step = { createdAt: '', createdBy: '', size: 0, tags: [], comment: '' };

describe('commands/formatImageHistory', () => {
  it('lists the parent images, and each step with its size, oldest first', () => {
    const text = formatImageHistory('web:1', {
      steps: [
        { ...step, createdBy: '/bin/sh -c #(nop)  CMD ["sh"]', tags: ['web:1'] },
        { ...step, createdBy: '/bin/sh -c a\nb', size: 4_260_000, comment: 'by hand' },
        { ...step, comment: 'Imported from -', size: 1500 },
        step,
      ],
      madeFrom: ['base:3', 'older'],
      madeInto: [],
      usedBy: ['one'],
    });
    assert.deepEqual(text.split('\n'), [
      'web:1',
      'Steps: 4, with files: 2, total size: 4.3 MB',
      '',
      'Parent images: base:3, older',
      'Child images: –',
      'Used by: one',
      '',
      '       –  –',
      '  1.5 kB  Imported from -',
      '  4.3 MB  RUN a',
      '          b',
      '          # by hand',
      '       –  CMD ["sh"]',
      '          # web:1',
      '',
    ]);
  });

  it('leaves out what builders note of themselves', () => {
    const steps = [
      { ...step, createdBy: 'CMD ["sh" "-l"]', comment: 'buildkit.dockerfile.v0' },
      { ...step, createdBy: '/bin/sh -c #(nop) USER me', comment: 'FROM f25adbcd90be' },
      { ...step, createdBy: '/bin/sh -c #(nop) ARG V', comment: 'FROM docker.io/x:1' },
    ];
    const story = { steps, madeFrom: [], madeInto: [], usedBy: [] };
    assert.deepEqual(formatImageHistory('a', story).split('\n').slice(7), [
      '       –  ARG V',
      '          # FROM docker.io/x:1',
      '       –  USER me',
      '       –  CMD ["sh", "-l"]',
      '',
    ]);
  });

  it('shows a date once above all steps of that day', () => {
    const on = (createdAt: string, createdBy: string) => ({ ...step, createdAt, createdBy });
    const first = '2026-01-02T12:00:00Z';
    const second = '2026-03-04T12:00:00Z';
    const steps = [on(second, 'CMD c'), on(first, 'RUN b'), on(first, 'FROM a')];
    const story = { steps, madeFrom: [], madeInto: [], usedBy: [] };
    const lines = formatImageHistory('a', story).split('\n').slice(6);
    const days = [first, second].map((moment) => `          # ${formatDate(moment)}`);
    assert.deepEqual(lines, [
      '',
      days[0],
      '       –  FROM a',
      '       –  RUN b',
      '',
      days[1],
      '       –  CMD c',
      '',
    ]);
  });

  it('shows no hidden characters of a step', () => {
    const hostile = { ...step, createdBy: 'RUN \u202eevil\u001b[31m', tags: ['a\nb'] };
    const story = { madeFrom: ['x\u0007'], madeInto: [], usedBy: [] };
    const text = formatImageHistory('a', { steps: [hostile], ...story });
    for (const hidden of ['\u202e', '\u001b', '\u0007']) assert.ok(!text.includes(hidden));
  });
});
