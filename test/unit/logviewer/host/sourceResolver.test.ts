import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/lifetime.ts';
import { SourceResolver } from '../../../../src/logviewer/host/sourceResolver.ts';
import type { SourceLocation } from '../../../../src/logs/sources/sourceLookup.ts';

const reference = (path: string, line = 1) => ({ path, line, start: 0, end: 1 });
const settled = (): Promise<void> => new Promise(setImmediate);

class Lab {
  readonly asked: string[] = [];
  readonly answers = new Map<string, SourceLocation | Error>();
  found = 0;
  readonly changes = new Emitter<void>();
  readonly finder = new SourceResolver({
    onDidChange: this.changes.event,
    find: (_id, { path }) => {
      this.asked.push(path);
      const answer = this.answers.get(path);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });

  constructor() {
    this.finder.onDidFind(() => this.found++);
  }

  known(path: string): void {
    this.answers.set(path, { path: `/w/${path}`, line: 1, column: undefined, title: path });
  }
}

describe('source references in a log', () => {
  it('become links once their file is found, and are looked up once', async () => {
    const lab = new Lab();
    lab.known('x.js');
    assert.equal(lab.finder.get('id', reference('x.js')), undefined);
    lab.finder.get('id', reference('x.js'));
    await settled();
    assert.deepEqual([lab.finder.get('id', reference('x.js'))?.path, lab.found], ['/w/x.js', 1]);
    assert.deepEqual(lab.asked, ['x.js']);
  });

  it('are not links if there is no file or the lookup fails; only a failed lookup is repeated', async () => {
    const lab = new Lab();
    lab.answers.set('bad.js', new Error('no engine'));
    for (const path of ['none.js', 'bad.js']) lab.finder.get('id', reference(path));
    await settled();
    for (const path of ['none.js', 'bad.js'])
      assert.equal(lab.finder.get('id', reference(path)), undefined);
    await settled();
    assert.deepEqual([lab.asked, lab.found], [['none.js', 'bad.js', 'bad.js'], 0]);
  });

  it('are looked up again when the workspace folders change', async () => {
    const lab = new Lab();
    lab.finder.get('id', reference('x.js'));
    await settled();
    lab.known('x.js');
    lab.changes.fire();
    assert.equal(lab.found, 1);
    lab.finder.get('id', reference('x.js'));
    await settled();
    assert.equal(lab.finder.get('id', reference('x.js'))?.path, '/w/x.js');
    lab.finder.dispose();
    lab.changes.fire();
    assert.equal(lab.found, 2);
  });

  it('are looked up separately for each container', async () => {
    const lab = new Lab();
    for (const id of ['a', 'b']) lab.finder.get(id, reference('x.js'));
    await settled();
    assert.equal(lab.asked.length, 2);
  });

  it('are dropped from the queue, oldest first, if too many are waiting', async () => {
    const lab = new Lab();
    for (let at = 0; at < 2000; at++) lab.finder.get('id', reference(`${at}.js`));
    await settled();
    assert.ok(lab.asked.length <= 600, String(lab.asked.length));
    assert.ok(lab.asked.includes('1999.js'));
  });
});
