import assert from 'node:assert/strict';
import { lifecycleCommands } from '../../../../src/commands/containers/lifecycleCommands.ts';
import { container } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { ESCAPE, give, pick } from '../../support/scriptedUi.ts';

describe('the lifecycle commands', () => {
  const up = container('a', { name: 'web' });
  const over = container('b', { name: 'job', state: 'exited', status: 'Exited (0) 1 day ago' });
  let lab: CommandLab;
  afterEach(() => lab.close());

  async function open(status = 204, answered: object = {}): Promise<void> {
    lab = await openCommandLab((request, response) => {
      if (request.method === 'GET') json(response, 200, { Id: up.id, Name: '/web' });
      else json(response, status, answered);
    });
    lab.register(lifecycleCommands(lab.ui));
    lab.list([up, over]);
  }

  const posts = (): readonly string[] =>
    lab.engine.seen.filter(({ method }) => method === 'POST').map(({ path }) => path);

  it('ask for a container if none is selected, and offer only those that fit', async () => {
    await open();
    lab.ui.act(pick('web'));
    await lab.run('gantry.containers.stop');
    const [question] = lab.ui.of('pick');
    assert.equal(question?.detail, 'Select a container');
    assert.deepEqual(
      question.items?.map(({ label }) => label),
      ['web'],
    );
    assert.deepEqual(posts(), [`/containers/${up.id}/stop`]);
  });

  it('do not offer what the engine would refuse', async () => {
    await open();
    const dead = container('c', { name: 'dead', state: 'dead' });
    const infra = container('d', { name: 'infra', pod: { name: 'kube', isInfra: true } });
    lab.list([over, dead, infra]);
    const offered = async (command: string) => {
      lab.ui.act(ESCAPE);
      await lab.run(command);
      return lab.ui
        .of('pick')
        .at(-1)
        ?.items?.map(({ label }) => label);
    };
    assert.deepEqual(await offered('gantry.containers.start'), ['job']);
    assert.deepEqual(await offered('gantry.containers.remove'), ['dead', 'job']);
  });

  it('send and show nothing after Escape', async () => {
    await open();
    lab.ui.act(ESCAPE);
    assert.equal(await lab.run('gantry.containers.kill'), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['progress', 'pick'],
    );
    assert.deepEqual(lab.engine.seen, []);
  });

  it("show a failure in one message, with the engine's error", async () => {
    const message = 'exec: "/no/such/program": stat /no/such/program: no such file or directory';
    await open(400, { message });
    await lab.run('gantry.containers.start', containerRow(over));
    const said = lab.ui.shown.filter(({ kind }) => kind !== 'progress');
    assert.deepEqual(
      said.map(({ kind, text }) => [kind, text]),
      [['error', `Could not start job: ${message}`]],
    );
  });

  it('warn while the user types a new name that is taken', async () => {
    await open();
    lab.ui.act(give('job-2'));
    await lab.run('gantry.containers.rename', containerRow(up));
    const [box] = lab.ui.of('input');
    assert.equal(box?.text, 'Rename web');
    assert.equal(box.input?.problem?.('job'), 'A container named job already exists.');
    assert.equal(box.input.problem('web'), undefined);
    const renamed = lab.engine.seen.find(({ path }) => path === `/containers/${up.id}/rename`);
    assert.equal(renamed?.query.get('name'), 'job-2');
  });

  it('report if the container is already in that state', async () => {
    await open(304);
    await lab.run('gantry.containers.start', containerRow(over));
    await lab.run('gantry.containers.stop', containerRow(up));
    assert.deepEqual(
      lab.ui.of('info').map(({ text }) => text),
      ['job is already running.', 'web is already stopped.'],
    );
    const stopping = lab.call('gantry.containers.stop', { id: up.id });
    assert.deepEqual(await stopping, { outcome: 'alreadyStopped' });
  });

  it('return the outcome to a caller, and pass its timeout', async () => {
    await open();
    const call = (verb: string, more: object = {}) =>
      lab.call(`gantry.containers.${verb}`, { id: up.id, ...more });
    assert.deepEqual(await call('restart', { timeoutSeconds: 3 }), { outcome: 'restarted' });
    assert.equal(lab.engine.seen.at(-1)?.query.get('t'), '3');
    for (const timeoutSeconds of [-2, 1.5, '3'])
      await assert.rejects(call('stop', { timeoutSeconds }), /a number of seconds, or -1/);
    assert.deepEqual(await call('pause'), { outcome: 'paused' });
    assert.deepEqual(await call('unpause'), { outcome: 'unpaused' });
    assert.deepEqual(await call('kill', { signal: 'TERM' }), { outcome: 'killed' });
    await assert.rejects(call('kill', { signal: 'TERM 9' }), /"TERM 9" is not a signal/);
    assert.deepEqual(await call('remove', { force: true }), { outcome: 'removed' });
    assert.equal(lab.engine.seen.at(-1)?.query.get('force'), '1');
    assert.deepEqual(lab.ui.shown, []);
  });

  it('send nothing for a text that is no name and no ID, or an ID prefix of two', async () => {
    await open();
    const twins = ['1', '2'].map((end) => `ab${end.repeat(62)}`);
    lab.engine.answer(({ path }, response) => {
      const list = twins.map((Id, at) => ({ Id, Names: [`/twin-${at}`] }));
      if (path === '/containers/json') json(response, 200, list);
      else json(response, 404, { message: 'no such container' });
    });
    for (const { id: command } of lifecycleCommands(lab.ui)) {
      const call = (id: string) =>
        lab.call(command, { id, ...(command.endsWith('rename') && { name: 'new' }) });
      await assert.rejects(call('ab'), /is ambiguous.*twin-0.*twin-1/);
      for (const id of ['a b', '../etc', 'a/b', 'ümlaut', 'a?force=1', '-a', '\ud800'])
        await assert.rejects(call(id), /is not a container name or ID/);
    }
    assert.deepEqual(
      lab.engine.seen.filter(({ method }) => method !== 'GET'),
      [],
    );
  });

  it('kill on removal only containers that the question announced as running', async () => {
    await open();
    lab.ui.act(() => {
      // The container is started while the question is open.
      lab.list([up, { ...over, state: 'running' }]);
      return 'Remove';
    });
    await lab.run('gantry.containers.remove', containerRow(up), containerRow(over));
    const removed = lab.engine.seen.filter(({ method }) => method === 'DELETE');
    assert.deepEqual(
      removed.map(({ path, query }) => [path, query.get('force')]),
      [
        [`/containers/${up.id}`, '1'],
        [`/containers/${over.id}`, '0'],
      ],
    );
  });

  it('use the current state, not that of the row when the menu was opened', async () => {
    await open();
    const row = containerRow(up);
    lab.list([{ ...up, state: 'exited' }, over]);
    lab.ui.act(give('Remove'));
    await lab.run('gantry.containers.remove', row);
    const [removed] = lab.engine.seen.filter(({ method }) => method === 'DELETE');
    assert.equal(removed?.query.get('force'), '0');
  });
});
