import assert from 'node:assert/strict';
import { asQuestion } from '../../../../src/engine/ssh/sshQuestion.ts';

const UNKNOWN_HOST =
  "The authenticity of host '[127.0.0.1]:22 ([127.0.0.1]:22)' can't be established.\n" +
  'ED25519 key fingerprint is SHA256:abc+/def.\n' +
  'Are you sure you want to continue connecting (yes/no/[fingerprint])? ';

describe('an ssh question', () => {
  it('asks for text if it is for a password or passphrase', () => {
    for (const prompt of ["me@nas's password: ", "Enter passphrase for key '/k': ", 'Code? '])
      assert.equal(asQuestion(prompt, '', 'nas').kind, 'password');
  });

  it('asks for confirmation of an unknown host, with the fingerprint on a line of its own', () => {
    const question = asQuestion(UNKNOWN_HOST, '', 'nas');
    assert.equal(question.kind, 'confirm');
    assert.match(question.prompt, /^ED25519 key fingerprint is SHA256:abc\+\/def\.$/m);
    assert.equal(asQuestion('Continue (yes/no)? ', '', 'nas').kind, 'confirm');
  });

  it('has the kind of the hint from ssh', () => {
    assert.equal(asQuestion('Allow use of key x?', 'confirm', 'nas').kind, 'confirm');
    assert.equal(asQuestion('Confirm user presence', 'none', 'nas').kind, 'notice');
  });

  it('is sanitized and limited in length', () => {
    const { prompt } = asQuestion(
      `\u001b]0;x\u0007Pass\u202eword\r\n${'y'.repeat(90_000)}`,
      '',
      'nas',
    );
    assert.match(prompt, /^Password\ny+…$/);
    assert(prompt.length < 10_000);
  });

  it('knows whether it can be shown in full, even if the removed part is invisible', () => {
    assert(asQuestion(UNKNOWN_HOST, '', 'nas').isWhole);
    assert(!asQuestion(`a\n${'\x1b[0m'.repeat(5000)}${UNKNOWN_HOST}`, '', 'nas').isWhole);
    assert(!asQuestion(UNKNOWN_HOST, '', 'nas.'.repeat(200)).isWhole);
  });
});
