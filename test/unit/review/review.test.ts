import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Image } from '../../../src/engine/model.ts';
import { changeTree } from '../../../src/review/changeTree.ts';
import { formatAuthor, gitAuthor, parseGitUser } from '../../../src/review/gitAuthor.ts';
import { ImageChangedError } from '../../../src/engine/images/imageChangedError.ts';
import { checkTagOwner, imageByTag } from '../../../src/review/imageByTag.ts';
import type { ReviewSubject } from '../../../src/review/review.ts';
import {
  formatChangeCounts,
  reviewMessage,
  formatExcludedMount,
  rootRows,
  rowsBelow,
} from '../../../src/review/reviewRow.ts';
import { formatMode, compareFiles, type ComparedFile } from '../../../src/review/fileComparison.ts';
import { json } from '../support/fakeEngine.ts';
import { openLab, type Lab } from '../support/lab.ts';

const file = (content: string | Uint8Array, more: Partial<ComparedFile> = {}): ComparedFile => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { kind: 'file', size: bytes.length, mode: 0o644, target: '', content: bytes, ...more };
};

describe('review/fileComparison', () => {
  const show = (left?: ComparedFile, right?: ComparedFile) => compareFiles(left, right);

  it('shows text unchanged, and only one side if the other does not exist', () => {
    assert.deepEqual(show(file('a\n'), file('b\n')), {
      left: 'a\n',
      right: 'b\n',
      isSummary: false,
    });
    const { left, right } = show(undefined, file('grüße'));
    assert.deepEqual([left, right], [undefined, 'grüße']);
  });

  it('decodes legacy encodings, and UTF-16 with a byte order mark', () => {
    assert.equal(show(undefined, file(Buffer.from([0x67, 0xfc]))).right, 'gü');
    assert.equal(show(undefined, file(Buffer.from('\ufeffhi', 'utf16le'))).right, 'hi');
  });

  it('shows the target of a link on one line', () => {
    const link: ComparedFile = { ...file(''), kind: 'link', target: '/a\nb', content: undefined };
    assert.equal(show(undefined, link).right, '→ /a b\n');
  });

  it('summarizes files that are binary, too large, not regular, or differ only in permissions', () => {
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

  it('formats permissions', () => {
    assert.equal(formatMode(0o4755), 'rwxr-xr-x (4755)');
    assert.equal(formatMode(0), '--------- (000)');
  });
});

describe('review/reviewRow', () => {
  it('lists the changes first, then ignored paths, then excluded mounts', () => {
    const mounts = [{ type: 'volume', target: '/data', source: 'db' }];
    const tree = changeTree([
      { path: '/a/b', kind: 'added' },
      { path: '/tmp/x', kind: 'added' },
    ]);
    const subject = { mounts } as unknown as ReviewSubject;
    const rows = rootRows({ subject, tree, leftOut: 0 });
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['entry', 'noise', 'mounts'],
    );
    const below = rows.map((row) => rowsBelow(row)?.map(({ kind }) => kind));
    assert.deepEqual(below, [['entry'], ['entry'], ['mount']]);
    assert.equal(formatExcludedMount(mounts[0]!), 'volume db');
  });

  it('reports which paths are not shown', () => {
    const subject = { mounts: [], base: 'alpine', name: 'web' } as unknown as ReviewSubject;
    const none = changeTree([]);
    const one = changeTree([{ path: '/a', kind: 'added' }]);
    const said = (tree: typeof one, leftOut: number) => reviewMessage({ subject, tree, leftOut });
    const words = 'Not shown: 3 (paths that are invalid or longer than 4096 characters).';
    assert.equal(said(one, 3), `web · 1 added · ${words}`);
    assert.equal(said(none, 3), `web · No changes compared to alpine. ${words}`);
    assert.deepEqual([said(one, 0), said(none, 0)], ['web · 1 added', '']);
  });

  it('formats the counts of changes', () => {
    assert.equal(formatChangeCounts({ added: 3, changed: 2, deleted: 0 }), '3 added, 2 changed');
    assert.equal(formatChangeCounts({ added: 0, changed: 0, deleted: 0 }), 'no changes');
  });
});

describe('review/gitAuthor: parsing', () => {
  it('skips lines that are too long', () => {
    const long = ' '.repeat(4_000_000);
    const text = `[user]\nname${long}x\nname = Jo\nemail${long}x\u2028`;
    assert.deepEqual(parseGitUser(text), { name: 'Jo', email: undefined });
    assert.deepEqual(parseGitUser(`[user]\nname${' '.repeat(9000)}= Jo`).name, 'Jo');
  });

  it('parses the user name and email between other sections', () => {
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
    assert.deepEqual(parseGitUser(text), { name: 'Jo "J" Doe', email: 'jo@example.org' });
  });

  it('prefers the later file for each part', () => {
    const global = parseGitUser('[user]\nname = Jo\nemail = jo@home.example');
    const own = parseGitUser('[user]\n\temail = jo@work.example');
    assert.equal(formatAuthor([global, own]), 'Jo <jo@work.example>');
    assert.equal(formatAuthor([parseGitUser('[user]\nname='), parseGitUser('')]), undefined);
  });
});

describe('review/gitAuthor', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-git-'));
    mkdirSync(join(folder, '.git'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const config = (): string => join(folder, '.git', 'config');

  it('reads the configuration of a workspace', async () => {
    writeFileSync(config(), '[user]\nname = Jo\nemail = jo@work.example');
    assert.equal(await gitAuthor(folder), 'Jo <jo@work.example>');
  });

  it('opens only a regular file', async () => {
    const none = await gitAuthor(undefined);
    symlinkSync('/dev/zero', config());
    assert.equal(await gitAuthor(folder), none);
    rmSync(config());
    // Nothing ever writes into it.
    execFileSync('mkfifo', [config()]);
    assert.equal(await gitAuthor(folder), none);
  });
});

describe('review/imageByTag: a tag that is taken', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const [seen, other] = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`);

  /** Returns whether an image would lose its tag without the user having been warned about it. */
  async function check(
    holder: string | undefined,
    own?: string,
    name = 'me/app:1',
  ): Promise<string> {
    const { connection } = await lab.fake((request, response) => {
      const path = '/images/docker.io/me/app%3A1/json';
      if (request.path === path) json(response, 200, { Id: seen, RepoTags: ['me/app:1'] });
      else if (request.path.endsWith('/free%3Alatest/json')) json(response, 404, { message: 'no' });
      // An engine with one corrupt image may fail to list images at all.
      else json(response, 500, { message: 'cannot list images' });
    });
    return checkTagOwner(connection, name, { holder }, own).then(
      () => 'goes on',
      (error: unknown) => (error instanceof ImageChangedError ? error.change : String(error)),
    );
  }

  it('may be taken only from the image that the user was warned about, without listing images', async () => {
    assert.equal(await check(seen), 'goes on');
    assert.equal(await check(undefined, seen), 'goes on');
    assert.equal(await check(undefined), 'tagReassigned');
    assert.equal(await check(other), 'tagReassigned');
  });

  it('is free if the engine has no image with this tag', async () => {
    assert.equal(await check(other, undefined, 'free'), 'goes on');
  });
});

describe('review/imageByTag', () => {
  const image = (id: string, ...tags: string[]): Image => ({
    ...{ id, tags, digests: [], createdAt: '', size: 0 },
  });

  it('finds the image that has a tag, in short or full form', () => {
    const images = [
      image('a', 'me/app:1', 'me/app:2'),
      image('b', 'docker.io/library/busybox:latest'),
    ];
    assert.equal(imageByTag('me/app:2', images)?.id, 'a');
    assert.equal(imageByTag('busybox', images)?.id, 'b');
    assert.equal(imageByTag('docker.io/me/app:1', images)?.id, 'a');
    assert.equal(imageByTag('me/app', images), undefined);
    assert.equal(imageByTag('NO', images), undefined);
  });
});
