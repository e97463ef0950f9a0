import assert from 'node:assert/strict';
import type * as terminalModule from '../../../../src/output/terminal/terminals.ts';
import { Emitter } from '../../../../src/base/lifetime.ts';
import { Screen } from '../../../../src/output/terminal/screen.ts';
import { act, give, shown } from '../../support/fakeEditor.ts';
import { executed, terminals, workspace } from '../../support/fakeVscode.ts';

describe('a terminal in an untrusted workspace', () => {
  let modules: typeof terminalModule;
  let all: terminalModule.Terminals;
  /** The calls that reached the terminal. */
  let calls: string[];
  const { getConfiguration } = workspace;

  before(async () => {
    modules = await import('../../../../src/output/terminal/terminals.ts');
  });
  beforeEach(() => {
    act();
    calls = [];
    executed.length = 0;
    workspace.isTrusted = false;
    all = new modules.Terminals();
    const sources = {
      onDidChange: new Emitter<void>().event,
      find: () => Promise.resolve(undefined),
    };
    const pty = {
      screen: new Screen(),
      open: () => calls.push('open'),
      close: () => calls.push('close'),
      handleInput: () => undefined,
      setDimensions: () => undefined,
    };
    all.show('web', 'terminal', pty, { id: 'c1', sources });
  });
  afterEach(() => {
    Object.assign(workspace, { isTrusted: true, getConfiguration });
    all.dispose();
    for (const terminal of terminals) terminal.dispose();
  });

  const openedByVsCode = (): void => {
    for (const { pty } of terminals) pty.open(undefined);
  };

  it('runs nothing and closes, with a reason, if the user did not trust the workspace', async () => {
    act(give('Manage Trust'));
    openedByVsCode();
    assert.deepEqual([calls, terminals.size], [['close'], 0]);
    await Promise.resolve();
    await Promise.resolve();
    const [{ kind, text } = {}] = shown();
    assert.equal(kind, 'warning');
    assert.equal(
      text,
      'The terminal web was not opened, because this workspace is not trusted. Trust it to open terminals.',
    );
    assert.deepEqual(executed, [['workbench.trust.manage']]);
  });

  it('opens if the user trusts the workspace when VS Code asks', () => {
    workspace.isTrusted = true;
    openedByVsCode();
    assert.deepEqual([calls, terminals.size, shown()], [['open'], 1, []]);
  });

  it('opens if the settings of VS Code allow terminals there', () => {
    Object.assign(workspace, { getConfiguration: () => ({ get: () => true }) });
    openedByVsCode();
    assert.deepEqual([calls, terminals.size, shown()], [['open'], 1, []]);
  });
});
