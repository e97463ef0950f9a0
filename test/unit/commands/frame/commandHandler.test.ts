import assert from 'node:assert/strict';
import { lifecycleCommands } from '../../../../src/commands/containers/lifecycleCommands.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import { container } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

const WHY = 'exec: "/no/such": stat /no/such: no such file or directory';

describe('commands/frame/commandHandler', () => {
  const over = { state: 'exited', status: 'Exited (0) 1 day ago' } as const;
  const fine = container('a', { name: 'fine', ...over });
  const other = container('c', over);
  const broken = container('b', { name: 'broken', ...over });
  let lab: CommandLab;
  /** The containers that are listed again, and the activities of the row in the meantime. */
  let rechecked: string[];
  let verbs: (string | undefined)[];
  beforeEach(async () => {
    rechecked = [];
    verbs = [];
    lab = await openCommandLab(({ path }, response) => {
      verbs.push(lab.context.activity.verbOf(fine.id));
      if (path.includes(broken.id)) json(response, 400, { message: WHY });
      else response.writeHead(204).end();
    });
    lab.register(lifecycleCommands(lab.ui));
    lab.list([fine, broken, other]);
    const { requests } = lab.context.unit;
    requests.recheck = (id) => void rechecked.push(id);
    requests.renew = () => void rechecked.push('all');
  });
  afterEach(() => lab.close());

  const start = (...rows: readonly (typeof fine)[]) =>
    lab.run('gantry.containers.start', ...rows.map(containerRow));
  const started = () =>
    lab.engine.seen.flatMap(({ method, path }) => (method === 'POST' ? [path] : [])).sort();
  const messages = () =>
    lab.ui.shown.flatMap(({ kind, text }) => (kind === 'progress' ? [] : [[kind, text]]));

  it('names each target that failed if a command runs on several, and runs on the others', async () => {
    assert.deepEqual(await start(fine, broken, other), [
      { outcome: 'started' },
      { outcome: 'started' },
    ]);
    assert.deepEqual(
      started(),
      [fine, broken, other].map(({ id }) => `/containers/${id}/start`),
    );
    assert.deepEqual(messages(), [['error', `1 of 3 failed. broken: ${WHY}`]]);
  });

  it('shows no message if a command succeeds on all targets', async () => {
    await start(fine, other);
    assert.equal(started().length, 2);
    assert.deepEqual(messages(), []);
  });

  it('skips and names targets that a command does not fit if it runs on several', async () => {
    const up = container('d', { name: 'up' });
    lab.list([fine, up]);
    await start(fine, up);
    assert.deepEqual(messages(), [['info', 'Left out because of their state: up.']]);
    assert.deepEqual(started(), [`/containers/${fine.id}/start`]);
  });

  it('shows the activity on a row while the command runs', async () => {
    await start(fine);
    assert.deepEqual(verbs, ['starting']);
    assert.equal(lab.context.activity.verbOf(fine.id), undefined);
  });

  it('lists a container again after a failure, which may have changed it anyway', async () => {
    await start(fine, broken);
    assert.deepEqual(rechecked, [broken.id]);
  });

  it('lists a container again that was in a transitional state', async () => {
    const passing = container('d', { state: 'restarting' });
    lab.list([passing]);
    await lab.run('gantry.containers.stop', containerRow(passing));
    assert.deepEqual(rechecked, [passing.id]);
  });

  it('lists all containers again if the engine is lost', async () => {
    const error = new EngineError('refused');
    lab.inventory.setPhase({ kind: 'lost', error, hadRows: true });
    await start(fine);
    assert.deepEqual(rechecked, ['all']);
  });

  describe('for a plain argument', () => {
    const call = (argument: object) => lab.call('gantry.containers.start', argument);

    it('resolves to the outcome, and shows nothing', async () => {
      assert.deepEqual(await call({ id: fine.id, engine: 'Docker' }), { outcome: 'started' });
      assert.deepEqual(verbs, ['starting']);
      assert.deepEqual(lab.ui.shown, []);
    });

    it('rejects with a complete message', async () => {
      await assert.rejects(call({ id: broken.id }), {
        message: `Could not start ${broken.id}: ${WHY}`,
      });
      assert.deepEqual(rechecked, [broken.id]);
      assert.deepEqual(lab.ui.shown, []);
    });

    it('sends nothing if a field is invalid', async () => {
      await assert.rejects(call({}), /property "id" is required/);
      await assert.rejects(call({ id: 5 }), /"id" must be a string/);
      await assert.rejects(call({ id: ' ' }), /the ID is empty/);
      await assert.rejects(call({ id: fine.id, force: true }), /unknown property "force"/);
      await assert.rejects(call({ id: fine.id, engine: 'Far' }), /Engine "Far" not found/);
      await assert.rejects(
        call(['a']),
        /gantry\.containers\.start: the argument must be an object/,
      );
      assert.deepEqual(lab.engine.seen, []);
    });
  });
});
