import assert from 'node:assert/strict';
import { pullCommand } from '../../../../src/commands/registries/pullCommand.ts';
import {
  signInCommand,
  signOutCommand,
} from '../../../../src/commands/registries/signInCommands.ts';
import { json } from '../../support/fakeEngine.ts';
import { ESCAPE, give, pick, type, type Answer } from '../../support/scriptedUi.ts';
import {
  IMAGE,
  LOCKED,
  openRegistryLab,
  pullsAny,
  USER,
  whoAsks,
  type RegistryLab,
} from '../../support/registryLab.ts';

const REFERENCE = `${LOCKED}/me/app:1`;
const WRONG = 'not-this-one';
const KEEP_HERE = 'VS Code secret storage';

describe('signing in to a registry', () => {
  let lab: RegistryLab;
  beforeEach(async () => (lab = await openRegistryLab()));
  afterEach(() => lab.close());

  const pull = (...answers: readonly Answer[]) => {
    lab.ui.shown.length = 0;
    lab.ui.act(type(REFERENCE), ...answers);
    return lab.run(pullCommand());
  };
  const accept = give('Sign In');
  const name = give(USER.username);
  const password = give(USER.password);
  const keep = pick(KEEP_HERE);
  const credentials = [accept, name, password, keep];
  const pulls = () => lab.asked('/images/create');

  it('is offered if a registry rejects a pull, which then continues with the credentials', async () => {
    assert.deepEqual(await pull(...credentials), { imageId: IMAGE });
    const [offer] = lab.ui.of('confirm');
    assert.equal(offer?.text, `Sign in to ${LOCKED}?`);
    assert.deepEqual(offer.buttons, ['Sign In']);
    assert.equal(offer.detail, `${LOCKED} denied access, and no credentials for it were found.`);
    const serveraddress = LOCKED;
    assert.deepEqual(
      pulls().map(({ headers }) => whoAsks(headers['x-registry-auth'])),
      [undefined, { ...USER, serveraddress }],
    );
    assert.deepEqual(lab.revealed, [REFERENCE]);
    assert.deepEqual(lab.ui.of('error'), []);
  });

  it('does not blame valid credentials for a mistyped name', async () => {
    const denied = 'denied: requested access to the resource is denied';
    await lab.close();
    lab = await openRegistryLab((request, response) => {
      if (request.path !== '/images/create') return pullsAny(request, response);
      json(response, 404, { message: `pull access denied, repository does not exist: ${denied}` });
    });
    assert.equal(await pull(...credentials, ESCAPE), undefined);
    assert.deepEqual(
      lab.ui.of('confirm').map(({ detail }) => detail),
      [
        `${LOCKED} denied access, and no credentials for it were found. The repository may not exist.`,
        `${LOCKED} denied access with the credentials (signed in with Gantry). The repository may not exist.`,
      ],
    );
  });

  it('asks again after a wrong password, with the user name filled in', async () => {
    let before: string | undefined;
    await pull(
      ...[accept, name, give(WRONG), give('Try Again')],
      ({ input }) => (before = input?.value),
      ...[give(USER.password), keep],
    );
    const [failed] = lab.ui.of('choose');
    assert.equal(failed?.text, `Could not sign in to ${LOCKED}`);
    assert.equal(failed.detail, `${LOCKED} rejected the user name or password.`);
    assert.deepEqual(failed.buttons, ['Try Again']);
    assert.equal(before, USER.username);
    assert.equal(pulls().length, 2);
  });

  it('hides the password, and asks where to store it', async () => {
    await pull(...credentials);
    const secrets = lab.ui.of('input').map(({ detail, input }) => [detail, input?.isSecret]);
    assert.deepEqual(secrets, [
      ['User name', undefined],
      ['Password or access token', true],
    ]);
    const asked = lab.ui.of('pick').at(-1);
    assert.equal(asked?.detail, 'Where to store the credentials');
    assert.deepEqual(
      asked.items?.map(({ label }) => label),
      [KEEP_HERE, 'docker-credential-ours'],
    );
  });

  it('is remembered until the user signs out', async () => {
    await pull(...credentials);
    await pull();
    assert.deepEqual(lab.ui.of('confirm'), []);
    assert.equal(pulls().length, 3);
    lab.ui.act(pick(LOCKED));
    assert.deepEqual(await lab.run(signOutCommand(lab.ui)), { outcome: 'signedOut' });
    assert.equal(lab.ui.of('info').at(-1)?.text, `Signed out of ${LOCKED}.`);
    assert.equal(await pull(ESCAPE), undefined);
    assert.equal(lab.ui.of('confirm').length, 1);
    const [error] = lab.ui.of('error');
    assert.match(
      error?.text ?? '',
      /^Could not pull the image: .* no credentials for it were found/,
    );
  });

  it('asks for the registry if run from the palette, and accepts its URL', async () => {
    lab.ui.act(type(`http://${LOCKED}/v2/`), name, password, keep);
    const done = await lab.run(signInCommand(lab.ui));
    assert.deepEqual(done, { outcome: 'signedIn', checked: true });
    const [asked] = lab.ui.of('pick');
    assert.equal(asked?.text, 'Sign In to a Registry');
    assert.match(asked.detail ?? '', /^Registry, for example/);
    assert.equal(lab.ui.of('input')[0]?.text, `Sign In to ${LOCKED}`);
    assert.equal(lab.ui.of('info')[0]?.text, `Signed in to ${LOCKED}.`);
    assert(await pull());
    assert.deepEqual(lab.ui.of('confirm'), []);
  });

  it('shows in the list what is wrong with a registry, and does not accept it', async () => {
    await lab.run(signInCommand(lab.ui));
    const row = lab.ui.of('pick')[0]?.pick?.typedItem?.('two words');
    assert.equal(
      row?.label,
      '"two words" is not a registry. Use the form host or host:port, for example ghcr.io.',
    );
    assert.equal(row.isDisabled, true);
    assert.deepEqual(lab.engine.seen, []);
  });

  it('leaves no password in messages or logs, and only the stored one in the storage', async () => {
    await pull(accept, name, give(WRONG), give('Try Again'), name, password, keep);
    const shown = lab.ui.shown.map(({ text, detail, buttons }) => [text, detail, buttons]);
    const secrets = [WRONG, USER.password].flatMap((secret) => [
      secret,
      Buffer.from(`${USER.username}:${secret}`).toString('base64').slice(0, -4),
    ]);
    const said = JSON.stringify([shown, lab.logged]);
    for (const secret of secrets) assert(!said.includes(secret), said);
    await pull();
    assert.equal(lab.logged.at(-1), `Credentials for ${LOCKED}: signed in with Gantry`);
    assert(![...lab.secrets.values()].join().includes(WRONG));
  });
});
