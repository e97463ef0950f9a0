import assert from 'node:assert/strict';
import { WorkQueue } from '../../../../src/base/time.ts';
import { addEngineCommand } from '../../../../src/commands/engines/addEngineCommand.ts';
import type { PickItem } from '../../../../src/commands/ui/ui.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import { contextFile, contextText, machineWith } from '../../engine/discovery/fakeFiles.ts';
import { openEngineLab, type EngineLab } from '../../support/engineLab.ts';
import { startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';
import { when } from '../../support/lab.ts';
import { ENTER, ESCAPE, file, give, pick, type Answer } from '../../support/scriptedUi.ts';

const ENTER_ADDRESS = pick('Enter Address...');
const HOME = '/home/me';
const NOBODY = '/run/gantry-test/nobody.sock';

/** So that there is something to select. */
const WITH_CONTEXT = machineWith({
  [contextFile('far')]: contextText('far', 'tcp://127.0.0.1:1'),
});

describe('adding an engine step by step', () => {
  let lab: EngineLab;
  let engine: FakeEngine;
  beforeEach(async () => {
    engine = await startFakeEngine();
    lab = await openEngineLab(WITH_CONTEXT);
    lab.register([addEngineCommand(lab.ui, lab.engines, lab.maker, new WorkQueue())]);
  });
  afterEach(async () => {
    lab.close();
    await engine.stop();
  });

  const add = (...answers: readonly Answer[]) => {
    lab.ui.act(...answers);
    return lab.run('gantry.engines.add');
  };
  const inputs = () => lab.ui.of('input').map(({ detail, input }) => [detail, input?.value]);
  const messages = () =>
    lab.ui.shown.filter(({ kind }) => ['info', 'warn', 'error'].includes(kind));

  it('validates an address while the user types', async () => {
    await add(ENTER_ADDRESS);
    const { problem } = lab.ui.of('input')[0]?.input ?? {};
    assert.match(problem?.('a b') ?? '', /"a b" is not a valid engine address/);
    assert.match(
      problem?.(`${'x'.repeat(300)} b`) ?? '',
      /^"x{40}…" is not a valid engine address/,
    );
    assert.equal(problem?.('ssh://me@build.example.com'), undefined);
    assert.equal(problem?.('context:far'), undefined);
  });

  it('takes an address that is typed into the list', async () => {
    const typed: Answer = ({ pick: question }) => question?.typedItem?.(engine.url);
    assert.deepEqual(await add(typed, give('second')), { outcome: 'added' });
    assert.deepEqual(lab.written.engines, { second: engine.url });
    const { typedItem } = lab.ui.of('pick')[0]?.pick ?? {};
    assert(typedItem);
    assert.equal(typedItem('tcp://127.0.0.1')?.label, 'Use tcp://127.0.0.1');
    assert.equal(typedItem('far'), undefined);
    assert.equal(typedItem('a b:c')?.isDisabled, true);
  });

  it('does not add an address twice', async () => {
    await add(ENTER_ADDRESS, give(engine.url), give('second'));
    await lab.engines.named('second')?.engine.check();
    await add(ENTER_ADDRESS);
    const { problem } = lab.ui.of('input').at(-1)?.input ?? {};
    assert.equal(problem?.(engine.url), 'Already added as second.');
  });

  it('begins at the address if no engine is found', async () => {
    lab.close();
    lab = await openEngineLab();
    lab.register([addEngineCommand(lab.ui, lab.engines, lab.maker, new WorkQueue())]);
    await add(give(engine.url), give('second'));
    assert.deepEqual(lab.ui.of('pick'), []);
    assert.deepEqual(inputs()[0], [
      'No engine was found. Enter the address of a container engine',
      '',
    ]);
    assert.deepEqual(lab.written.engines, { second: engine.url });
    assert.equal(await add(ESCAPE), undefined);
  });

  it('goes back one step on Escape, then cancels without a message', async () => {
    assert.equal(await add(ENTER_ADDRESS, ESCAPE, ESCAPE), undefined);
    assert.deepEqual(
      lab.ui.shown.map(({ kind, detail }) => [kind, detail]),
      [
        ['pick', 'Select an engine or enter an address'],
        ['input', 'Address of the container engine'],
        ['pick', 'Select an engine or enter an address'],
      ],
    );
    assert.deepEqual(lab.written.engines, {});
  });

  it('keeps all values if the engine cannot be reached, and adds one that can', async () => {
    const added = await add(
      ...[ENTER_ADDRESS, give(NOBODY), give('second'), give('Edit...')],
      ...[give(engine.url), give('second')],
    );
    assert.deepEqual(added, { outcome: 'added' });
    const [failed] = lab.ui.of('choose');
    assert.equal(failed?.text, 'Could not connect to second');
    assert.match(failed.detail ?? '', /socket unix:.*nobody\.sock not found/);
    assert.deepEqual(failed.buttons, ['Edit...', 'Add Anyway']);
    assert.deepEqual(inputs().slice(0, 3), [
      ['Address of the container engine', ''],
      ['Name of this engine in Gantry', 'nobody'],
      ['Address of the container engine', NOBODY],
    ]);
    assert.deepEqual(lab.written.engines, { second: engine.url });
    assert.deepEqual(
      lab.engines.all.map(({ name }) => name),
      ['Default', 'second'],
    );
    assert.deepEqual(
      messages().map(({ text }) => text),
      ['Added second: Docker 20.10.24'],
    );
  });

  it('keeps an engine that got the name during the test', async () => {
    const other = { second: NOBODY };
    engine.ping((_, response) => {
      lab.written.engines = other;
      response.writeHead(200, { 'api-version': '1.41', server: 'Docker/20.10.24' }).end('OK');
    });
    assert.equal(await add(ENTER_ADDRESS, give(engine.url), give('second')), undefined);
    assert.deepEqual(lab.written.engines, other);
    assert.match(messages()[0]?.text ?? '', /An engine named "second" already exists/);
  });

  it('keeps the SSH tunnel of the test open for the engine', async () => {
    const events: string[] = [];
    const open = () => Promise.resolve(engine.socket);
    lab.close();
    lab = await openEngineLab(WITH_CONTEXT, (_transport, url) => {
      events.push(`open ${url}`);
      return {
        open,
        enter: async () => ({ path: await open(), leave: () => undefined }),
        isNarrow: false,
        retry: () => undefined,
        dispose: () => events.push(`dispose ${url}`),
      };
    });
    lab.register([addEngineCommand(lab.ui, lab.engines, lab.maker, new WorkQueue())]);
    assert.deepEqual(await add(ENTER_ADDRESS, give('ssh://nas'), ENTER), { outcome: 'added' });
    assert.deepEqual(events, ['open ssh://nas']);
  });

  it('asks for the TLS mode of a TCP address, accepts another answer, and adds it despite a failure', async () => {
    const added = await add(
      ...[
        ENTER_ADDRESS,
        give('tcp://127.0.0.1:1'),
        pick('TLS without certificate verification'),
        ESCAPE,
      ],
      ...[pick('No TLS'), give('third'), give('Add Anyway')],
    );
    assert.deepEqual(added, { outcome: 'added' });
    const asked = lab.ui.of('pick').filter(({ detail }) => detail?.startsWith('Select how to'));
    assert.deepEqual(
      asked.map(({ detail, active }) => [detail, active?.label]),
      [
        [
          'Select how to encrypt the connection',
          'No TLS (unless set by Docker environment variables)',
        ],
        ['Select how to encrypt the connection', 'TLS without certificate verification (insecure)'],
      ],
    );
    assert.deepEqual(lab.written.engines, { third: 'tcp://127.0.0.1:1' });
    assert.deepEqual(
      messages().map(({ text }) => text),
      ['Added third.'],
    );
  });

  it('stores that certificates are not verified', async () => {
    await add(
      ...[
        ENTER_ADDRESS,
        give('tcp://127.0.0.1:1'),
        pick('TLS without certificate verification'),
        ENTER,
      ],
      give('Add Anyway'),
    );
    const host = 'tcp://127.0.0.1:1';
    assert.deepEqual(lab.written.engines, { '127.0.0.1:1': { host, skipTlsVerify: true } });
  });

  it('adds nothing if the user cancels after a failure', async () => {
    assert.equal(await add(ENTER_ADDRESS, give(NOBODY), ENTER, ESCAPE), undefined);
    assert.deepEqual(lab.written.engines, {});
    assert.deepEqual(messages(), []);
  });

  it('adds a valid engine for an argument, without a test or a message', async () => {
    const call = (argument: object) => lab.run('gantry.engines.add', argument);
    assert.deepEqual(await call({ name: 'far', host: ` ${NOBODY} ` }), { outcome: 'added' });
    await assert.rejects(
      call({ name: 'far', host: NOBODY }),
      /An engine named "far" already exists/,
    );
    await assert.rejects(call({ name: 'Default', host: NOBODY }), /"Default" already exists/);
    await assert.rejects(call({ name: ' ', host: NOBODY }), /The engine name is empty/);
    await assert.rejects(
      call({ name: 'wrong', host: 'a b' }),
      /"a b" is not a valid engine address/,
    );
    const both = { name: 'wrong', host: NOBODY, skipTlsVerify: true };
    await assert.rejects(call(both), /only supported for tcp:\/\/ addresses/);
    assert.deepEqual(lab.written.engines, { far: NOBODY });
    assert.deepEqual(lab.ui.shown, []);
  });

  it('adds several engines at once, and none twice', async () => {
    const { settings } = lab.ui;
    const { setEngines } = settings;
    Object.assign(settings, {
      // As in VS Code, the new value can be read only after the write.
      setEngines: async (all: Readonly<Record<string, unknown>>) => {
        await Promise.resolve();
        await setEngines(all);
      },
    });
    const call = (name: string) => lab.run('gantry.engines.add', { name, host: NOBODY });
    const added = await Promise.allSettled(['a', 'b', 'a'].map(call));
    assert.deepEqual(
      added.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    );
    assert.deepEqual(lab.written.engines, { a: NOBODY, b: NOBODY });
  });

  it('rejects a name in the settings even if no engine has it yet', async () => {
    lab.written.engines = { later: NOBODY };
    const adding = lab.run('gantry.engines.add', { name: 'later', host: NOBODY });
    await assert.rejects(adding, /An engine named "later" already exists/);
  });

  it('shows what is wrong with a certificate folder, and asks for the TLS mode again', async () => {
    const folder = pick('TLS with a certificate folder');
    await add(
      ...[ENTER_ADDRESS, give('tcp://127.0.0.1:1'), folder, give([]), folder],
      ...[give([file('/nothing')]), pick('No TLS'), ENTER, give('Add Anyway')],
    );
    assert.deepEqual(
      messages().map(({ kind, text }) => [kind, text.slice(0, 40)]),
      [
        ['warn', 'No usable certificates in /nothing. Add '],
        ['info', 'Added 127.0.0.1:1.'],
      ],
    );
    assert.deepEqual(lab.written.engines, { '127.0.0.1:1': 'tcp://127.0.0.1:1' });
  });
});

describe('adding a detected engine', () => {
  const nas = {
    ...{ kind: 'ssh', host: 'nas', user: 'core', socket: '/run/podman.sock', identity: '/k/nas' },
  };
  let lab: EngineLab;
  let opened: unknown[];
  beforeEach(async () => {
    opened = [];
    const URI = 'ssh://core@nas/run/podman.sock';
    const Connections = { bad: { URI: 'http://h' }, nas: { URI, Identity: '/k/nas' } };
    const machine = machineWith({
      [contextFile('far')]: contextText('far', 'tcp://127.0.0.1:1'),
      [`${HOME}/.config/containers/podman-connections.json`]: JSON.stringify({
        Connection: { Connections },
      }),
    });
    lab = await openEngineLab(machine, (transport) => {
      opened.push(transport);
      throw new EngineError('sshRefused');
    });
    lab.register([addEngineCommand(lab.ui, lab.engines, lab.maker, new WorkQueue())]);
  });
  afterEach(() => lab.close());

  let offered: readonly PickItem[];
  const found =
    (name: string): Answer =>
    async ({ pick }) => {
      // The search runs while the list is already open.
      await when(() => pick?.isBusy?.() === false);
      offered = typeof pick?.items === 'function' ? pick.items('') : [];
      return offered.find(({ label }) => label === name);
    };

  it('uses the key of a Podman connection, and does not offer it again', async () => {
    lab.ui.act(found('nas'), ENTER, give('Add Anyway'));
    assert.deepEqual(await lab.run('gantry.engines.add'), { outcome: 'added' });
    assert.deepEqual(opened, [nas]);
    assert.deepEqual(lab.written.engines, { nas: 'ssh://core@nas/run/podman.sock' });
    lab.ui.act(found('nas'));
    await lab.run('gantry.engines.add');
    assert.deepEqual(
      offered.map(({ label }) => label),
      ['Enter Address...', 'far'],
    );
  });

  it('uses its address, and asks only for the name', async () => {
    lab.ui.act(found('far'), ENTER, give('Add Anyway'));
    assert.deepEqual(await lab.run('gantry.engines.add'), { outcome: 'added' });
    assert.deepEqual(
      lab.ui.of('input').map(({ detail, input }) => [detail, input?.value]),
      [['Name of this engine in Gantry', 'far']],
    );
    assert.deepEqual(lab.written.engines, { far: 'context:far' });
  });
});
