import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { run } from '../kit/commands.ts';
import { raw, touch } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { assertShows, shown, textOf } from '../kit/output.ts';
import { until } from '../../../bed/until.ts';

const exited = (status: number): string => `[The container exited with code ${status}.]\n`;
const KILLED = exited(137);

describe('gantry.containers.logs', () => {
  const lab = useLab('logs');

  const open = async (id: string, options: object = {}): Promise<string> =>
    (await run('containers.logs', { id, ...options })).channel;
  const kill = (id: string): Promise<unknown> => raw('POST', `/containers/${id}/kill`);

  it('shows complete lines of stdout and stderr in a channel named after the container', async () => {
    const script = 'echo out; echo err >&2; echo "🚢 ü"; printf "no end"; exit 3';
    const id = await lab.ended(['sh', '-c', script]);
    const channel = await open(id, { tail: 'all' });
    assert.ok(channel.endsWith(lab.name()), channel);
    const text = await shown(channel, (now) => now.endsWith(exited(3)));
    const lines = text.slice(0, -exited(3).length).split('\n');
    // Engines do not preserve the order between stdout and stderr.
    assert.deepEqual(lines.sort(), ['', '[stderr] err', 'no end', 'out', '🚢 ü']);
  });

  it('brings the channel to the front, and does not move the focus', async () => {
    const id = await lab.ended(['echo', 'hello']);
    const document = await vscode.workspace.openTextDocument({ content: 'mine' });
    await vscode.window.showTextDocument(document);
    const channel = await open(id);
    await shown(channel, (text) => text.startsWith('hello'));
    assert.equal(vscode.window.activeTextEditor?.document, document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('shows new lines, and the exit code at the end', async () => {
    const script = 'echo one; until [ -f /go ]; do sleep 0.1; done; echo two; exit 4';
    const id = await lab.running('it', ['sh', '-c', script]);
    const channel = await open(id);
    await assertShows(channel, 'one\n');
    await touch(id, '/go');
    await assertShows(channel, `one\ntwo\n${exited(4)}`);
  });

  it('shows no line twice if opened twice, even at the same time', async () => {
    const id = await lab.running('it', ['sh', '-c', 'echo one; sleep 1000']);
    const channels = await Promise.all([open(id), open(id), open(lab.name())]);
    assert.equal(new Set(channels).size, 1);
    const channel = await open(id, { follow: true });
    await assertShows(channel, 'one\n');
    await kill(id);
    await assertShows(channel, `one\n${KILLED}`);
  });

  it('continues across a restart without duplicate lines', async () => {
    const id = await lab.running('it', ['sh', '-c', 'echo run; sleep 1000']);
    const channel = await open(id);
    await assertShows(channel, 'run\n');
    await raw('POST', `/containers/${id}/restart?t=0`);
    const again = '[The container was started again.]\n';
    await shown(channel, (text) => text.includes(again) && text.split('run\n').length === 3);
    await kill(id);
    const text = await shown(channel, (now) => now.endsWith(KILLED));
    // Podman's stream continues through a restart, and an engine may be too fast for the first exit to be seen.
    const between = text.slice(0, -KILLED.length).replace(again, '').replace(KILLED, '');
    assert.equal(between, 'run\nrun\n', text);
  });

  it('waits for a container that was never started', async () => {
    const id = await lab.container(['sh', '-c', 'echo first; exit 2']);
    const channel = await open(id);
    await assertShows(channel, '');
    await run('containers.start', { id });
    await assertShows(channel, `[The container was started.]\nfirst\n${exited(2)}`);
  });

  it('reports that the container was removed', async () => {
    const id = await lab.running('it', ['sh', '-c', 'echo one; sleep 1000']);
    const channel = await open(id);
    await assertShows(channel, 'one\n');
    await run('containers.remove', { id, force: true });
    await shown(channel, (text) => text.endsWith('[The container was removed.]\n'));
  });

  it('has one channel per container', async () => {
    const [a, b] = [await lab.ended(['echo', 'A'], 'a'), await lab.ended(['echo', 'B'], 'b')];
    const channels = await Promise.all([open(a), open(b)]);
    assert.notEqual(channels[0], channels[1]);
    // VS Code keeps the text of the channel in front; which of the two that is depends on the engine. If
    // another channel is requested before that one is visible, VS Code may bring the two to the front in any
    // order.
    const isShown = (): boolean => channels.some((channel) => textOf(channel)?.endsWith(exited(0)));
    await until(isShown, 'one of the two logs is complete');
    await assertShows(await open(a), `A\n${exited(0)}`);
    await assertShows(await open(b), `B\n${exited(0)}`);
  });
});
