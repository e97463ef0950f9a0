import assert from 'node:assert/strict';
import { pruneContainersCommand } from '../../../../src/commands/containers/pruneContainersCommand.ts';
import { check, give } from '../../support/scriptedUi.ts';
import {
  JOB,
  NEW,
  openSystemLab,
  OWN,
  WEB,
  withoutReasons,
  type SystemLab,
} from '../system/systemLab.ts';

describe('commands/pruneContainersCommand', () => {
  let lab: SystemLab;
  beforeEach(async () => {
    lab = await openSystemLab();
  });
  afterEach(() => lab.close());

  const call = async (args: object) =>
    withoutReasons(await lab.call(pruneContainersCommand(), args));
  const run = async () => withoutReasons(await lab.run(pruneContainersCommand()));
  const left = () => [...(lab.things.get('containers')?.keys() ?? [])];

  it('removes stopped containers, but none of Gantry, and no volumes', async () => {
    const expected = { removed: [JOB, NEW], kept: [], freed: 20 };
    assert.deepEqual(await call({ dryRun: true }), expected);
    assert.deepEqual(lab.removals, []);
    assert.deepEqual(await call({}), expected);
    assert.deepEqual(left(), [WEB, OWN]);
    assert.deepEqual(lab.removals, [`/containers/${JOB}`, `/containers/${NEW}`]);
  });

  it('removes anonymous volumes on request', async () => {
    await call({ volumes: true });
    assert.deepEqual(lab.removals, [`/containers/${JOB}?v`, `/containers/${NEW}?v`]);
  });

  it('keeps newer containers, and refuses what is not a duration', async () => {
    const age = Math.ceil(Date.now() / 1000 - 1_790_000_000 + 3600);
    assert.deepEqual(await call({ until: `${age}s` }), { removed: [JOB], kept: [], freed: 20 });
    await assert.rejects(call({ until: '24' }), /"24" is not a duration/);
  });

  it('keeps a container that the engine refuses to remove, and removes the others', async () => {
    lab.before = ({ method, path }) =>
      method === 'DELETE' && path.includes(JOB) ? [409, 'container has dependents'] : undefined;
    assert.deepEqual(await call({}), { removed: [NEW], kept: [JOB], freed: 0 });
  });

  it('checks only containers that have run, and asks about anonymous volumes', async () => {
    lab.ui.act(check('job'), give('Remove with Anonymous Volumes'));
    assert.deepEqual(await run(), { removed: [JOB], kept: [], freed: 20 });
    const [shown] = lab.ui.of('pickMany');
    assert.equal(shown?.text, 'Prune Containers: 1 of 2. Reclaims 20 B.');
    assert.deepEqual(
      shown.items?.map(({ label, heading, description }) => [label, heading, description]),
      [
        ['job', 'stopped', 'Exited (0) 2 days ago · 20 B · anonymous volumes: 1'],
        ['new', 'never started', 'created · 0 B'],
      ],
    );
    const [question] = lab.ui.of('choose');
    assert.equal(question?.text, 'Remove the container job?');
    assert.match(
      question.detail ?? '',
      /^Anonymous volumes of these containers: ffffffffffff\.\nReclaims 20 B/,
    );
    assert.deepEqual(lab.removals, [`/containers/${JOB}?v`]);
  });

  it('keeps anonymous volumes unless asked to, and does not ask if there are none', async () => {
    lab.ui.act(check('job'), give('Remove'));
    await run();
    lab.ui.act(check('new'), give('Remove'));
    await run();
    assert.equal(lab.ui.of('confirm').length, 1);
    assert.deepEqual(lab.removals, [`/containers/${JOB}`, `/containers/${NEW}`]);
  });

  it('removes nothing without a selection or a confirmation', async () => {
    lab.ui.act(check());
    assert.equal(await run(), undefined);
    lab.ui.act(check('job'), give(undefined));
    assert.equal(await run(), undefined);
    assert.deepEqual(lab.removals, []);
  });

  it('shows a message if no container is stopped', async () => {
    for (const id of [JOB, NEW]) lab.things.get('containers')?.delete(id);
    assert.equal(await run(), undefined);
    assert.equal(lab.ui.of('info').at(-1)?.text, 'No stopped containers found.');
  });
});
