import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { createCommand } from '../../../../src/commands/create/createCommand.ts';
import { CreateHistory } from '../../../../src/recipes/createHistory.ts';
import { container, image } from '../../inventory/support/nouns.ts';
import { fakeMemento, imageRow, type CommandLab } from '../../support/commandLab.ts';
import { ENTER, ESCAPE, give, pick, press, type Answer } from '../../support/scriptedUi.ts';
import { add, createdBody, fillIn, openCreatingLab, valuesOf } from './support/creating.ts';

describe('the create form', () => {
  const app = image('a', { tags: ['me/app:1'] });
  let lab: CommandLab;
  afterEach(() => lab.close());

  const run = (): Promise<unknown> => lab.run(createCommand(), imageRow(app));

  it('shows and offers the values of the image, and sends what was changed', async () => {
    // A server of another program on this machine, at a port that the image exposes.
    const server = createServer();
    const port = await listening(server);
    lab = await openCreatingLab({
      image: {
        Cmd: ['sleep', '9'],
        Env: ['GREETING=hello', 'OTHER=one'],
        ExposedPorts: { [`${port}/tcp`]: {}, '53/udp': {} },
        Volumes: { '/var/lib/app': {} },
        Labels: { 'com.example.owner': 'me', 'com.example.team': 'us' },
        Healthcheck: { Test: ['CMD-SHELL', 'true'] },
      },
    });
    let free = '';
    lab.ui.act(
      pick('Ports'),
      ({ items = [] }) => {
        const offer = items.find(({ label }) => label.endsWith(`:${port}`));
        free = offer?.label.split(':')[0] ?? '';
        return offer;
      },
      pick('Done'),
      pick('Environment variables'),
      pick('GREETING=hello'),
      give('GREETING=goodbye'),
      press('OTHER=one', 'Unset', pick('Done')),
      pick('Health check'),
      pick('None'),
      ...fillIn('Memory', '64m'),
      pick('Create'),
    );
    await run();
    server.close();
    const [overview] = lab.ui.shown.filter(({ kind }) => kind === 'pick');
    assert(overview);
    const values = valuesOf(overview);
    assert.equal(values['Command'], 'sleep 9 (image default)');
    assert.equal(values['Environment variables'], 'none (2 from the image)');
    const [last] = lab.ui.of('pick').slice(-1);
    assert.equal(
      last && valuesOf(last)['Environment variables'],
      'GREETING=goodbye, OTHER (not set)',
    );
    assert.equal(values['Ports'], `none (exposed by the image: 53/udp, ${port}/tcp)`);
    assert.equal(values['Labels'], 'none (2 from the image)');
    assert.equal(values['Health check'], 'true (image default)');
    assert.equal(values['Mounts'], 'none (anonymous volume at /var/lib/app)');
    assert(Number(free) > port, free);
    const { Env, Healthcheck, HostConfig } = createdBody(lab);
    assert.deepEqual(Env, ['GREETING=goodbye', 'OTHER']);
    assert.deepEqual(Healthcheck?.Test, ['NONE']);
    assert.equal(HostConfig.PortBindings?.[`${port}/tcp`]?.[0]?.HostPort, free);
    assert.equal(HostConfig.Memory, 64 * 2 ** 20);
  });

  it('masks what may be a secret, and lets the user edit and send it', async () => {
    const Healthcheck = { Test: ['CMD-SHELL', 'ping --password=s3cret5'] };
    lab = await openCreatingLab({
      image: {
        Cmd: ['serve', '--token', 's3cret4'],
        Env: ['API_KEY=s3cret3', 'TZ=UTC'],
        Healthcheck,
      },
    });
    lab.ui.act(
      ...add('Environment variables', 'DB_PASSWORD=s3cret1'),
      ...add('Environment variables', 'LANG=C'),
      ...add('Labels', 'app.secret=s3cret2'),
      pick('Environment variables'),
      pick('DB_PASSWORD=••••••'),
      ENTER,
      pick('API_KEY=••••••'),
      ENTER,
      pick('Done'),
      ...fillIn('Command', 'serve --token s3cret6'),
      pick('Health check'),
      ESCAPE,
      pick('Create'),
    );
    await run();
    const picks = lab.ui.of('pick');
    const shown = picks.flatMap(({ items = [] }) =>
      items.flatMap(({ label, description = '', detail = '' }) => [label, description, detail]),
    );
    const known = shown.filter((text) => !text.startsWith('Add '));
    assert.doesNotMatch(known.join('\n'), /s3cret/);
    const values = picks.map(valuesOf);
    const first = values.at(0) ?? {};
    const last = values.at(-1) ?? {};
    assert.equal(first['Command'], 'serve •••••• (image default)');
    assert.equal(first['Health check'], '•••••• (image default)');
    assert.equal(last['Command'], 'serve ••••••');
    const env = 'DB_PASSWORD=••••••, LANG=C, API_KEY=••••••';
    assert.equal(last['Environment variables'], env);
    assert.equal(last['Labels'], 'app.secret=••••••');
    const edited = lab.ui.of('input').map(({ input }) => input?.value);
    assert.deepEqual(edited.slice(0, 2), ['DB_PASSWORD=s3cret1', 'API_KEY=s3cret3']);
    const { Cmd, Env, Labels } = createdBody(lab);
    assert.deepEqual(Cmd, ['serve', '--token', 's3cret6']);
    assert.deepEqual(Env, ['DB_PASSWORD=s3cret1', 'LANG=C', 'API_KEY=s3cret3']);
    assert.deepEqual(Labels, { 'app.secret': 's3cret2' });
  });

  it('shows the health check of the image, and sends what was changed', async () => {
    const Test = ['CMD', 'check', 'a b'];
    const StartPeriod = 7e9;
    const Retries = 5;
    const image = { Healthcheck: { Test, Interval: 5e9, StartPeriod, Retries } };
    lab = await openCreatingLab({ image: { Cmd: ['sh'], ...image } });
    const own = [pick('Health check'), pick('Custom...')];
    lab.ui.act(...own, ENTER, give('30s'), ENTER, give('2'), pick('Create'));
    await run();
    const steps = lab.ui.of('input').map(({ input }) => input?.value);
    assert.deepEqual(steps, ["check 'a b'", '5s', '', '5']);
    const shown = lab.ui.of('pick').map((one) => valuesOf(one)['Health check']);
    assert.equal(shown[0], "check 'a b' · 5s (image default)");
    assert.equal(shown.at(-1), "check 'a b' · 30s");
    assert.deepEqual(createdBody(lab).Healthcheck, {
      Test,
      Interval: 30e9,
      StartPeriod,
      Retries: 2,
    });
  });

  it('leaves a health check unchanged if the user cancels one of its steps', async () => {
    lab = await openCreatingLab({ image: { Cmd: ['sh'] } });
    const answers = [give('true'), give('30s'), give('5s'), give('2')];
    for (const [at] of answers.entries()) {
      const own = [pick('Health check'), pick('Custom...')];
      lab.ui.act(...own, ...answers.slice(0, at), ESCAPE, ESCAPE);
      await run();
      const [overview] = lab.ui.of('pick').slice(-1);
      assert.equal(overview && valuesOf(overview)['Health check'], 'none');
    }
    assert.equal(lab.ui.of('input').length, 1 + 2 + 3 + 4);
  });

  it('shows next to its actions which container has the port or the name, and what conflicts', async () => {
    lab = await openCreatingLab({ image: { Cmd: ['sh'] } });
    const ports = [{ privatePort: 80, publicPort: 28_094, protocol: 'tcp' }];
    lab.list([container('b', { name: 'holder', names: ['holder'], ports })]);
    const told: (string | undefined)[] = [];
    const looking = (next: Answer): Answer => {
      return (overview) => {
        told.push(overview.items?.[0]?.detail);
        return next(overview);
      };
    };
    lab.ui.act(
      ...add('Ports', '28094:80'),
      looking(pick('Name')),
      give('holder'),
      looking(pick('Name')),
      give('free'),
      pick('Remove on exit (--rm)'),
      pick('Restart policy'),
      pick('always'),
      looking(ESCAPE),
    );
    await run();
    assert.deepEqual(told.slice(0, 2), [
      'Port 28094 is used by holder.',
      'A container named holder already exists.',
    ]);
    assert.match(told[2] ?? '', /conflicts with the restart policy "always"/);
  });

  it('keeps the order of its actions while it is open', async () => {
    const creates = new CreateHistory(fakeMemento(), fakeMemento());
    lab = await openCreatingLab({ image: { Cmd: ['sh'] }, services: { creates } });
    const first: (string | undefined)[] = [];
    const looking = (next: Answer): Answer => {
      return (overview) => {
        first.push(overview.items?.[0]?.label);
        void creates.keepEnd('create');
        return next(overview);
      };
    };
    lab.ui.act(looking(pick('Remove on exit (--rm)')), looking(ESCAPE));
    await run();
    assert.deepEqual(first, ['Create and Start', 'Create and Start']);
  });

  it('validates a field while the user types', async () => {
    lab = await openCreatingLab({ image: { Cmd: ['sh'] } });
    lab.ui.act(pick('Memory'), ESCAPE, pick('Name'), ESCAPE);
    await run();
    const [memory, name] = lab.ui.of('input').map(({ input }) => input?.problem);
    assert.match(memory?.('much') ?? '', /"much" is not a memory size/);
    assert.equal(memory?.('64m'), undefined);
    assert.match(name?.('two words') ?? '', /two words/);
    assert.equal(name?.('one'), undefined);
  });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert(typeof address === 'object' && address);
  return address.port;
}
