import assert from 'node:assert/strict';
import { join } from 'node:path';
import { bed } from '../../bed/env.ts';
import { ownSsh } from '../../bed/ownSsh.ts';
import { startSshd, type BedSshd } from '../../bed/sshd.ts';
import type { Workbench } from '../../bed/vscode/workbench.ts';
import { until } from '../../bed/until.ts';
import { describeWindow, PROGRAMS } from './describeWindow.ts';
import { says, seen } from './seen.ts';

const PASSPHRASE = 'a phrase of the test';

// Differences between the engines are tested without a window, in test/engine.
describeWindow('an engine over SSH, in a window', { isJourney: true }, (window) => {
  const { lab } = window;
  let sshd: BedSshd;
  let workbench: Workbench;

  const shot = (name: string): Promise<void> => workbench.shot(`ssh/${name}`);

  const welcomed = (words: RegExp): Promise<boolean> =>
    until(async () => words.test(await workbench.welcome('Containers')), words.source);

  const retry = (): Promise<void> =>
    workbench
      .pane('Containers')
      .locator('.welcome-view-content')
      .getByRole('button', { name: 'Retry', exact: true })
      .click();

  before(async () => {
    ({ workbench } = window);
    await lab.running('remote');
    sshd = await startSshd({ passphrase: PASSPHRASE, isKnown: false });
    ownSsh(sshd, join(window.folder, PROGRAMS));
    const host = `ssh://root@127.0.0.1:${sshd.port}${bed().socket}`;
    await window.changeSettings({ 'gantry.host': host });
  });

  after(async () => {
    await window.changeSettings({ 'gantry.host': undefined });
    await sshd.stop();
  });

  it('asks to trust an unknown host key, and accepts a no', async () => {
    const { message, detail } = await workbench.notices.modal();
    assert.match(message, /^Connect to root@127\.0\.0\.1:\d+\?/);
    assert.match(detail, /SHA256:/);
    await shot('host-key');
    await workbench.notices.answer('Cancel');
    await welcomed(/SSH (authentication|host key verification) failed/);
    await shot('host-key-refused');
  });

  it('asks for the passphrase of the key, and then works like a local engine', async () => {
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

  it('keeps its rows when the connection is lost, asks once, and waits if the question is canceled', async () => {
    await sshd.kill();
    const message = (): Promise<string> => workbench.message('Containers');
    await until(async () => (await message()).includes('Connection lost'), 'the message is shown');
    await seen(workbench, 'Containers', lab.name('remote'));
    await sshd.start();
    await workbench.quick.asks('Log In to root@127.0.0.1');
    await workbench.quick.cancel();
    await until(
      async () => (await message()).includes('SSH authentication failed'),
      'the reason is shown',
    );
    await workbench.titleAction('Containers', 'Refresh');
    await workbench.quick.type('Log In to root@127.0.0.1', PASSPHRASE);
    await until(async () => (await message()) === '', 'the message is removed');
    const next = await lab.running('next');
    await says(workbench, 'Containers', next, /^Up/);
  });
});
