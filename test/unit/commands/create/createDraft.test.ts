import assert from 'node:assert/strict';
import { parseCommandLine } from '../../../../src/engine/options/parseCommandLine.ts';

import {
  finishDraft,
  labelEntries,
  readLabels,
  commandLineText,
  stillMissing,
} from '../../../../src/commands/create/createDraft.ts';

describe('commands/createDraft', () => {
  it('returns only values that are set', () => {
    const draft = {
      image: 'busybox',
      cmd: [],
      name: undefined,
      user: '',
      env: ['A=1'],
      tty: true,
      labels: { a: '' },
    };
    assert.deepEqual(finishDraft(draft, true), {
      image: 'busybox',
      env: ['A=1'],
      tty: true,
      labels: { a: '' },
      start: true,
    });
    assert.deepEqual(finishDraft({ start: true }, false), { image: '', start: false });
  });

  it('finds which of the values that were not stored are still missing', () => {
    const names = ['TOKEN', 'KEY', 'auth', 'cmd', 'healthcheck', 'entrypoint'];
    const draft = { env: ['TOKEN=', 'KEY=1'], labels: { auth: '' }, healthcheck: false as const };
    assert.deepEqual(stillMissing(draft, names), ['TOKEN', 'auth', 'cmd', 'entrypoint']);
    assert.deepEqual(stillMissing({}, ['TOKEN']), []);
  });

  it('formats a command as one line, and parses it', () => {
    const words = ['sh', '-c', "echo 'a b'"];
    assert.deepEqual(parseCommandLine(commandLineText(words)), words);
    assert.equal(commandLineText(undefined), '');
    assert.deepEqual(parseCommandLine(''), []);
    assert.throws(() => parseCommandLine("it's"), /Missing closing quotation mark: '/);
  });

  it('formats labels one per line, and parses them', () => {
    const labels = { 'a.b': 'c=d', empty: '' };
    assert.deepEqual(labelEntries(labels), ['a.b=c=d', 'empty=']);
    assert.deepEqual(readLabels(labelEntries(labels)), labels);
    assert.deepEqual(readLabels(['bare', ' x =1']), { bare: '', x: '1' });
    assert.deepEqual(labelEntries(undefined), []);
    assert.throws(() => readLabels(['=v']), /A label needs a name/);
  });
});
