import assert from 'node:assert/strict';
import type { Image } from '../../../src/engine/model.ts';
import { english } from '../../../src/l10n.ts';
import { changeTree } from '../../../src/review/changeTree.ts';
import { authorOf, gitUserIn } from '../../../src/review/gitConfig.ts';
import { holderOf } from '../../../src/review/nameHolder.ts';
import type { ReviewSubject } from '../../../src/review/review.ts';
import { countWords, mountWords, rootRows, rowsBelow } from '../../../src/review/reviewRows.ts';
import { modeWords, shownSides, type FoundFile } from '../../../src/review/shownFile.ts';

const file = (content: string | Uint8Array, more: Partial<FoundFile> = {}): FoundFile => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { kind: 'file', size: bytes.length, mode: 0o644, target: '', content: bytes, ...more };
};

describe('review/shownFile', () => {
  const show = (left?: FoundFile, right?: FoundFile) => shownSides(left, right, english);

  it('shows texts as they are, and one side alone where there is only one', () => {
    assert.deepEqual(show(file('a\n'), file('b\n')), {
      left: 'a\n',
      right: 'b\n',
      isSummary: false,
    });
    const { left, right } = show(undefined, file('grüße'));
    assert.deepEqual([left, right], [undefined, 'grüße']);
  });

  it('shows old encodings, and those that say which they are', () => {
    assert.equal(show(undefined, file(Buffer.from([0x67, 0xfc]))).right, 'gü');
    assert.equal(show(undefined, file(Buffer.from('\ufeffhi', 'utf16le'))).right, 'hi');
  });

  it('shows where a link leads, on one line whatever it says', () => {
    const link: FoundFile = { ...file(''), kind: 'link', target: '/a\nb', content: undefined };
    assert.equal(show(undefined, link).right, '→ /a b\n');
  });

  it('sums up what is binary, too large, no file, or the same but for its permissions', () => {
    const binary = show(file('text'), file('a\0b'));
    assert.equal(binary.isSummary, true);
    assert.match(
      binary.left ?? '',
      /^File\nSize: 4 B \(4 bytes\)\nPermissions: rw-r--r-- \(644\)\nSHA-256: 982d9e3e/,
    );
    const large = show(undefined, { ...file(''), size: 9e9, content: undefined, hash: 'abc' });
    assert.match(large.right ?? '', /Size: 9\.0 GB \(9000000000 bytes\)\n.*\nSHA-256: abc\n$/);
    const folder = show(undefined, {
      ...file(''),
      kind: 'folder',
      content: undefined,
      mode: 0o755,
    });
    assert.equal(folder.right, 'Folder\nPermissions: rwxr-xr-x (755)\n');
    const same = show(file('x'), file('x', { mode: 0o755 }));
    assert.equal(same.isSummary, true);
    assert.notEqual(same.left, same.right);
  });

  it('writes permissions as people know them', () => {
    assert.equal(modeWords(0o4755), 'rwxr-xr-x (4755)');
    assert.equal(modeWords(0), '--------- (000)');
  });
});

describe('review/reviewRows', () => {
  it('has the changes first, then the noise, then what is not included', () => {
    const mounts = [{ type: 'volume', target: '/data', source: 'db' }];
    const tree = changeTree([
      { path: '/a/b', kind: 'added' },
      { path: '/tmp/x', kind: 'added' },
    ]);
    const subject = { mounts } as unknown as ReviewSubject;
    const rows = rootRows({ subject, tree });
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['entry', 'noise', 'mounts'],
    );
    const below = rows.map((row) => rowsBelow(row)?.map(({ kind }) => kind));
    assert.deepEqual(below, [['entry'], ['entry'], ['mount']]);
    assert.equal(mountWords(mounts[0]!, english), 'volume db');
  });

  it('counts in words', () => {
    assert.equal(countWords({ added: 3, changed: 2, deleted: 0 }, english), '3 added, 2 changed');
    assert.equal(countWords({ added: 0, changed: 0, deleted: 0 }, english), 'nothing');
  });
});

describe('review/gitConfig', () => {
  it('reads who a person is, whatever is around it', () => {
    const text = [
      '# a comment',
      '[core]',
      '\tname = not me',
      '[User]',
      '\tname = "Jo \\"J\\" Doe" ; really',
      '\tEMAIL = jo@example.org # mine',
      '[user "other"]',
      '\tname = nobody',
      '[alias]',
      '\temail = x',
    ].join('\n');
    assert.deepEqual(gitUserIn(text), { name: 'Jo "J" Doe', email: 'jo@example.org' });
  });

  it('takes the later file for the nearer one, part by part', () => {
    const global = gitUserIn('[user]\nname = Jo\nemail = jo@home.example');
    const own = gitUserIn('[user]\n\temail = jo@work.example');
    assert.equal(authorOf([global, own]), 'Jo <jo@work.example>');
    assert.equal(authorOf([gitUserIn('[user]\nname='), gitUserIn('')]), undefined);
  });
});

describe('review/nameHolder', () => {
  const image = (id: string, ...tags: string[]): Image => ({
    ...{ id, tags, digests: [], createdAt: '', size: 0 },
  });

  it('finds the image that has a name, in whatever way it is written', () => {
    const images = [
      image('a', 'me/app:1', 'me/app:2'),
      image('b', 'docker.io/library/busybox:latest'),
    ];
    assert.equal(holderOf('me/app:2', images)?.id, 'a');
    assert.equal(holderOf('busybox', images)?.id, 'b');
    assert.equal(holderOf('docker.io/me/app:1', images)?.id, 'a');
    assert.equal(holderOf('me/app', images), undefined);
    assert.equal(holderOf('NO', images), undefined);
  });
});
