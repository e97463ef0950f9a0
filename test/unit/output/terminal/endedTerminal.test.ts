import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { terminals, workspace } from '../../support/fakeVscode.ts';
import { EndedTerminal } from '../../../../src/output/terminal/endedTerminal.ts';

describe('output/terminal/endedTerminal', () => {
  afterEach(() => {
    workspace.isTrusted = true;
    for (const terminal of terminals) terminal.dispose();
  });

  it('says what has ended, and takes nothing but Enter', () => {
    let reopened = 0;
    let text = '';
    let isClosed = false;
    const ended = new EndedTerminal('The shell in web ended with the window.', () => reopened++);
    ended.screen.onDidWrite((part) => (text += part));
    ended.screen.onDidClose(() => (isClosed = true));
    ended.open();
    assert.match(
      text,
      /The shell in web ended with the window\.[^]*Press Enter to open a new shell\./,
    );
    for (const typed of ['l', 'rm -rf /srv\r', '\x03', '\x1b[I']) ended.handleInput(typed);
    assert.deepEqual([reopened, isClosed], [0, false]);
    ended.handleInput('\r');
    assert.equal(reopened, 1);
  });

  it('covers a terminal of the editor, but opens no panel that is closed, and asks for no trust', async () => {
    const { Terminals } = await import('../../../../src/output/terminal/terminals.ts');
    const all = new Terminals();
    const show = (name: string) => all.showEnded(name, 'over', () => undefined);
    show('alone');
    show('other');
    assert.deepEqual(
      [...terminals].map(({ name, shows }) => [name, shows]),
      [
        ['alone', 0],
        ['other', 1],
      ],
    );
    workspace.isTrusted = false;
    assert.equal(show('untrusted'), undefined);
    assert.equal(terminals.size, 2);
    all.dispose();
  });
});
