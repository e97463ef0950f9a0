import assert from 'node:assert/strict';
import { asQuestion } from '../../../src/engine/ssh/sshQuestion.ts';
import type * as sshQuestions from '../../../src/engines/showSshPrompt.ts';
import { act, give, shown } from '../support/fakeEditor.ts';
import { settle } from '../support/lab.ts';

const FINGERPRINT = `SHA256:${'aB3/'.repeat(10)}xyz`;
const PROMPT = `The authenticity of host 'nas' can't be established.
ED25519 key fingerprint is ${FINGERPRINT}.
Are you sure you want to continue connecting (yes/no/[fingerprint])? `;

describe('prompts of ssh', () => {
  let ask: typeof sshQuestions.showSshPrompt;
  let oneAtATime: typeof sshQuestions.oneAtATime;
  before(async () => {
    ({ oneAtATime, showSshPrompt: ask } = await import('../../../src/engines/showSshPrompt.ts'));
  });

  const answered = (prompt: string, host = 'me@nas:22'): Promise<string | undefined> => {
    act(give('Connect'));
    return ask(asQuestion(prompt, '', host), new AbortController().signal);
  };

  it('show the full fingerprint of a host key', async () => {
    assert.equal(await answered(PROMPT), 'yes');
    assert.equal(shown()[0]?.text, 'Connect to me@nas:22?');
    assert(shown()[0]?.detail?.includes(`fingerprint is ${FINGERPRINT}.\n`));
  });

  const refused: readonly (readonly [what: string, prompt: string, host?: string])[] = [
    ['prompt has too many characters', 'x'.repeat(4000) + PROMPT],
    ['prompt has too many control sequences', `first\n${'\x1b[0m'.repeat(5000)}${PROMPT}`],
    ['prompt has too many lines', '\n-'.repeat(40) + PROMPT],
    ['host name has too many characters', PROMPT, `me@${'nas.'.repeat(100)}example:22`],
  ];
  for (const [what, prompt, host] of refused) {
    it(`are neither shown nor answered if the ${what}`, async () => {
      assert.equal(await answered(prompt, host), undefined);
      assert.deepEqual(
        shown().map(({ kind, text }) => [kind, text]),
        [['error', 'The SSH prompt is too long to show. It was not answered.']],
      );
    });
  }

  it('for a password are one line of limited length without links', async () => {
    act(give('secret'));
    const prompt = `[Password](command:x)\n${'for you '.repeat(1000)}`;
    const question = asQuestion(prompt, '', `me@${'nas.'.repeat(1000)}`);
    assert.equal(await ask(question, new AbortController().signal), 'secret');
    const [input] = shown();
    const { text = '', detail = '' } = input ?? {};
    assert.match(detail, /^\[Password\] \(command:x\) for you .*…$/);
    assert(Math.max(text.length, detail.length) < 420);
  });

  it('are not answered if ssh has exited before the user agrees', async () => {
    const ending = new AbortController();
    act(() => {
      ending.abort();
      return 'Connect';
    });
    assert.equal(await ask(asQuestion(PROMPT, '', 'me@nas:22'), ending.signal), undefined);
  });

  it('are shown one after the other, unless ssh has exited by then', async () => {
    const first = Promise.withResolvers<string>();
    act(() => first.promise, give('second'));
    const asked = oneAtATime(ask);
    const gone = new AbortController();
    const { signal } = new AbortController();
    const answers = [
      asked(asQuestion('Password:', '', 'a'), signal),
      asked(asQuestion('Password:', '', 'b'), gone.signal),
      asked(asQuestion('Password:', '', 'c'), signal),
    ];
    const titles = (): readonly string[] => shown().map(({ text }) => text);
    await settle();
    assert.deepEqual(titles(), ['Log In to a']);
    gone.abort();
    first.resolve('first');
    assert.deepEqual(await Promise.all(answers), ['first', undefined, 'second']);
    assert.deepEqual(titles(), ['Log In to a', 'Log In to c']);
  });

  it('without an answer are shown until ssh continues', async () => {
    act();
    const ending = new AbortController();
    const notice = { ...asQuestion('Touch the key', '', 'me@nas:22'), kind: 'notice' } as const;
    let isOver = false;
    const asked = Promise.resolve(ask(notice, ending.signal)).then(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      shown().map(({ kind, text }) => [kind, text]),
      [['progress', 'me@nas:22: Touch the key']],
    );
    assert.equal(isOver, false);
    ending.abort();
    await asked;
  });
});
