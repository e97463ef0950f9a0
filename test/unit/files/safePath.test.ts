import assert from 'node:assert/strict';
import {
  uniqueNames,
  isLocalName,
  LocalNameError,
  linkInside,
  pathSegments,
  safePath,
} from '../../../src/files/safePath.ts';

describe('files/safePath: a name in a tar', () => {
  const good: [string, string[]][] = [
    ['./', []],
    ['.', []],
    ['a', ['a']],
    ['./a/b/', ['a', 'b']],
    ['a//b/./c', ['a', 'b', 'c']],
    ['..a/b..', ['..a', 'b..']],
    ['grüße/日本', ['grüße', '日本']],
  ];
  for (const [name, parts] of good) {
    it(`${JSON.stringify(name)} is accepted`, () => assert.deepEqual(pathSegments(name), parts));
  }

  for (const name of ['..', '../a', 'a/../../b', 'a/..', './../x', '/etc/passwd', '/', 'a\0b']) {
    it(`${JSON.stringify(name)} is rejected`, () => assert.equal(pathSegments(name), undefined));
  }

  for (const name of ['..', '.', '', 'x/..', '../x', '/x', 'a/b', 'a\0b']) {
    it(`${JSON.stringify(name)} is rejected as a local name on all platforms`, () => {
      for (const platform of ['linux', 'darwin', 'win32'] as const) {
        assert.equal(isLocalName([name], platform), false, platform);
        assert.throws(() => safePath('/home/me/Downloads', name, platform), LocalNameError);
      }
    });
  }

  it('is joined with the selected folder, also if that is the root', () => {
    assert.equal(safePath('/home/me', '..a'), '/home/me/..a');
    assert.equal(safePath('/home/me/', 'a'), '/home/me/a');
    assert.equal(safePath('/', 'a'), '/a');
  });

  it('is rejected on Windows if it has a special meaning there', () => {
    for (const part of ['a\\b', 'c:', 'a:b', 'nul', 'COM1.txt', 'x.', 'x ', '*', 'a\nb', 'aux.h'])
      assert.equal(isLocalName([part], 'win32'), false, part);
    for (const part of ['a\\b', 'c:', 'nul', 'x.']) assert(isLocalName([part], 'linux'), part);
    assert(isLocalName(['console', 'a.b', 'comma'], 'win32'));
  });
});

describe('files/safePath: several names', () => {
  it('are made unique regardless of case', () => {
    const names = ['conf', 'a.txt', 'Conf', 'A.TXT', 'conf (2)', '.env', '.env'];
    const own = ['conf', 'a.txt', 'Conf (2)', 'A (2).TXT', 'conf (2) (2)', '.env', '.env (2)'];
    assert.deepEqual(uniqueNames(names), own);
  });
});

describe('files/safePath: a link in a tar', () => {
  const inside: [link: string[], target: string, said: string][] = [
    [['ls'], 'busybox', 'busybox'],
    [['lib', 'a.so'], 'a.so.1', 'a.so.1'],
    [['a', 'b', 'l'], '../../c/d', '../../c/d'],
    [['a', 'l'], '..', '..'],
    [['l'], '.', '.'],
    [['a', 'l'], '/opt/app/x/y', '../x/y'],
    [['l'], '/opt/app', '.'],
  ];
  for (const [link, target, said] of inside) {
    it(`${link.join('/')} → ${target} is accepted`, () => {
      assert.equal(linkInside(link, target, '/opt/app'), said);
    });
  }

  const outside: [link: string[], target: string][] = [
    [['l'], '..'],
    [['a', 'l'], '../../x'],
    [['l'], '/etc/passwd'],
    [['l'], '/opt/application/x'],
    [['l'], '/opt/app/../../etc'],
    [['l'], ''],
    [['l'], 'a\0b'],
    // If `a/up` is a link to the selected folder, this leads above it.
    [['l'], 'a/up/../x'],
    [['l'], '..\\x'],
    [['l'], 'c:x'],
    [['l'], 'C:/x'],
    [['l'], '/opt/app/C:/x'],
  ];
  for (const [link, target] of outside) {
    it(`${link.join('/')} → ${JSON.stringify(target)} is rejected`, () => {
      assert.equal(linkInside(link, target, '/opt/app'), undefined);
    });
  }
});
