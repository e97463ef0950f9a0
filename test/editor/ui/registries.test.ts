import assert from 'node:assert/strict';
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
import { delimiter, dirname, join } from 'node:path';
import { bed } from '../../bed/env.ts';
import { ask } from '../../bed/http.ts';
import { until, type Workbench } from '../../bed/vscode/workbench.ts';
import { openWorkbench, shotOnFailure, type Editor } from '../harness.ts';

const WRONG = 'canary-wrong-password';

describe('signing in to a registry', function () {
  this.timeout(90_000);
  let editor: Editor;
  let workbench: Workbench;
  let folder: string;
  const { lockedRegistry, username, password, socket } = bed();
  const reference = `${lockedRegistry}/gantry/tiny:1`;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-sign-in-'));
    // A helper that has nothing, but could be handed something.
    const helper = join(folder, 'docker-credential-ours');
    writeFileSync(helper, '#!/bin/sh\necho credentials not found in native keychain; exit 1\n');
    chmodSync(helper, 0o755);
    writeFileSync(join(folder, 'config.json'), '{"credsStore":"ours"}');
    await forget();
    const PATH = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
    editor = await openWorkbench({ env: { PATH, DOCKER_CONFIG: folder } });
    ({ workbench } = editor);
    await workbench.openView('Gantry');
  });

  shotOnFailure(() => editor);

  after(async () => {
    await editor.close();
    await forget();
    rmSync(folder, { recursive: true });
  });

  const forget = (): Promise<unknown> =>
    ask(socket, 'DELETE', `/v1.41/images/${reference}?force=1`);
  const isHere = async (): Promise<boolean> =>
    (await ask(socket, 'GET', `/v1.41/images/${reference}/json`)).status === 200;
  /** The row for what is typed comes a moment after it. */
  const typeRow = async (prompt: string, text: string): Promise<void> => {
    const { quick } = workbench;
    await quick.asks(prompt);
    await quick.box.fill(text);
    await quick.row(text).click();
  };
  const pull = async (): Promise<void> => {
    await workbench.quick.run('Gantry: Pull Image…');
    await typeRow('An image, for example', reference);
  };
  const signIn = async (secret: string): Promise<void> => {
    const { quick } = workbench;
    await quick.asks('Your user name');
    await quick.type('Your user name', username);
    await quick.asks('Your password');
    assert.equal(await quick.box.getAttribute('type'), 'password');
    await quick.type('Your password', secret);
  };
  const keepHere = (): Promise<void> =>
    workbench.quick.pick('Where is the sign-in to be kept?', "In VS Code's storage for secrets");

  it('is offered where a pull is refused, and the pull goes on', async () => {
    const { notices } = workbench;
    await pull();
    const { message, detail } = await notices.modal();
    assert.equal(message, `Sign in to ${lockedRegistry}?`);
    assert.match(detail, /refused, and no credentials for it were found: /);
    await workbench.shot('registries/offer');
    await notices.answer('Sign In');
    await signIn(WRONG);
    const failed = await notices.modal();
    assert.equal(failed.message, `Could not sign in to ${lockedRegistry}`);
    assert.match(failed.detail, /does not accept this name and password/);
    await notices.answer('Try Again');
    assert.equal(await boxAt('Your user name'), username);
    await signIn(password);
    await workbench.quick.asks('Where is the sign-in to be kept?');
    await workbench.shot('registries/where');
    await keepHere();
    await until(isHere, 'the image is here');
  });

  it('is remembered until the person signs out', async () => {
    const { quick, notices } = workbench;
    await forget();
    await pull();
    await until(isHere, 'the image is here again');
    await quick.run('Gantry: Sign Out of a Registry…');
    await quick.pick('Sign Out of a Registry', lockedRegistry);
    await notices.says(`Signed out of ${lockedRegistry}.`);
    await notices.clear();
    await forget();
    await pull();
    await notices.modal();
    await notices.answer('Cancel');
    assert.match(
      await notices.says('Could not pull the image'),
      /no credentials for it were found/,
    );
    await notices.clear();
    assert.ok(!(await isHere()));
  });

  it('can be begun from the palette, where the registry is asked for', async () => {
    const { quick, notices } = workbench;
    await quick.run('Gantry: Sign In to a Registry…');
    await quick.asks('The registry, for example');
    await quick.box.fill('two words');
    await quick
      .row('"two words" is not a registry. Write it as host or host:port, for example ghcr.io.')
      .waitFor();
    await typeRow('The registry, for example', `http://${lockedRegistry}/v2/`);
    await quick.asks(`Sign In to ${lockedRegistry}`);
    await signIn(password);
    await keepHere();
    await notices.says(`Signed in to ${lockedRegistry}.`);
    await notices.clear();
  });

  it('leaves no password in any file, nor in what the window says', () => {
    const root = dirname(editor.served.userDataDir);
    const files = globSync('**/*', { cwd: root })
      .map((file) => join(root, file))
      .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
    const texts = files.map((file) => [file, readFileSync(file, 'latin1')] as const);
    assert.ok(texts.some(([, text]) => text.includes(`Credentials for ${lockedRegistry}: `)));
    const said: readonly (readonly [string, string])[] = [
      ...texts,
      ['the console', editor.complaints.join('\n')],
    ];
    const pair = (secret: string): string =>
      Buffer.from(`${username}:${secret}`).toString('base64').slice(0, -4);
    for (const secret of [WRONG, password, pair(WRONG), pair(password)]) {
      for (const [where, text] of said) assert.ok(!text.includes(secret), where);
    }
  });

  const boxAt = async (prompt: string): Promise<string> => {
    await workbench.quick.asks(prompt);
    return workbench.quick.box.inputValue();
  };
});
