import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDisplayedWhole, displayText, displayTitle } from '../../../../src/base/plainText.ts';
import {
  formatItemText,
  formatLines,
  formatNames,
  formatReason,
  formatReasons,
  formatMessages,
} from '../../../../src/commands/ui/formatNames.ts';
import { errorMessage } from '../../../../src/commands/ui/errorMessage.ts';
import { EngineError } from '../../../../src/engine/errors.ts';
import { formatRequestPath } from '../../../../src/engine/http/requestRecord.ts';
import { HIDDEN, HOSTILE } from '../../support/hostile.ts';

/** What VS Code shows as a link in a message or a prompt. */
const LINK = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+/i;
const COMMAND = '[Click here](command:workbench.action.quit)';

describe('text passed to VS Code', () => {
  for (const { name, text } of HOSTILE) {
    it(`is sanitized if it contains ${name}`, () => {
      for (const one of [displayText(text), formatItemText(text)]) assert.doesNotMatch(one, HIDDEN);
    });
  }

  it('contains no link, in any message', () => {
    for (const apart of ['', '\u200b', '\0', '\x1b[1m', '\u202e'])
      assert.doesNotMatch(displayText(COMMAND.replace('](', `]${apart}(`)), LINK);
  });

  it('contains no icon, in any quick pick item', () => {
    assert.equal(formatItemText('$(trash)'), '\\$(trash)');
    assert.equal(formatItemText('$(b~spin)'), '\\$(b~spin)');
  });
});

describe('modal questions and errors', () => {
  const SRC = join(import.meta.dirname, '../../../../src');

  it('are shown only by the files that limit them', () => {
    const direct = /\bwindow\s*\.show(?:Warning|Error|Information)Message\b/;
    const textOf = (file: string): string => readFileSync(join(SRC, file), 'utf8');
    const files = globSync('**/*.ts', { cwd: SRC }).filter((file) => direct.test(textOf(file)));
    assert.deepEqual(files.sort(), [
      'app/editorUi.ts',
      'engines/showSshPrompt.ts',
      'logviewer/editorActions.ts',
      'output/terminal/terminalTrust.ts',
    ]);
    for (const file of files) assert.match(textOf(file), /\bdisplayText\(/, file);
  });

  it('have parts and titles of one line of limited length', () => {
    const text = `${'a '.repeat(3000)}\nNothing is lost.`;
    const parts = [formatReason(text), displayTitle(text), formatItemText(text)];
    for (const part of parts) assert(part.length <= 1001 && !part.includes('\n'), part);
  });
});

describe('lists of untrusted texts', () => {
  const many = Array.from({ length: 230 }, (_, at) => `${at}\n${'x'.repeat(2000)}`);

  it('contain the first entries, truncated, and how many more there are', () => {
    const lines = formatLines(many).split('\n');
    assert.deepEqual([lines.length, lines.at(-1)], [21, 'And 210 more.']);
    assert(lines.every((line) => line.length <= 401));
    assert.equal(formatLines(['a', 'b']), 'a\nb');
    assert.match(formatMessages(many), /^0 x+… .*4 x+… And 225 more\.$/);
    assert.match(formatReasons(many), /^0 x+… · .*4 x+… · 225 more$/);
  });
});

describe("an engine's error message", () => {
  for (const { name, text } of HOSTILE) {
    it(`is sanitized in every error if it contains ${name}`, () => {
      const error = new EngineError('failed', { engineMessage: text });
      for (const one of [error.message, error.engineMessage ?? '', errorMessage(error)])
        assert.doesNotMatch(one, HIDDEN);
    });
  }

  it('is truncated if it is pages long', () => {
    assert.equal(
      new EngineError('failed', { engineMessage: 'x'.repeat(1e6) }).message.length,
      4001,
    );
  });

  it('names the request if the response is too large', () => {
    const error = new EngineError('tooLarge', { operation: 'GET /containers/json' });
    assert.match(errorMessage(error), /GET \/containers\/json/);
  });
});

describe('text of limited size', () => {
  it('is one line for each request in the log, whatever it contains', () => {
    for (const { text } of HOSTILE) {
      const path = formatRequestPath('/x', { name: `${text}\nGET /forged 200` });
      assert.doesNotMatch(path, HIDDEN);
      assert.doesNotMatch(path, /\n/);
    }
  });

  it('is a short list, whatever the names are', () => {
    assert.equal(formatNames(['a', 'b']), 'a, b');
    const many = Array.from({ length: 220 }, (_, at) => `name-${at}`);
    assert.equal(formatNames(many, 2), 'name-0, name-1 and 218 more');
    const hostile = many.map((name) => `${name}\nThis is harmless.\n${'x'.repeat(5000)}`);
    const shown = formatNames(hostile);
    assert.doesNotMatch(shown, /\n/);
    assert.ok(shown.length < 1200, String(shown.length));
  });

  it('is rejected as a question if its end would not be visible', () => {
    assert.ok(isDisplayedWhole(`${'line\n'.repeat(20)}end`));
    assert.ok(!isDisplayedWhole('\n'.repeat(3000)));
    assert.ok(!isDisplayedWhole('x'.repeat(4001)));
  });
});
