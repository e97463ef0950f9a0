// Credentials from where people keep them, shown to a registry that wants them.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';

import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import type { RegistryAuth } from '../../src/engine/registries/registryAuth.ts';
import { parseEndpoint, type Machine } from '../../src/engine/discovery/endpoint.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { removeImage } from '../../src/engine/images/images.ts';
import { pullImage } from '../../src/engine/images/pullImage.ts';
import { Secret } from '../../src/engine/secret.ts';
import { checkSignIn, type SignInCheck } from '../../src/engine/registries/checkSignIn.ts';
import { english } from '../../src/l10n.ts';
import { CredentialHelpers } from '../../src/registries/credentialHelpers.ts';
import { findCredentials } from '../../src/registries/findCredentials.ts';
import { isRegistryRefusal } from '../../src/registries/explainRefusal.ts';
import type { FoundCredentials } from '../../src/registries/credentialSource.ts';
import { bed } from '../bed/env.ts';

const WRONG = 'canary-wrong-password';

describe('credentials on a real engine', function () {
  this.timeout(30_000);
  const { username, password, lockedRegistry, registry, kind } = bed();
  const reference = `${lockedRegistry}/gantry/tiny:1`;
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  let connection: Connection;
  let home: string;

  before(() => {
    connection = openConnection(parseEndpoint(bed().socket, 'setting'));
  });
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'gantry-home-'));
  });
  afterEach(async () => {
    rmSync(home, { recursive: true });
    await removeImage(connection, reference, { force: true }).catch(() => undefined);
  });
  after(() => {
    connection.dispose();
  });

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const helper = (name: string, answer: object): void => {
    write(`bin/docker-credential-${name}`, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`);
    chmodSync(join(home, `bin/docker-credential-${name}`), 0o755);
  };
  const find = (): Promise<FoundCredentials> => {
    const env = { PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}` };
    const machine: Machine = { platform: 'linux', home, env, uid: 4_000_000 };
    const place = { registry: lockedRegistry, repository: 'gantry/tiny' };
    const helpers = new CredentialHelpers(machine);
    return findCredentials(place, {
      machine,
      helpers,
      signIn: () => Promise.resolve(undefined),
    });
  };
  const pull = (auth?: RegistryAuth): Promise<unknown> =>
    pullImage(connection, { reference, ...(auth && { auth }) }, english, () => undefined);

  const ways: [what: string, put: () => void][] = [
    [
      'an entry of Docker’s file',
      () => {
        write(
          '.docker/config.json',
          JSON.stringify({ auths: { [lockedRegistry]: { auth: pair } } }),
        );
      },
    ],
    [
      'a helper',
      () => {
        helper('ours', { ServerURL: lockedRegistry, Username: username, Secret: password });
        write('.docker/config.json', '{"credsStore":"ours"}');
      },
    ],
    [
      'an entry of Podman’s file for a part of the registry',
      () => {
        const auths = {
          [lockedRegistry]: { auth: Buffer.from(`${username}:${WRONG}`).toString('base64') },
          [`${lockedRegistry}/gantry`]: { auth: pair },
        };
        write('.config/containers/auth.json', JSON.stringify({ auths }));
      },
    ],
  ];
  for (const [what, put] of ways) {
    it(`are good in a pull from ${what}`, async () => {
      put();
      const { auth, problems } = await find();
      assert.deepEqual(problems, []);
      assert.ok(auth);
      await pull(auth);
    });
  }

  it('that are missing or wrong are refused in words that we know', async () => {
    assert.equal((await find()).auth, undefined);
    for (const auth of [undefined, { username, password: WRONG, serveraddress: lockedRegistry }]) {
      const error: unknown = await pull(auth).catch((thrown: unknown) => thrown);
      assert.ok(isRegistryRefusal(error), inspect(error));
      assert.doesNotMatch(inspect(error, { depth: null, showHidden: true }), /canary/);
    }
  });

  it('are no matter where something else is wrong', async () => {
    const auth = { username, password, serveraddress: lockedRegistry };
    for (const name of [`${lockedRegistry}/gantry/nobodys:1`, '127.0.0.1:9/gantry/tiny:1']) {
      const pulling = pullImage(connection, { reference: name, auth }, english, () => undefined);
      const error: unknown = await pulling.catch((thrown: unknown) => thrown);
      assert.ok(error instanceof EngineError && !isRegistryRefusal(error), inspect(error));
    }
  });

  describe('that are checked', () => {
    const check = (serveraddress: string, secret: string): Promise<SignInCheck> =>
      checkSignIn(connection, { username, password: new Secret(secret), serveraddress });
    /** Podman asks by TLS alone. */
    const canAsk = kind === 'docker';

    it('are known to be good, where the engine can ask', async () => {
      for (const host of [lockedRegistry, registry]) {
        assert.deepEqual(await check(host, password), { isChecked: canAsk });
      }
    });

    it('are known to be wrong, where the engine can ask', async () => {
      const outcome = await check(lockedRegistry, WRONG).catch((error: unknown) => error);
      if (!canAsk) {
        assert.deepEqual(outcome, { isChecked: false });
        return;
      }
      assert.ok(outcome instanceof EngineError);
      assert.equal(outcome.reason, 'unauthorized');
      assert.doesNotMatch(inspect(outcome, { depth: null, showHidden: true }), /canary/);
    });

    it('are not called wrong where nobody is there to ask', async () => {
      const error: unknown = await check('127.0.0.1:9', WRONG).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof EngineError);
      assert.equal(error.reason, 'failed');
      assert.match(error.message, /refused/);
    });
  });
});
