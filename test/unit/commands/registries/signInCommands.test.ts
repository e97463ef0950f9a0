import assert from 'node:assert/strict';
import {
  signInCommand,
  signOutCommand,
} from '../../../../src/commands/registries/signInCommands.ts';
import { LOCKED, openRegistryLab, USER, type RegistryLab } from '../../support/registryLab.ts';

describe('the sign-in commands', () => {
  let lab: RegistryLab;
  beforeEach(async () => (lab = await openRegistryLab()));
  afterEach(() => lab.close());

  const signIn = (more: object = {}) =>
    lab.call(signInCommand(lab.ui), { registry: LOCKED, ...USER, ...more });
  const signOut = () => lab.call(signOutCommand(lab.ui), { registry: LOCKED });

  it('store credentials in VS Code, or in the credential helper if the argument selects it', async () => {
    assert.deepEqual(await signIn(), { outcome: 'signedIn', checked: true });
    assert.equal(lab.secrets.size, 1);
    assert.deepEqual([...lab.helped], []);
    await signIn({ keepIn: 'helper' });
    assert.deepEqual([...lab.helped], [[`ours ${LOCKED}`, USER.password]]);
    assert(![...lab.secrets.values()].join().includes(USER.password));
    assert.deepEqual(lab.ui.shown, []);
  });

  it('erase credentials from the helper when they are stored in VS Code', async () => {
    await signIn({ keepIn: 'helper' });
    await signIn({ keepIn: 'editor' });
    assert.deepEqual([...lab.helped], []);
  });

  it('erase credentials from the helper when another one is configured and stores them', async () => {
    await signIn({ keepIn: 'helper' });
    lab.nameHelper('theirs');
    await signIn({ keepIn: 'helper' });
    assert.deepEqual([...lab.helped], [[`theirs ${LOCKED}`, USER.password]]);
    assert.deepEqual(await signOut(), { outcome: 'signedOut' });
    assert.deepEqual([...lab.helped], []);
  });

  it('keep credentials in the helper if another one fails or has the same store', async () => {
    await signIn({ keepIn: 'helper' });
    const stored = [[`ours ${LOCKED}`, USER.password]];
    lab.nameHelper('broken');
    await assert.rejects(signIn({ keepIn: 'helper' }), /docker-credential-broken/);
    assert.deepEqual([...lab.helped], stored);
    lab.nameHelper('same');
    await signIn({ keepIn: 'helper' });
    assert.deepEqual([...lab.helped], stored);
  });

  it('sign out wherever the credentials are stored, and return if there are none', async () => {
    for (const keepIn of ['editor', 'helper']) {
      await signIn({ keepIn });
      assert.deepEqual(await signOut(), { outcome: 'signedOut' });
      assert.deepEqual([...lab.helped], []);
      assert.deepEqual(await signOut(), { outcome: 'alreadySignedOut' });
    }
  });

  it('report once that the helper is missing, and then forget the sign-in', async () => {
    await signIn({ keepIn: 'helper' });
    (lab.helped as Map<string, string>).clear();
    await assert.rejects(signOut(), /docker-credential-ours/);
    assert.deepEqual(await signOut(), { outcome: 'alreadySignedOut' });
  });

  it('store nothing for rejected or incomplete credentials', async () => {
    await assert.rejects(signIn({ password: 'wrong' }), /rejected the user name or password/);
    const needed = /A user name and a password are required/;
    await assert.rejects(signIn({ username: ' ' }), needed);
    await assert.rejects(signIn({ password: '' }), needed);
    assert.equal(lab.asked('/auth').length, 1);
    lab.nameHelper('');
    await assert.rejects(signIn({ keepIn: 'helper' }), /No credential helper is configured/);
    assert.deepEqual(await signOut(), { outcome: 'alreadySignedOut' });
  });

  it('report that there is no sign-in if the user wants to sign out', async () => {
    assert.equal(await lab.run(signOutCommand(lab.ui)), undefined);
    const [said, ...others] = lab.ui.shown;
    assert.deepEqual(others, []);
    assert.equal(said?.kind, 'info');
    assert.match(said.text, /^You are not signed in to any registry in Gantry\./);
  });
});
