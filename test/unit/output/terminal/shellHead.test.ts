import assert from 'node:assert/strict';
import { ShellHead } from '../../../../src/output/terminal/shellHead.ts';

const ALL = 'gantry-1:42\r\n\r\n/ # ';

describe('output/terminal/shellTerminal: ShellHead', () => {
  it('removes the head, wherever the output is cut', () => {
    for (let cut = 0; cut <= ALL.length; cut++) {
      const head = new ShellHead('gantry-1');
      const shown = head.push(ALL.slice(0, cut)) + head.push(ALL.slice(cut));
      assert.deepEqual([shown, head.pid], ['/ # ', 42], String(cut));
    }
  });

  it('passes on later output unchanged', () => {
    const head = new ShellHead('gantry-1');
    head.push(ALL);
    assert.equal(head.push('gantry-1:43\r\n'), 'gantry-1:43\r\n');
    assert.equal(head.pid, 42);
  });

  it('holds output that comes instead of a head, and shows it if it is too long', () => {
    const head = new ShellHead('gantry-1');
    assert.equal(head.push('sh: not found\r\n'), '');
    assert.deepEqual([head.held, head.pid], ['sh: not found\r\n', undefined]);
    const flood = 'x'.repeat(70_000);
    assert.equal(head.push(flood), `sh: not found\r\n${flood}`);
  });
});
