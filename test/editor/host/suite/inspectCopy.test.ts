import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { refusal, run } from '../kit/commands.ts';
import { at, inspect, raw } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';

async function clipboard(): Promise<string> {
  return vscode.env.clipboard.readText();
}

describe('inspect and the clipboard', () => {
  const lab = useLab('copy');

  it("inspect of a container returns the engine's whole response", async () => {
    const id = await lab.container(['true'], 'it', { Labels: { a: 'b' } });
    assert.deepEqual(await run('containers.inspect', { id }), await inspect(id));
  });

  it('copyId copies the full ID, whether a name, a prefix or the ID is given', async () => {
    const id = await lab.container(['true']);
    for (const text of [lab.name(), id.slice(0, 12), id]) {
      await vscode.env.clipboard.writeText('');
      assert.deepEqual(await run('containers.copyId', { id: text }), { outcome: 'copied' });
      assert.equal(await clipboard(), id);
    }
  });

  it('copyName copies the name, whether a name, a prefix or the ID is given', async () => {
    const id = await lab.container(['true']);
    for (const text of [lab.name(), id.slice(0, 12), id]) {
      await vscode.env.clipboard.writeText('');
      assert.deepEqual(await run('containers.copyName', { id: text }), { outcome: 'copied' });
      assert.equal(await clipboard(), lab.name());
    }
  });

  it('copyReference copies the given tag, or the full ID if an ID is given', async () => {
    const reference = await lab.image('1');
    const copied = async (id: string): Promise<string> => {
      assert.deepEqual(await run('images.copyReference', { id }), { outcome: 'copied' });
      return clipboard();
    };
    assert.equal(await copied(reference), reference);
    const bare = String(at(await raw('GET', `/images/${reference}/json`), 'Id'));
    const id = `sha256:${bare.replace('sha256:', '')}`;
    assert.equal(await copied(id), id);
    assert.equal(await copied(id.slice(7, 19)), id);
  });

  it('a missing container or image leaves the clipboard unchanged', async () => {
    await vscode.env.clipboard.writeText('before');
    await refusal(run('containers.copyId', { id: lab.name('nobody') }));
    await refusal(run('containers.copyName', { id: lab.name('nobody') }));
    await refusal(run('images.copyReference', { id: `localhost/${lab.name('nobody')}` }));
    assert.equal(await clipboard(), 'before');
  });

  it('openInBrowser rejects a container without a published port', async () => {
    const id = await lab.container(['true']);
    await refusal(run('containers.openInBrowser', { id }), /no TCP port/);
    await refusal(run('containers.openInBrowser', { id, port: '80' }), /"port" must be/);
  });
});
