import assert from 'node:assert/strict';
import { clipboardCommands } from '../../../../src/commands/containers/clipboardCommands.ts';
import { container, image } from '../../inventory/support/nouns.ts';
import {
  containerRow,
  imageRow,
  openCommandLab,
  type CommandLab,
} from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

describe('the clipboard commands', () => {
  const web = container('a', { name: 'web' });
  const db = container('b', { name: 'db' });
  const app = image('c', { tags: ['app:1'], digests: ['app@sha256:1'] });
  const plain = image('d', { tags: [] });
  let lab: CommandLab;
  beforeEach(async () => {
    lab = await openCommandLab(({ path }, response) => {
      const Id = path.startsWith('/images/app') ? app.id : plain.id;
      const RepoDigests = Id === app.id ? app.digests : [];
      json(response, 200, { Id, RepoTags: [], RepoDigests, Name: '/web' });
    });
    lab.register(clipboardCommands(lab.ui));
    lab.list([web, db], [app, plain]);
  });
  afterEach(() => lab.close());

  const copied = () => lab.ui.of('copy').map(({ text }) => text);

  it('copy a line for each row, without a request', async () => {
    const rows = [web, db].map(containerRow);
    await lab.run('gantry.containers.copyId', ...rows);
    await lab.run('gantry.containers.copyName', ...rows);
    const images = [app, plain].map((image) => imageRow(image));
    await lab.run('gantry.images.copyReference', ...images);
    await lab.run('gantry.images.copyId', ...images);
    await lab.run('gantry.images.copyDigest', imageRow(app));
    assert.deepEqual(
      [...new Set(copied())],
      [
        `${web.id}\n${db.id}`,
        'web\ndb',
        `app:1\n${plain.id}`,
        `${app.id}\n${plain.id}`,
        'app@sha256:1',
      ],
    );
    assert.deepEqual(lab.engine.seen, []);
  });

  it('copy for an argument what the engine returns', async () => {
    const done = await lab.call('gantry.containers.copyName', { id: 'f'.repeat(64) });
    assert.deepEqual(done, { outcome: 'copied' });
    await lab.call('gantry.containers.copyId', { id: web.id });
    await lab.call('gantry.images.copyId', { id: 'app:1' });
    await lab.call('gantry.images.copyDigest', { id: 'app:1' });
    assert.deepEqual(copied(), ['web', web.id, app.id, 'app@sha256:1']);
  });

  it('report that an image from no registry has no digest', async () => {
    await lab.run('gantry.images.copyDigest', imageRow(plain));
    assert.match(
      lab.ui.of('error')[0]?.text ?? '',
      /has no digest because it was never pulled or pushed/,
    );
    const call = lab.call('gantry.images.copyDigest', { id: plain.id });
    await assert.rejects(call, /has no digest/);
    assert.deepEqual(copied(), []);
  });
});
