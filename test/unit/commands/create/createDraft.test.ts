import assert from 'node:assert/strict';

import {
  finishDraft,
  labelEntries,
  readLabels,
  readCommandLine,
  commandLineText,
  stillMissing,
} from '../../../../src/commands/create/createDraft.ts';
import { english } from '../../../../src/l10n.ts';

describe('commands/createDraft', () => {
  it('says only what was said', () => {
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

  it('knows which of what was not kept is still to be filled in', () => {
    const names = ['TOKEN', 'KEY', 'auth', 'cmd', 'healthcheck', 'entrypoint'];
    const draft = { env: ['TOKEN=', 'KEY=1'], labels: { auth: '' }, healthcheck: false as const };
    assert.deepEqual(stillMissing(draft, names), ['TOKEN', 'auth', 'cmd', 'entrypoint']);
    assert.deepEqual(stillMissing({}, ['TOKEN']), []);
  });

  it('shows words as a line and reads them back', () => {
    const words = ['sh', '-c', "echo 'a b'"];
    assert.deepEqual(readCommandLine(commandLineText(words), english), words);
    assert.equal(commandLineText(undefined), '');
    assert.deepEqual(readCommandLine('', english), []);
    assert.throws(() => readCommandLine("it's", english), /is opened but not closed/);
  });

  it('shows labels one each and reads them back', () => {
    const labels = { 'a.b': 'c=d', empty: '' };
    assert.deepEqual(labelEntries(labels), ['a.b=c=d', 'empty=']);
    assert.deepEqual(readLabels(labelEntries(labels), english), labels);
    assert.deepEqual(readLabels(['bare', ' x =1'], english), { bare: '', x: '1' });
    assert.deepEqual(labelEntries(undefined), []);
    assert.throws(() => readLabels(['=v'], english), /has no name/);
  });
});
