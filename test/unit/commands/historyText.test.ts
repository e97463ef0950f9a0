import assert from 'node:assert/strict';
import { historyText } from '../../../src/commands/historyText.ts';
import { english } from '../../../src/l10n.ts';

const step = { createdAt: '', createdBy: '', size: 0, tags: [], comment: '' };

describe('commands/historyText', () => {
  it('says what an image stands on, and each step with its size', () => {
    const text = historyText(
      {
        name: 'web:1',
        steps: [
          { ...step, createdBy: '/bin/sh -c #(nop)  CMD ["sh"]', tags: ['web:1'] },
          { ...step, createdBy: '/bin/sh -c a\nb', size: 4_260_000, comment: 'by hand' },
          { ...step, comment: 'Imported from -', size: 1500 },
          step,
        ],
        madeFrom: ['base:3', 'older'],
        madeInto: [],
        usedBy: ['one'],
      },
      english,
    );
    assert.deepEqual(text.split('\n'), [
      'web:1',
      'Steps: 4, with files: 2, in all: 4.3 MB',
      '',
      'Made from: base:3, older',
      'Made into: –',
      'Used by: one',
      '',
      '       –  CMD ["sh"]',
      '          # web:1',
      '  4.3 MB  RUN a',
      '          b',
      '          # by hand',
      '  1.5 kB  Imported from -',
      '       –  –',
      '',
    ]);
  });

  it('shows nothing of what a stranger hid in a step', () => {
    const hostile = { ...step, createdBy: 'RUN \u202eevil\u001b[31m', tags: ['a\nb'] };
    const story = { madeFrom: ['x\u0007'], madeInto: [], usedBy: [] };
    const text = historyText({ name: 'a', steps: [hostile], ...story }, english);
    for (const hidden of ['\u202e', '\u001b', '\u0007']) assert.ok(!text.includes(hidden));
  });
});
