import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';
import { addTo, fillIn, formValues } from './forms.ts';
import { Lab } from './lab.ts';
import { says, seen } from './seen.ts';

const OVERVIEW = 'Pick what to change';
const SECRET = 'never-to-be-kept';

/** What an inspection has that is looked at here. */
interface Made {
  readonly Id: string;
  readonly Config: {
    readonly Env: readonly string[];
    readonly Healthcheck?: { readonly Test: readonly string[] };
  };
  readonly HostConfig: {
    readonly PortBindings: Readonly<Record<string, readonly { readonly HostPort: string }[]>>;
    readonly Memory: number;
  };
}

describe('the form for a container', function () {
  this.timeout(90_000);
  let lab: Lab;
  let editor: Editor;
  let workbench: Workbench;
  let image: string;
  /** Somebody else's server on this machine, at a port that the image exposes, too. */
  let server: Server;
  let port: number;
  const shot = (name: string): Promise<string> => workbench.shot(`create-form/${name}`);
  const row = (name: string) => workbench.row(name, 'Containers');

  before(async () => {
    editor = await openWorkbench();
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  beforeEach(async () => {
    lab = new Lab();
    server = createServer();
    port = await listening(server);
    image = await imageWith('app', [
      `EXPOSE ${port}/tcp`,
      'EXPOSE 53/udp',
      'ENV GREETING=hello',
      'ENV OTHER=one',
      'VOLUME /var/lib/app',
      'USER nobody',
      'LABEL team=red',
      'HEALTHCHECK --interval=7s CMD true',
    ]);
  });

  shotOnFailure(() => editor);

  afterEach(async () => {
    await workbench.quick.cancel();
    await workbench.notices.clear();
    await lab.clean();
    server.close();
  });

  after(() => editor.close());

  /** An image of the bed's with changes. */
  async function imageWith(what: string, changes: readonly string[]): Promise<string> {
    const source = await lab.create('source');
    const repo = `localhost/${lab.name(what)}`;
    const query = new URLSearchParams({ container: source, repo, tag: '1' });
    for (const change of changes) query.append('changes', change);
    await lab.ask('POST', `/commit?${query.toString()}`, {});
    await lab.ask('DELETE', `/containers/${source}?force=1`);
    return `${repo}:1`;
  }

  async function openForm(): Promise<void> {
    await workbench.reveal(image, 'Images');
    await workbench.inlineAction(workbench.row(image, 'Images'), 'Create Container…');
  }

  /** Picks a row that may be out of view. */
  async function pickFar(label: string): Promise<void> {
    await workbench.quick.asks(OVERVIEW);
    await workbench.quick.box.fill(label);
    await workbench.quick.row(label).click();
  }

  async function made(name: string): Promise<Made> {
    return JSON.parse(await lab.ask('GET', `/containers/${name}/json`)) as Made;
  }

  it('shows what the image says, and offers it', async () => {
    await openForm();
    await workbench.quick.asks(OVERVIEW);
    const values = await formValues(workbench);
    assert.equal(values['Command'], 'sleep 100000 (the image’s)');
    assert.match(values['Environment'] ?? '', /^none but \d+ of the image$/);
    assert.equal(values['Ports'], `none of 53/udp, ${port}/tcp`);
    assert.equal(values['Mounts'], 'none; a volume without a name at /var/lib/app');
    await shot('overview');
    await workbench.quick.pick(OVERVIEW, 'Ports');
    const offer = await until(async () => {
      const labels = (await workbench.quick.labels()).map(({ label }) => label);
      return labels.find((label) => label.endsWith(`:${port}`));
    }, 'an offer to publish the port');
    const [free] = offer.split(':');
    assert(Number(free) > port, offer);
    await shot('ports');
    await workbench.quick.pick(/: Ports$/m, offer);
    await workbench.quick.pick(/: Ports$/m, 'Done');
    await workbench.quick.pick(OVERVIEW, 'Environment');
    await workbench.quick.pick(/: Environment$/m, 'GREETING=hello');
    await workbench.quick.type('leave it empty to remove it', 'GREETING=goodbye');
    const other = workbench.quick.row('OTHER=one');
    await other.hover();
    await other.getByRole('button', { name: 'Take It Away' }).click();
    await workbench.quick.row('OTHER').waitFor();
    await shot('environment');
    await workbench.quick.pick(/: Environment$/m, 'Done');
    await fillIn(workbench, 'Name', lab.name('made'));
    await pickFar('Health check');
    await shot('health');
    await workbench.quick.pick(/: Health check$/m, 'None');
    await pickFar('Memory');
    await workbench.quick.type(/: Memory$/m, '64m');
    await pickFar('Create');
    await seen(workbench, 'Containers', lab.name('made'), ({ selected }) => selected);
    const { Config, HostConfig } = await made(lab.name('made'));
    assert(Config.Env.includes('GREETING=goodbye'), Config.Env.join());
    assert(Config.Env.includes('OTHER'), Config.Env.join());
    assert.deepEqual(Config.Healthcheck?.Test, ['NONE']);
    assert.equal(HostConfig.PortBindings[`${port}/tcp`]?.[0]?.HostPort, free);
    assert.equal(HostConfig.Memory, 64 * 2 ** 20);
  });

  it('says what excludes what, and who has the port', async () => {
    const other = await lab.create('holder');
    await lab.ask('DELETE', `/containers/${other}`);
    await lab.ask('POST', `/containers/create?name=${other}`, {
      Image: lab.image,
      Cmd: ['sleep', '1000'],
      StopSignal: 'SIGKILL',
      ExposedPorts: { '80/tcp': {} },
      HostConfig: { PortBindings: { '80/tcp': [{ HostPort: '28094' }] } },
    });
    await lab.start(other);
    await says(workbench, 'Containers', other, /^Up/);
    await openForm();
    await addTo(workbench, 'Ports', '28094:80');
    await tells(`The port 28094 is taken by ${other}.`);
    await shot('warning');
    await fillIn(workbench, 'Name', other);
    await tells(`There is a container named ${other} already.`);
    await shot('problem');
    await fillIn(workbench, 'Name', lab.name('free'));
    await workbench.quick.pick(OVERVIEW, 'Remove when it stops');
    // The overview asks the same before and after.
    await until(
      async () => (await formValues(workbench))['Remove when it stops'] === 'yes',
      'the overview with it',
    );
    await workbench.quick.pick(OVERVIEW, 'Restart policy');
    await workbench.quick.pick(/: Restart policy$/m, 'always');
    await tells('exclude each other');
    // What is wrong in a field is said while it is typed.
    await pickFar('Memory');
    await workbench.quick.asks(/: Memory$/m);
    await workbench.quick.box.fill('much');
    await until(
      async () => (await workbench.quick.message()).includes('"much" is not an amount'),
      'the fault',
    );
  });

  it('has three ends, the last one first, and remembers all but secrets', async () => {
    await openForm();
    await fillIn(workbench, 'Command', "sh -c 'echo here I am; exec sleep 1000'");
    await fillIn(workbench, 'Name', lab.name('followed'));
    await addTo(workbench, 'Environment', `DB_PASSWORD=${SECRET}`);
    await addTo(workbench, 'Environment', 'TZ=UTC');
    await workbench.quick.pick(OVERVIEW, 'Create, Start and Follow');
    await workbench.output.shows(`Gantry: ${lab.name('followed')}`);
    await workbench.output.says('here I am');
    await shot('followed');
    await says(workbench, 'Containers', lab.name('followed'), /\bUp\b/);
    await openForm();
    await workbench.quick.asks(/: Begin$/m);
    await shot('begin');
    await workbench.quick.pick(/: Begin$/m, 'Start from last time');
    await workbench.quick.asks(OVERVIEW);
    const [first] = await workbench.quick.labels();
    assert.equal(first?.label, 'Create, Start and Follow');
    const values = await formValues(workbench);
    assert.equal(values['Name'], `${lab.name('followed')}-2`);
    assert.equal(values['Environment'], 'DB_PASSWORD=, TZ=UTC');
    await tells('Not kept, as it may be secret: DB_PASSWORD.');
    await shot('last-time');
    await workbench.quick.pick(OVERVIEW, 'Create and Start');
    await says(workbench, 'Containers', `${lab.name('followed')}-2`, /\bUp\b/);
  });

  it('runs a container again at free ports, and opens the form after another one', async () => {
    const name = lab.name('web');
    await lab.ask('POST', `/containers/create?name=${name}`, {
      Image: lab.image,
      Cmd: ['sleep', '1000'],
      StopSignal: 'SIGKILL',
      ExposedPorts: { '80/tcp': {} },
      HostConfig: { PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '28095' }] } },
    });
    await lab.start(name);
    await says(workbench, 'Containers', name, /^Up/);
    await workbench.contextMenu(row(name), 'Run Again');
    const { message, detail } = await workbench.notices.modal();
    assert.equal(message, `Run ${name} again at other ports?`);
    assert.equal(detail, `The port 28095 is taken by ${name}.`);
    await shot('run-again');
    await workbench.notices.answer('Use Free Ports');
    await says(workbench, 'Containers', `${name}-2`, /^Up/);
    const { HostConfig } = await made(`${name}-2`);
    assert(Number(HostConfig.PortBindings['80/tcp']?.[0]?.HostPort) > 28095);
    await workbench.contextMenu(row(name), 'Duplicate with Changes…');
    await workbench.quick.asks(`Duplicate ${name}`);
    const values = await formValues(workbench);
    assert.equal(values['Name'], `${name}-3`);
    assert.equal(values['Command'], 'sleep 1000');
    assert.equal(values['Ports'], '127.0.0.1:28095:80');
    await tells(`The port 28095 is taken by ${name}.`);
    await shot('duplicate');
    await workbench.quick.pick(OVERVIEW, 'Create');
    await seen(workbench, 'Containers', `${name}-3`, ({ selected }) => selected);
  });

  /** Waits until the overview says something about its ends. */
  async function tells(text: string): Promise<void> {
    await workbench.quick.asks(OVERVIEW);
    await until(
      async () => (await workbench.quick.rows.first().innerText()).includes(text),
      `the form says: ${text}`,
    );
  }
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert(typeof address === 'object' && address);
  return address.port;
}
