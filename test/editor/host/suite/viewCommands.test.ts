import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { useLab } from '../kit/lab.ts';
import { answeringPing } from '../kit/fakeEngine.ts';
import { useHost } from '../kit/settings.ts';
import { until } from '../../../bed/until.ts';

function hidesStopped(): boolean {
  return vscode.workspace.getConfiguration('gantry').get<boolean>('containers.hideStopped')!;
}

describe('the commands of the views', () => {
  useLab('views');

  it('hide and show stopped containers by changing the setting', async () => {
    assert.equal(hidesStopped(), false);
    await vscode.commands.executeCommand('gantry.containers.hideStopped');
    assert.equal(hidesStopped(), true);
    await vscode.commands.executeCommand('gantry.containers.showStopped');
    assert.equal(hidesStopped(), false);
  });

  it('refresh and retry request the lists again', async () => {
    let lists = 0;
    const fake = await answeringPing((request, response) => {
      if (request.url?.includes('/json') === true) lists += 1;
      // The event stream stays open without events.
      response.writeHead(200, { 'content-type': 'application/json' });
      if (request.url?.includes('/events') === true) response.flushHeaders();
      else response.end('[]');
    });
    try {
      await useHost(fake.socket);
      for (const command of ['gantry.refresh', 'gantry.retry']) {
        const before = lists;
        await vscode.commands.executeCommand(command);
        await until(() => lists > before, `${command} requests the list`);
      }
    } finally {
      await useHost(undefined);
      fake.close();
    }
  });
});
