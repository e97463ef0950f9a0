import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import { bed } from '../../bed/env.ts';
import { ownSsh } from '../../bed/ownSsh.ts';
import { startSshd, type BedSshd } from '../../bed/sshd.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { Lab } from './lab.ts';
import { says, seen } from './seen.ts';

const PASSPHRASE = 'a phrase of the test';

// What differs between the engines is tested without a window, in test/engine.
describe('an engine behind ssh, in a window', function () {
  this.timeout(120_000);
  const lab = new Lab();
  let sshd: BedSshd;
  let editor: Editor;
  let workbench: Workbench;

  const shot = (name: string): Promise<string> => workbench.shot(`ssh/${name}`);

  const welcomed = (words: RegExp): Promise<boolean> =>
    until(async () => words.test(await workbench.welcome('Containers')), words.source);

  const retry = (): Promise<void> =>
    workbench
      .pane('Containers')
      .locator('.welcome-view-content')
      .getByRole('button', { name: 'Retry', exact: true })
      .click();

  before(async () => {
    sshd = await startSshd({ passphrase: PASSPHRASE, isKnown: false });
    const path = [ownSsh(sshd), process.env['PATH'] ?? ''].join(delimiter);
    const { socket } = bed();
    editor = await openWorkbench({
      dockerHost: '',
      env: { PATH: path },
      settings: { 'gantry.host': `ssh://root@127.0.0.1:${sshd.port}${socket}` },
    });
    ({ workbench } = editor);
    await lab.running('remote');
    await workbench.openView('Gantry');
  });

  after(async () => {
    await editor.close();
    await sshd.stop();
    await lab.clean();
  });

  shotOnFailure(() => editor);

  it('asks whether an unknown machine is to be trusted, and takes no for an answer', async () => {
    const { message, detail } = await workbench.notices.modal();
    assert.match(message, /^Connect to root@127\.0\.0\.1:\d+\?/);
    assert.match(detail, /SHA256:/);
    await shot('host-key');
    await workbench.notices.answer('Cancel');
    await welcomed(/did not (let you in|prove)/);
    await shot('host-key-refused');
  });

  it('asks for what opens the key, and works the engine as if it were here', async () => {
    await retry();
    await workbench.notices.modal();
    await workbench.notices.answer('Connect');
    await workbench.quick.asks('Log In to root@127.0.0.1');
    assert.equal(await workbench.quick.box.getAttribute('type'), 'password');
    await shot('passphrase');
    await workbench.quick.type('Log In to root@127.0.0.1', PASSPHRASE);
    const name = lab.name('remote');
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.inlineAction(workbench.row(name, 'Containers'), 'Stop');
    await says(workbench, 'Containers', name, /^(Exited|Stopped)/);
    assert.equal(sshd.logins(), 1);
  });

  it('keeps the rows when the way breaks, asks once, and waits when nobody answers', async () => {
    await sshd.kill();
    const message = (): Promise<string> => workbench.message('Containers');
    await until(async () => (await message()).includes('Connection lost'), 'the message');
    await seen(workbench, 'Containers', lab.name('remote'));
    await sshd.start();
    await workbench.quick.asks('Log In to root@127.0.0.1');
    await workbench.quick.cancel();
    await until(async () => (await message()).includes('not let in'), 'the reason');
    await workbench.titleAction('Containers', 'Refresh');
    await workbench.quick.type('Log In to root@127.0.0.1', PASSPHRASE);
    await until(async () => (await message()) === '', 'the message to go');
    const next = await lab.running('next');
    await says(workbench, 'Containers', next, /^Up/);
  });
});
