// Reads credentials from where users store them, and presents them to a registry that requires them.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';

import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import type { RegistryAuth } from '../../src/engine/wire/registryAuth.ts';
import { parseEndpoint, type Machine } from '../../src/engine/http/endpoint.ts';
import { EngineError } from '../../src/engine/errors.ts';
import { removeImage } from '../../src/engine/images/images.ts';
import { pullImage } from '../../src/engine/images/pullImage.ts';
import { Secret } from '../../src/base/secret.ts';
import { checkSignIn, type SignInCheck } from '../../src/engine/registries/checkSignIn.ts';
import { CredentialHelpers } from '../../src/registries/credentialHelpers.ts';
import { findCredentials } from '../../src/registries/findCredentials.ts';
import { isRegistryRefusal, type FoundCredentials } from '../../src/registries/credentialSource.ts';
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
  after(() => connection.dispose());

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
    const ref = { registry: lockedRegistry, repository: 'gantry/tiny' };
    const helpers = new CredentialHelpers(machine);
    return findCredentials(ref, {
      machine,
      helpers,
      signIn: () => Promise.resolve(undefined),
    });
  };
  const pull = (auth?: RegistryAuth): Promise<unknown> =>
    pullImage(connection, { reference, ...(auth && { auth }) }, () => undefined);

  const ways: [what: string, put: () => void][] = [
    [
      "an entry of Docker's configuration file",
      () => {
        write(
          '.docker/config.json',
          JSON.stringify({ auths: { [lockedRegistry]: { auth: pair } } }),
        );
      },
    ],
    [
      'a credential helper',
      () => {
        helper('ours', { ServerURL: lockedRegistry, Username: username, Secret: password });
        write('.docker/config.json', '{"credsStore":"ours"}');
      },
    ],
    [
      "an entry of Podman's auth file for a part of the registry",
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
    it(`from ${what} are accepted in a pull`, async () => {
      put();
      const { auth, problems } = await find();
      assert.deepEqual(problems, []);
      assert.ok(auth);
      await pull(auth);
    });
  }

  it('that are missing or wrong are rejected with a message that is recognized', async () => {
    assert.equal((await find()).auth, undefined);
    for (const auth of [undefined, { username, password: WRONG, serveraddress: lockedRegistry }]) {
      const error: unknown = await pull(auth).catch((thrown: unknown) => thrown);
      assert.ok(isRegistryRefusal(error), inspect(error));
      assert.doesNotMatch(inspect(error, { depth: null, showHidden: true }), /canary/);
    }
  });

  it('are not blamed for other failures', async () => {
    const auth = { username, password, serveraddress: lockedRegistry };
    for (const name of [`${lockedRegistry}/gantry/nobodys:1`, '127.0.0.1:9/gantry/tiny:1']) {
      const pulling = pullImage(connection, { reference: name, auth }, () => undefined);
      const error: unknown = await pulling.catch((thrown: unknown) => thrown);
      assert.ok(error instanceof EngineError && !isRegistryRefusal(error), inspect(error));
    }
  });

  describe('that are verified', () => {
    const check = (serveraddress: string, secret: string): Promise<SignInCheck> =>
      checkSignIn(connection, { username, password: new Secret(secret), serveraddress });
    /** Podman only connects to the registry with TLS. */
    const canAsk = kind === 'docker';

    it('are reported as valid, if the engine can verify them', async () => {
      for (const host of [lockedRegistry, registry]) {
        assert.deepEqual(await check(host, password), { isChecked: canAsk });
      }
    });

    it('are reported as wrong, if the engine can verify them', async () => {
      const outcome = await check(lockedRegistry, WRONG).catch((error: unknown) => error);
      if (!canAsk) {
        assert.deepEqual(outcome, { isChecked: false });
        return;
      }
      assert.ok(outcome instanceof EngineError);
      assert.equal(outcome.reason, 'unauthorized');
      assert.doesNotMatch(inspect(outcome, { depth: null, showHidden: true }), /canary/);
    });

    it('are not reported as wrong if the registry cannot be reached', async () => {
      const error: unknown = await check('127.0.0.1:9', WRONG).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof EngineError);
      assert.equal(error.reason, 'failed');
      assert.match(error.message, /refused/);
    });
  });
});
