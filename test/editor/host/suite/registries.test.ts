import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
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
import { at, inspect as inspectContainer, raw } from '../kit/engine.ts';
import { useLab } from '../kit/lab.ts';
import { inLocked, offerInRegistry } from '../kit/registry.ts';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** Podman only connects to a registry with TLS, which the bed's registry does not support. */
const CAN_ASK = bed().kind === 'docker';
const VARIABLES = ['DOCKER_CONFIG', 'DOCKER_AUTH_CONFIG', 'PATH'];

describe('registries', () => {
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

  const signIn = (more: object = {}): ReturnType<typeof run<'registries.signIn'>> =>
    run('registries.signIn', { registry: lockedRegistry, username, password, ...more });

  /** Installs a credential helper for all registries that runs this shell script. */
  const useHelper = (script: string): void => {
    const program = join(folder, 'docker-credential-ours');
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(folder, 'config.json'), '{"credsStore":"ours"}');
  };

  it('have images that are pulled by tag, by digest, and to create a container', async () => {
    const reference = await offerInRegistry(lab.name());
    const pulled = await run('images.pull', { reference });
    assert.match(pulled.imageId, DIGEST);
    const listed = (await run('images.list', {})).find(({ tags }) => tags.includes(reference));
    assert.equal(listed?.id, pulled.imageId);
    // Podman does not report which digest of an image with several belongs to this pull.
    if (pulled.digest === undefined) assert.ok(!CAN_ASK);
    else {
      const byDigest = reference.replace(/:1$/, `@${pulled.digest}`);
      assert.deepEqual(await run('images.pull', { reference: byDigest }), pulled);
    }
    await run('images.remove', { id: reference, force: true });
    const { id } = await run('containers.create', { image: reference, name: lab.name() });
    assert.equal(at(await inspectContainer(id), 'Config', 'Image'), reference);
  });

  it("are signed in to with the Docker CLI's config.json", async () => {
    const reference = inLocked(await offerInRegistry(lab.name()));
    const auth = Buffer.from(`${username}:${password}`).toString('base64');
    const entry = JSON.stringify({ auths: { [lockedRegistry]: { auth } } });
    writeFileSync(join(folder, 'config.json'), entry);
    const { id } = await run('containers.create', { image: reference, name: lab.name() });
    assert.equal(at(await inspectContainer(id), 'Config', 'Image'), reference);
  });

  it('get images, which can be pulled again, and may have newer ones', async () => {
    const id = await lab.image();
    const as = `${lockedRegistry}/${lab.name()}:1`;
    const auth = { username, password, serveraddress: lockedRegistry };
    await refusal(run('images.push', { id, as }), /auth|denied/i);
    const pushed = await run('images.push', { id, as, auth });
    assert.equal(pushed.reference, as);
    assert.match(pushed.digest!, DIGEST);
    await signIn();
    const again = await run('images.pullAgain', { id: as });
    assert.equal(again.imageId, at(await raw('GET', `/images/${id}/json`), 'Id'));
    const checking = run('images.checkNewer', { id: as });
    if (CAN_ASK) assert.equal((await checking).outcome, 'current');
    else await refusal(checking, /cannot check registries/);
  });

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
    // Podman cannot verify a sign-in, and one comes before the helper.
    await run('registries.signOut', { registry: lockedRegistry });
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
