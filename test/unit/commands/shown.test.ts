import assert from 'node:assert/strict';
import { shownItem, shownText } from '../../../src/commands/shown.ts';
import { describeError } from '../../../src/commands/sentences.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { shownPath } from '../../../src/engine/requestRecord.ts';
import { english } from '../../../src/l10n.ts';
import { HIDDEN, HOSTILE } from '../support/hostile.ts';

/** What the editor makes a link of in a message or a prompt. */
const LINK = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+/i;
const COMMAND = '[Click here](command:workbench.action.quit)';

describe('what is handed to the editor', () => {
  for (const { name, text } of HOSTILE) {
    it(`has nothing hidden in it: ${name}`, () => {
      const item = shownItem({ label: text, description: text, detail: text });
      for (const one of [shownText(text), ...Object.values(item)]) assert.doesNotMatch(one, HIDDEN);
    });
  }

  it('is no link, in no message', () => {
    for (const apart of ['', '\u200b', '\0', '\x1b[1m', '\u202e'])
      assert.doesNotMatch(shownText(COMMAND.replace('](', `]${apart}(`)), LINK);
  });

  it('is no icon, in no item to pick', () => {
    const item = shownItem({ label: '$(trash)', description: '$(a)', detail: '$(b~spin)', id: 1 });
    const expected = { label: '\\$(trash)', description: '\\$(a)', detail: '\\$(b~spin)', id: 1 };
    assert.deepEqual(item, expected);
  });
});

describe("an engine's explanation", () => {
  for (const { name, text } of HOSTILE) {
    it(`is shaped however it comes to be an error: ${name}`, () => {
      const error = new EngineError('failed', { engineMessage: text });
      for (const one of [error.message, error.engineMessage ?? '', describeError(error, english)])
        assert.doesNotMatch(one, HIDDEN);
    });
  }

  it('is cut where it is pages long', () => {
    assert.equal(
      new EngineError('failed', { engineMessage: 'x'.repeat(1e6) }).message.length,
      4001,
    );
  });

  it('names what was asked where the answer is too large', () => {
    const error = new EngineError('tooLarge', { operation: 'GET /containers/json' });
    assert.match(describeError(error, english), /GET \/containers\/json/);
  });
});

describe('the request log', () => {
  it('has one line for a request, whatever is in it', () => {
    for (const { text } of HOSTILE) {
      const path = shownPath('/x', { name: `${text}\nGET /forged 200` });
      assert.doesNotMatch(path, HIDDEN);
      assert.doesNotMatch(path, /\n/);
    }
  });
});
