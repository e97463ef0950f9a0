import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { inspect } from 'node:util';
import * as vscode from 'vscode';
import { bed } from '../../../bed/env.ts';
import { until } from '../../../bed/until.ts';
import { LINES_FILE } from '../lines.ts';
import { refusal, run } from '../kit/commands.ts';
import { useLab } from '../kit/lab.ts';
import { inLocked, offerInRegistry } from '../kit/registry.ts';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** Podman only connects to a registry with TLS, which the bed's registry does not support. */
const CAN_ASK = bed().kind === 'docker';
const VARIABLES = ['DOCKER_CONFIG', 'DOCKER_AUTH_CONFIG', 'PATH'];

describe('gantry.registries', () => {
  const lab = useLab('registries');
  const { username, password, lockedRegistry, registry } = bed();
  const before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-config-'));
    process.env['DOCKER_CONFIG'] = folder;
    process.env['PATH'] = `${folder}${delimiter}${before['PATH'] ?? ''}`;
  });
  afterEach(async () => {
    for (const one of [lockedRegistry, registry])
      await run('registries.signOut', { registry: one });
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    rmSync(folder, { recursive: true });
  });

  const signIn = (
    more: object = {},
  ): Promise<{ readonly outcome: string; readonly checked: boolean }> =>
    run('registries.signIn', { registry: lockedRegistry, username, password, ...more });

  /**
   * Installs a credential helper for all registries that runs this shell script; returns the path of its data
   * file.
   */
  const useHelper = (script: string): string => {
    const kept = join(folder, 'kept');
    const program = join(folder, 'docker-credential-ours');
    writeFileSync(program, `#!/bin/sh\nkept='${kept}'\n${script}\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(folder, 'config.json'), '{"credsStore":"ours"}');
    return kept;
  };

  it('allows pulls after a sign-in, but not after a sign-out', async () => {
    const reference = inLocked(await offerInRegistry(lab.name()));
    await refusal(run('images.pull', { reference }), /no credentials for it were found/);
    assert.deepEqual(await signIn(), { outcome: 'signedIn', checked: CAN_ASK });
    assert.match((await run('images.pull', { reference })).imageId, DIGEST);
    const out = { registry: lockedRegistry };
    assert.deepEqual(await run('registries.signOut', out), { outcome: 'signedOut' });
    assert.deepEqual(await run('registries.signOut', out), { outcome: 'alreadySignedOut' });
    await refusal(run('images.pull', { reference }), /no credentials for it were found/);
  });

  it('does not keep a wrong password if the engine can verify it', async () => {
    const reference = inLocked(await offerInRegistry(lab.name()));
    const wrong = signIn({ password: 'canary-wrong' });
    if (CAN_ASK) {
      const words = await refusal(wrong, /rejected the user name or password/);
      assert.doesNotMatch(words, /canary/);
      await refusal(run('images.pull', { reference }), /no credentials for it were found/);
    } else {
      assert.deepEqual(await wrong, { outcome: 'signedIn', checked: false });
      const words = await refusal(run('images.pull', { reference }), /\(signed in with Gantry\)/);
      assert.doesNotMatch(words, /canary/);
    }
  });

  it("prefers Gantry's credentials to those of the Docker CLI", async () => {
    const reference = inLocked(await offerInRegistry(lab.name()));
    const auth = Buffer.from(`${username}:an-old-one`).toString('base64');
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ auths: { [lockedRegistry]: { auth } } }),
    );
    await refusal(run('images.pull', { reference }), /rejected the credentials .*config\.json/);
    await signIn();
    assert.match((await run('images.pull', { reference })).imageId, DIGEST);
  });

  it("uses the user's credential helper, and reports its failures", async () => {
    const reference = inLocked(await offerInRegistry(lab.name()));
    const answer = JSON.stringify({ Username: username, Secret: password });
    useHelper(`test "$(cat)" = '${lockedRegistry}' && echo '${answer}'`);
    assert.match((await run('images.pull', { reference })).imageId, DIGEST);
    const troubles: [script: string, words: RegExp][] = [
      [
        `echo '${JSON.stringify({ Username: '<token>', Secret: 'canary-expired' })}'`,
        /credential helper ours in \S+\), which may have expired/,
      ],
      [
        'echo canary-rubbish',
        /Unexpected response from the credential helper docker-credential-ours/,
      ],
      ['echo canary-failure; exit 1', /docker-credential-ours failed/],
      ['exec yes canary-flood', /docker-credential-ours returned too much output/],
      ['echo credentials not found in native keychain; exit 1', /no credentials for it were found/],
    ];
    for (const [script, words] of troubles) {
      useHelper(script);
      assert.doesNotMatch(await refusal(run('images.pull', { reference }), words), /canary/);
    }
    rmSync(join(folder, 'docker-credential-ours'));
    await refusal(
      run('images.pull', { reference }),
      /Credential helper docker-credential-ours \(set in .*\) not found/,
    );
  });

  it('stores credentials in the helper, and erases them on sign-out', async () => {
    const reference = inLocked(await offerInRegistry(lab.name()));
    const kept = useHelper(
      'case $1 in store) cat > "$kept";; get) cat "$kept";; erase) rm "$kept";; esac',
    );
    assert.deepEqual(await signIn({ keepIn: 'helper' }), { outcome: 'signedIn', checked: CAN_ASK });
    const entry = { ServerURL: lockedRegistry, Username: username, Secret: password };
    assert.deepEqual(JSON.parse(readFileSync(kept, 'utf8')), entry);
    assert.match((await run('images.pull', { reference })).imageId, DIGEST);
    const out = { registry: lockedRegistry };
    assert.deepEqual(await run('registries.signOut', out), { outcome: 'signedOut' });
    assert.ok(!existsSync(kept));
    // A missing helper is reported only once.
    await signIn({ keepIn: 'helper' });
    rmSync(join(folder, 'docker-credential-ours'));
    await refusal(
      run('registries.signOut', out),
      /Credential helper docker-credential-ours \(set in .*\) not found/,
    );
    assert.deepEqual(await run('registries.signOut', out), { outcome: 'alreadySignedOut' });
  });

  it('rejects invalid arguments before any request', async () => {
    const refusals: [args: object, words: RegExp][] = [
      [{ registry: '' }, /registry is empty/],
      [{ registry: 'two words' }, /"two words" is not a registry/],
      [{ registry: 'https://alice:canary@r.io' }, /Remove the user name/],
      [{ username: ' ' }, /A user name and a password are required/],
      [{ password: '' }, /A user name and a password are required/],
      [{ password: 7 }, /"password" must be a string/],
      [{ keepIn: 'drawer' }, /"keepIn" must be one of "editor", "helper"/],
      [{ keepIn: 'helper' }, /No credential helper is configured/],
      [{ pasword: 'canary' }, /unknown property "pasword"/],
    ];
    for (const [args, words] of refusals) {
      assert.doesNotMatch(await refusal(signIn(args), words), /canary/);
    }
    await refusal(run('registries.signOut', { registry: 'a b' }), /is not a registry/);
  });

  it('leaves no secret in a log, a setting, an error or a file', async () => {
    const canary = `canary-${randomUUID()}`;
    const open = await offerInRegistry(lab.name());
    const reference = inLocked(open);
    const errors: unknown[] = [];
    const note = async (work: Promise<unknown>): Promise<void> => {
      await work.catch((error: unknown) => errors.push(error));
    };
    const auth = { username, password: canary, serveraddress: lockedRegistry };
    // The open registry accepts any password, so this stores one as valid.
    await signIn({ registry, password: canary });
    await run('images.pull', { reference: open });
    await note(signIn({ password: canary }));
    await note(run('images.pull', { reference, auth }));
    useHelper(`echo '${JSON.stringify({ Username: 'alice', Secret: canary })}'`);
    await note(run('images.pull', { reference }));
    useHelper(`echo '${JSON.stringify({ Username: '<token>', Secret: canary })}'`);
    await note(run('images.pull', { reference }));
    useHelper(`echo '${canary}'; echo '${canary}' >&2; exit 1`);
    await note(run('images.pull', { reference }));
    assert.ok(errors.length >= 4, inspect(errors));
    // Also the encoded forms that were sent to the registry.
    const pair = Buffer.from(`${username}:${canary}`).toString('base64');
    const header = Buffer.from(JSON.stringify(auth)).toString('base64').slice(0, -4);
    const secrets = [canary, pair.slice(0, -4), header];
    assertNone('an error', inspect(errors, { depth: null, showHidden: true }), secrets);
    for (const error of errors) assertNone('an error', JSON.stringify(error), secrets);
    const documents = vscode.workspace.textDocuments.map((one) => one.getText()).join('\n');
    assertNone('a document', documents, secrets);
    const settings = inspect(vscode.workspace.getConfiguration('gantry'), { depth: null });
    assertNone('the settings', settings, secrets);
    await assertNoFileHas(secrets);
  });

  /** Searches everything that VS Code has written in this run: logs, settings, state. */
  const assertNoFileHas = async (secrets: readonly string[]): Promise<void> => {
    const isTold = (text: string): boolean =>
      text.includes(`Credentials for ${lockedRegistry}: credential helper ours in `) &&
      text.includes(`Credentials for ${registry}: signed in with Gantry`) &&
      text.includes('The credential helper docker-credential-ours failed.');
    // The log is written with a delay; wait until the expected lines are in it.
    await until(
      () => filesOf('**/*.log').some((file) => isTold(readIfThere(file))),
      'the log names the registry that responded',
      15_000,
    );
    const files = filesOf('**/*').filter((file) => !file.startsWith(folder));
    assert.ok(files.length > 5, String(files.length));
    for (const file of files) assertNone(file, readIfThere(file), secrets);
  };
});

/** Returns the files of this run: those of the test run outside, and those of a server with its own folder. */
function filesOf(pattern: string): readonly string[] {
  const server = dirname(tmpdir());
  const isServed = basename(server).startsWith('gantry-vscode-');
  const roots = [dirname(process.env[LINES_FILE] ?? ''), ...(isServed ? [server] : [])];
  return roots
    .flatMap((cwd) => globSync(pattern, { cwd }).map((file) => join(cwd, file)))
    .filter(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** VS Code and the browser delete files at any time. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

function assertNone(where: string, text: string, secrets: readonly string[]): void {
  for (const secret of secrets) assert.ok(!text.includes(secret), `A secret is in ${where}`);
}
