import assert from 'node:assert/strict';
import { Consent } from '../../../../src/commands/credentials/consent.ts';
import { RegistryAccess } from '../../../../src/commands/credentials/registryAccess.ts';
import { parseEndpoint } from '../../../../src/engine/http/endpoint.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { Connection } from '../../../../src/engine/http/connection.ts';
import { Secret } from '../../../../src/base/secret.ts';
import type { FoundCredentials } from '../../../../src/registries/credentialSource.ts';
import { fakeMemento } from '../../support/commandLab.ts';
import { give, ScriptedUi } from '../../support/scriptedUi.ts';

const AUTH = { username: 'me', password: new Secret('pa:ss'), serveraddress: 'r.example.org' };
const REF = { registry: 'r.example.org', repository: 'me/app' };

describe('credentials for an engine with an unencrypted connection', () => {
  let ui: ScriptedUi;
  let access: RegistryAccess;
  let logged: string[];
  let found: FoundCredentials;
  beforeEach(() => {
    ui = new ScriptedUi();
    logged = [];
    found = { auth: AUTH, source: { kind: 'signIn' }, problems: [] };
    const write = (line: string) => void logged.push(line);
    access = new RegistryAccess(ui, {
      find: () => Promise.resolve(found),
      signInService: undefined as never,
      consent: new Consent(fakeMemento(), ui),
      log: { info: write, warn: write },
    });
  });

  const connection = { endpoint: parseEndpoint('tcp://10.0.0.5:2375', 'setting') } as Connection;
  const use = (isInteractive: boolean, given?: typeof AUTH) =>
    access.withAuth({ connection, ref: REF, isInteractive, given }, (auth) =>
      Promise.resolve(auth?.username),
    );

  it('are sent after the user consents once', async () => {
    ui.act(give('Send Credentials'));
    assert.equal(await use(true), 'me');
    assert.equal(await use(true), 'me');
    assert.equal(await use(false, { ...AUTH, username: 'given' }), 'given');
    assert.equal(ui.of('confirm').length, 1);
    assert.match(ui.of('confirm')[0]?.text ?? '', /unencrypted to tcp:\/\/10\.0\.0\.5:2375\?$/);
  });

  it('are not sent if the user does not consent, and the log records it', async () => {
    assert.equal(await use(true), undefined);
    assert.equal(ui.of('confirm').length, 1);
    assert.deepEqual(logged, [
      'Credentials for r.example.org: signed in with Gantry',
      'Credentials were not sent because the connection to tcp://10.0.0.5:2375 is not encrypted.',
    ]);
  });

  it('are not sent for a script, without asking', async () => {
    assert.equal(await use(false), undefined);
    assert.deepEqual(ui.shown, []);
  });

  it('cause an error if they were given in an argument', async () => {
    await assert.rejects(
      use(false, AUTH),
      /not encrypted\. Pull the image once from the Images view to allow it\.$/,
    );
  });

  it('need no consent if there are none', async () => {
    found = { source: { kind: 'none' }, problems: [] };
    assert.equal(await use(true), undefined);
    assert.deepEqual(ui.of('confirm'), []);
  });
});

describe('credentials that a registry rejects', () => {
  it('are asked for once, also if several requests need them', async () => {
    const ui = new ScriptedUi();
    const log = { info: () => undefined, warn: () => undefined };
    const access = new RegistryAccess(ui, {
      find: () => Promise.resolve({ source: { kind: 'none' }, problems: [] }),
      signInService: undefined as never,
      consent: new Consent(fakeMemento(), ui),
      log,
    });
    const connection = { endpoint: parseEndpoint('unix:///x.sock', 'setting') } as Connection;
    const refusal = new EngineError('failed', { engineMessage: 'unauthorized: log in' });
    const pull = (): Promise<unknown> =>
      access.withAuth({ connection, ref: REF, isInteractive: true }, () => Promise.reject(refusal));
    const results = await Promise.allSettled([pull(), pull()]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(
      ui.of('confirm').map(({ text }) => text),
      ['Sign in to r.example.org?'],
    );
    await assert.rejects(pull());
    assert.equal(ui.of('confirm').length, 2);
  });
});

describe('a registry that the engine cannot reach', () => {
  it('is named in sentences, and the log has the words of the engine', async () => {
    const logged: string[] = [];
    const write = (line: string) => void logged.push(line);
    const ui = new ScriptedUi();
    const access = new RegistryAccess(ui, {
      find: () => Promise.resolve({ source: { kind: 'none' }, problems: [] }),
      signInService: undefined as never,
      consent: new Consent(fakeMemento(), ui),
      log: { info: () => undefined, warn: write },
    });
    const connection = { endpoint: parseEndpoint('unix:///x.sock', 'setting') } as Connection;
    const engineMessage = 'Get "https://r/v2/": dial tcp: lookup r: no such host';
    const error = new EngineError('failed', { engineMessage });
    const asking = access.withAuth({ connection, ref: REF, isInteractive: true }, () =>
      Promise.reject(error),
    );
    await assert.rejects(asking, {
      message:
        'The engine cannot reach r.example.org (host not found). Check the name and the DNS settings of the engine.',
      cause: error,
    });
    assert.deepEqual(logged, [engineMessage]);
  });
});
