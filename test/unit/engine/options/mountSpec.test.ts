import assert from 'node:assert/strict';

import { InputError } from '../../../../src/engine/errors.ts';
import { formatBind, parseMount } from '../../../../src/engine/options/mountSpec.ts';
import { english } from '../../../../src/l10n.ts';

describe('engine/mountSpec', () => {
  const good: [text: string, kind: string, source: string, target: string, options: string[]][] = [
    ['/srv/data:/data', 'bind', '/srv/data', '/data', []],
    ['/srv/data:/data:ro', 'bind', '/srv/data', '/data', ['ro']],
    ['/srv:/d:rw', 'bind', '/srv', '/d', ['rw']],
    ['/srv:/d:ro,z', 'bind', '/srv', '/d', ['ro', 'z']],
    ['/:/host:ro', 'bind', '/', '/host', ['ro']],
    ['/with space/ü:/d', 'bind', '/with space/ü', '/d', []],
    ['cache:/var/cache', 'volume', 'cache', '/var/cache', []],
    ['my.vol_1-x:/v:ro', 'volume', 'my.vol_1-x', '/v', ['ro']],
    ['C:\\Users\\me:/data', 'bind', 'C:\\Users\\me', '/data', []],
    ['c:/Users/me:/data:ro', 'bind', 'c:/Users/me', '/data', ['ro']],
    ['C:\\a:D:\\b:ro', 'bind', 'C:\\a', 'D:\\b', ['ro']],
    ['\\\\.\\pipe\\x:\\\\.\\pipe\\x', 'bind', '\\\\.\\pipe\\x', '\\\\.\\pipe\\x', []],
  ];
  for (const [text, kind, source, target, options] of good) {
    it(`reads ${text} and writes it the same`, () => {
      const mount = parseMount(text, english);
      assert.deepEqual(mount, { kind, source, target, options });
      assert.equal(formatBind(mount), text);
    });
  }

  const bad: [text: string, sentence: RegExp][] = [
    ['', /^"" is not a mount/],
    ['/data', /^"\/data" is not a mount/],
    ['cache', /is not a mount/],
    [':/data', /is not a mount/],
    ['/data:', /is not a mount/],
    ['/a:/b:ro:x', /is not a mount/],
    ['/a:b', /^The target "b" of the mount "\/a:b"/],
    ['/a:./b', /^The target "\.\/b"/],
    ['/a:/', /^The target "\/"/],
    ['./a:/b', /^The source "\.\/a" of the mount "\.\/a:\/b"/],
    ['~/a:/b', /^The source "~\/a"/],
    ['a/b:/c', /^The source "a\/b"/],
    ['x:/c', /^The source "x"/],
    [' /a:/b', /^The source " \/a"/],
    ['/a:/b:', /^The mount "\/a:\/b:" ends in an unknown option/],
    ['/a:/b:read-only', /unknown option/],
    ['/a:/b:ro,rw', /unknown option/],
  ];
  for (const [text, sentence] of bad) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseMount(text, english),
        (error) => error instanceof InputError && sentence.test(error.message),
      );
    });
  }
});
