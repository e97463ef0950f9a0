import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDisplayedWhole, displayText, displayTitle } from '../../../src/plainText.ts';
import {
  formatItem,
  formatLines,
  formatNames,
  formatReason,
  formatReasons,
  formatMessages,
} from '../../../src/commands/displayText.ts';
import { errorMessage } from '../../../src/commands/errorMessages.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { formatRequestPath } from '../../../src/engine/http/requestRecord.ts';
import { english } from '../../../src/l10n.ts';
import { HIDDEN, HOSTILE } from '../support/hostile.ts';

/** What the editor makes a link of in a message or a prompt. */
const LINK = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+/i;
const COMMAND = '[Click here](command:workbench.action.quit)';

describe('what is handed to the editor', () => {
  for (const { name, text } of HOSTILE) {
    it(`has nothing hidden in it: ${name}`, () => {
      const item = formatItem({ label: text, description: text, detail: text });
      for (const one of [displayText(text), ...Object.values(item)])
        assert.doesNotMatch(one, HIDDEN);
    });
  }

  it('is no link, in no message', () => {
    for (const apart of ['', '\u200b', '\0', '\x1b[1m', '\u202e'])
      assert.doesNotMatch(displayText(COMMAND.replace('](', `]${apart}(`)), LINK);
  });

  it('is no icon, in no item to pick', () => {
    const item = formatItem({ label: '$(trash)', description: '$(a)', detail: '$(b~spin)', id: 1 });
    const expected = { label: '\\$(trash)', description: '\\$(a)', detail: '\\$(b~spin)', id: 1 };
    assert.deepEqual(item, expected);
  });
});

describe('modal questions and errors', () => {
  const SRC = join(import.meta.dirname, '../../../src/commands');
  // Which bounds its lines itself.
  const DETAILS = 'registerViewCommands.ts';

  it('are shown by the functions that bound them alone', () => {
    const direct = /\bwindow\s*\.show(?:Warning|Error|Information)Message\b/;
    const files = globSync('**/*.ts', { cwd: SRC }).filter(
      (file) => file !== 'notifications.ts' && file !== DETAILS,
    );
    assert(files.length > 80, String(files.length));
    assert.deepEqual(
      files.filter((file) => direct.test(readFileSync(join(SRC, file), 'utf8'))),
      [],
    );
  });

  it('have parts and titles of one bounded line each', () => {
    const text = `${'a '.repeat(3000)}\nNothing is lost.`;
    const parts = [formatReason(text), displayTitle(text), formatItem({ label: text }).label];
    for (const part of parts) assert(part.length <= 1001 && !part.includes('\n'), part);
  });
});

describe('lists of what others wrote', () => {
  const many = Array.from({ length: 230 }, (_, at) => `${at}\n${'x'.repeat(2000)}`);

  it('are the first ones, each bounded, and how many more there are', () => {
    const lines = formatLines(many, english).split('\n');
    assert.deepEqual([lines.length, lines.at(-1)], [21, 'And 210 more.']);
    assert(lines.every((line) => line.length <= 401));
    assert.equal(formatLines(['a', 'b'], english), 'a\nb');
    assert.match(formatMessages(many, english), /^0 x+… .*4 x+… And 225 more\.$/);
    assert.match(formatReasons(many, english), /^0 x+… · .*4 x+… · 225 more$/);
  });
});

describe("an engine's explanation", () => {
  for (const { name, text } of HOSTILE) {
    it(`is shaped however it comes to be an error: ${name}`, () => {
      const error = new EngineError('failed', { engineMessage: text });
      for (const one of [error.message, error.engineMessage ?? '', errorMessage(error, english)])
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
    assert.match(errorMessage(error, english), /GET \/containers\/json/);
  });
});

describe('the request log', () => {
  it('has one line for a request, whatever is in it', () => {
    for (const { text } of HOSTILE) {
      const path = formatRequestPath('/x', { name: `${text}\nGET /forged 200` });
      assert.doesNotMatch(path, HIDDEN);
      assert.doesNotMatch(path, /\n/);
    }
  });

  it('is a list of a bounded length, whatever the names are', () => {
    assert.equal(formatNames(['a', 'b'], english), 'a, b');
    const many = Array.from({ length: 220 }, (_, at) => `name-${at}`);
    assert.equal(formatNames(many, english, 2), 'name-0, name-1 and 218 more');
    const hostile = many.map((name) => `${name}\nThis is harmless.\n${'x'.repeat(5000)}`);
    const shown = formatNames(hostile, english);
    assert.doesNotMatch(shown, /\n/);
    assert.ok(shown.length < 1200, String(shown.length));
  });

  it('is refused as a question if its end would not be seen', () => {
    assert.ok(isDisplayedWhole(`${'line\n'.repeat(20)}end`));
    assert.ok(!isDisplayedWhole('\n'.repeat(3000)));
    assert.ok(!isDisplayedWhole('x'.repeat(4001)));
  });
});
