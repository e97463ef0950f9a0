import assert from 'node:assert/strict';

import { InputError } from '../../../../src/engine/errors.ts';
import { checkMount, parseMount } from '../../../../src/engine/options/mountSpec.ts';

describe('engine/mountSpec', () => {
  const good: [text: string, kind: string, source: string, target: string][] = [
    ['/srv/data:/data', 'bind', '/srv/data', '/data'],
    ['/srv/data:/data:ro', 'bind', '/srv/data', '/data'],
    ['/srv:/d:rw', 'bind', '/srv', '/d'],
    ['/srv:/d:ro,z', 'bind', '/srv', '/d'],
    ['/:/host:ro', 'bind', '/', '/host'],
    ['/with space/ü:/d', 'bind', '/with space/ü', '/d'],
    ['cache:/var/cache', 'volume', 'cache', '/var/cache'],
    ['my.vol_1-x:/v:ro', 'volume', 'my.vol_1-x', '/v'],
    ['C:\\Users\\me:/data', 'bind', 'C:\\Users\\me', '/data'],
    ['c:/Users/me:/data:ro', 'bind', 'c:/Users/me', '/data'],
    ['C:\\a:D:\\b:ro', 'bind', 'C:\\a', 'D:\\b'],
    ['/a:/b:nocopy,rshared', 'bind', '/a', '/b'],
    ['x:/c', 'volume', 'x', '/c'],
    ['/data', 'volume', '', '/data'],
    ['C:\\data', 'volume', '', 'C:\\data'],
    ['\\\\.\\pipe\\x:\\\\.\\pipe\\x', 'bind', '\\\\.\\pipe\\x', '\\\\.\\pipe\\x'],
  ];
  for (const [text, kind, source, target] of good) {
    it(`parses ${text} and returns it unchanged`, () => {
      assert.deepEqual(parseMount(text), { kind, source, target });
      assert.equal(checkMount(text), text);
    });
  }

  it('parses the form of --mount', () => {
    const text = 'type=bind,source=/a:b,target=/c,readonly';
    assert.deepEqual(parseMount(text), { kind: 'bind', source: '/a:b', target: '/c' });
  });

  const bad: [text: string, sentence: RegExp][] = [
    ['', /^"" is not a mount/],
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
    ['type=tmpfs,target=/t', /^The mount "type=tmpfs,target=\/t" has an unknown type or option/],
    ['type=bind,source=/a,target=/b,uid=1', /unknown type or option/],
    ['type=bind,source=a,target=/b', /^The source "a"/],
    ['type=bind,source=/a', /^The target ""/],
    [`/${'a'.repeat(300)}:b`, /^The target "b" of the mount "\/a{39}…" is not/],
    [' /a:/b', /^The source " \/a"/],
  ];
  for (const [text, sentence] of bad) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseMount(text),
        (error) => error instanceof InputError && sentence.test(error.message),
      );
    });
  }
});
