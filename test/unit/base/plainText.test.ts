import assert from 'node:assert/strict';
import {
  oneLine,
  plainText,
  visibleJson,
  withoutControls,
  withoutIcons,
  withoutLinks,
  withoutUrlPasswords,
} from '../../../src/base/plainText.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { HOSTILE, HIDDEN } from '../support/hostile.ts';

/** So many characters that anything but linear time would take minutes. */
const LONG = 300_000;

describe('oneLine', () => {
  it('leaves plain text unchanged, also in other scripts', () => {
    for (const text of ['web', 'a b', 'http://x/?a=b&c', 'größe', '東京', 'مرحبا', '🐳', '']) {
      assert.equal(oneLine(text), text);
    }
  });

  for (const { name, text, line } of HOSTILE) {
    it(`returns one harmless line for text with ${name}`, () => {
      assert.equal(oneLine(text), line);
      assert.doesNotMatch(oneLine(text), HIDDEN);
    });
  }

  it('truncates between characters, and only if the text is too long', () => {
    assert.equal(oneLine('🐳'.repeat(5), 4), '🐳🐳🐳🐳…');
    assert.equal(oneLine('🐳'.repeat(5), 5), '🐳'.repeat(5));
    assert.equal(oneLine('x'.repeat(401)), `${'x'.repeat(400)}…`);
  });

  it('leaves no lone surrogate of a truncated text', () => {
    assert.equal(oneLine('a\ud83d').isWellFormed(), true);
    assert.equal(oneLine(`x${'\u200b'.repeat(1598)}🐳`).isWellFormed(), true);
  });
});

describe('plainText', () => {
  it('keeps line breaks, and sanitizes each line', () => {
    assert.equal(plainText('one\r\n\ttwo \x1b[31mred\x1b[0m\n\u202ethree'), 'one\n two red\nthree');
  });

  it('has a limit', () => assert.equal(plainText('x'.repeat(5000)).length, 4001));

  it('leaves nothing hidden', () => {
    for (const { text } of HOSTILE) assert.doesNotMatch(plainText(text), HIDDEN);
  });
});

describe('withoutControls', () => {
  it('keeps the joiners that scripts and emoji need', () => {
    assert.equal(withoutControls('👩\u200d💻 می\u200cخواهم'), '👩\u200d💻 می\u200cخواهم');
  });

  it('removes overrides and invisible letters from a log', () => {
    assert.equal(withoutControls('a\u202eb\u2066c\u200fd\u2028e\u{e0041}f'), 'abcdef');
  });
});

describe('withoutLinks', () => {
  const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)/i;

  it('breaks links, and keeps their text', () => {
    assert.equal(withoutLinks('[x](command:a)'), '[x] (command:a)');
    assert.equal(withoutLinks('[x]](command:a)[y]((z)'), '[x]] (command:a)[y] ((z)');
  });

  it('leaves no link that hidden characters split', () => {
    for (const apart of ['\u200b', '\u202e', '\x1b[0m', '\0', '\u{e0020}', '\n']) {
      const text = `[x]${apart}(command:workbench.action.quit)`;
      assert.doesNotMatch(withoutLinks(oneLine(text)), LINK);
      assert.doesNotMatch(withoutLinks(plainText(text)).replaceAll('\n', ' '), LINK);
    }
  });
});

describe('withoutIcons', () => {
  it('escapes icons', () => {
    assert.equal(
      withoutIcons('sh -c $(date) $$(x) $ (y) a$b $(sync~spin)'),
      'sh -c \\$(date) $\\$(x) $ (y) a$b \\$(sync~spin)',
    );
  });

  it('leaves what VS Code does not take for an icon, as it would show the backslash', () => {
    const command = 'i=$((i+1)); x=$(date +%s); $(a b) $() $(a~) $(~b) $(';
    assert.equal(withoutIcons(command), command);
  });
});

describe('withoutUrlPasswords', () => {
  it('hides the password of each URL, also one with odd characters, and nothing else', () => {
    const shown = [
      ['http_proxy=http://me:p%40ss@proxy:3128', 'http_proxy=http://me:…@proxy:3128'],
      ['("socks5://:p@ss:w@h/a@b")', '("socks5://:…@h/a@b")'],
      ['http://a:1@x,http://b:2@y é', 'http://a:…@x,http://b:…@y é'],
      ['ssh://me@host:22/x', 'ssh://me@host:22/x'],
      ['http://host:80/a:b@c http://[::1]:2375', 'http://host:80/a:b@c http://[::1]:2375'],
      ['me:pw@host, a://b c:d@e', 'me:pw@host, a://b c:d@e'],
      ['docker-image://alpine:3.18@sha256:ab', 'docker-image://alpine:3.18@sha256:ab'],
    ] as const;
    for (const [text, expected] of shown) assert.equal(withoutUrlPasswords(text), expected);
  });

  it('hides what is left of a password where a text was cut', () => {
    assert.equal(
      withoutUrlPasswords(oneLine('RUN http://me:hunter2@proxy', 18)),
      'RUN http://me:…',
    );
    assert.equal(withoutUrlPasswords('http://me:hunter2@pro…'), 'http://me:…');
    assert.equal(withoutUrlPasswords('http://me:… http://ho…'), 'http://me:… http://ho…');
  });

  it('is applied to what an engine says, and to a document', () => {
    const engineMessage = 'invalid HTTP_PROXY=http://me:hunter2@proxy';
    const { message } = new EngineError('failed', { engineMessage });
    assert.equal(message, 'invalid HTTP_PROXY=http://me:…@proxy');
    assert.match(visibleJson({ Env: [engineMessage] }), /=http:\/\/me:…@proxy"/);
  });
});

describe('visibleJson', () => {
  it('means the same, with all characters visible', () => {
    const value = { '\u202ea': 'b\u2028\u{e0041}\x1b\x9f🐳', c: [1, null] };
    const text = visibleJson(value);
    assert.deepEqual(JSON.parse(text), value);
    assert.doesNotMatch(text, HIDDEN);
    assert.match(text, /\\u202ea.*\\u2028\\udb40\\udc41\\u001b\\u009f🐳/);
  });
});

describe('the time to sanitize hostile text', () => {
  const parts = '\x1b],\x1b[,\x9b0;, ,\n,\t ,\u0301,\u200b,](,$(,\r,\udb40,://,://a:b,:'.split(',');
  for (const part of parts) {
    it(`is linear in its length: ${JSON.stringify(part)}`, function () {
      // Generous: a run that is not linear would not end at all.
      this.timeout(20_000);
      const text = part.repeat(LONG / part.length);
      for (const shape of [withoutControls, withoutLinks, withoutIcons, withoutUrlPasswords])
        shape(text);
      oneLine(text, LONG);
      plainText(text, LONG);
    });
  }
});
