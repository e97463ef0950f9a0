import assert from 'node:assert/strict';

import {
  describeReferenceProblem,
  formatReference,
  parseReference,
  parseRepositoryAndTag,
  repositoryOf,
  type ReferenceProblemKind,
} from '../../../../src/engine/options/reference.ts';
import { inEnglish } from '../../../../src/base/sentence.ts';

const HEX = '0123456789abcdef'.repeat(4);
const DIGEST = `sha256:${HEX}`;

function kindOf(text: string): ReferenceProblemKind | 'ok' {
  const result = parseReference(text);
  return result.ok ? 'ok' : result.problem.kind;
}

function read(text: string): unknown {
  const result = parseReference(text);
  return result.ok ? result.value : result.problem;
}

describe('engine/reference: parseReference', () => {
  const hub = 'docker.io';
  const good: [text: string, ...parts: [string, string, string, tag?: string, digest?: string]][] =
    [
      ['busybox', hub, 'library/busybox', 'busybox'],
      ['busybox:1.36', hub, 'library/busybox', 'busybox', '1.36'],
      ['me/app', hub, 'me/app', 'me/app'],
      ['docker.io/busybox', hub, 'library/busybox', 'docker.io/busybox'],
      ['index.docker.io/me/app', hub, 'me/app', 'index.docker.io/me/app'],
      ['127.0.0.1:5055/sample:1', '127.0.0.1:5055', 'sample', '127.0.0.1:5055/sample', '1'],
      ['MYHOST/qbug', 'MYHOST', 'qbug', 'MYHOST/qbug'],
      ['localhost/x/y', 'localhost', 'x/y', 'localhost/x/y'],
      ['[::1]:5000/x', '[::1]:5000', 'x', '[::1]:5000/x'],
      [`ghcr.io/o/r:v2@${DIGEST}`, 'ghcr.io', 'o/r', 'ghcr.io/o/r', 'v2', DIGEST],
      // Without a slash there is no registry: this is the image `localhost` with the tag `5000`.
      ['localhost:5000', hub, 'library/localhost', 'localhost', '5000'],
      // A part that does not look like a host is part of the name, even if it is a host somewhere.
      ['registry/app', hub, 'registry/app', 'registry/app'],
    ];
  for (const [text, registry, repository, familiar, tag, digest] of good) {
    it(`parses ${text}`, () => {
      assert.deepEqual(read(text), { registry, repository, familiar, tag, digest });
    });
    it(`formats ${text} unchanged`, () => {
      const result = parseReference(text);
      assert.ok(result.ok);
      assert.equal(formatReference(result.value), text);
    });
  }

  it('allows the separators of names', () => {
    for (const name of ['a.b', 'a_b', 'a__b', 'a-b', 'a---b', 'a/b/c/d', '0']) {
      assert.equal(kindOf(name), 'ok', name);
    }
  });

  it('allows upper case in a host and in a tag', () => {
    assert.equal(kindOf('Registry.Example:5000/x:RC1'), 'ok');
  });

  const bad: [text: string, kind: ReferenceProblemKind][] = [
    ['', 'empty'],
    ['  ', 'empty'],
    [' x', 'spaces'],
    ['x ', 'spaces'],
    ['my image', 'spaces'],
    ['x:a b', 'spaces'],
    ['x\n', 'spaces'],
    ['https://quay.io/x', 'scheme'],
    [':latest', 'nameMissing'],
    [`@${DIGEST}`, 'nameMissing'],
    ['Busybox', 'upperCase'],
    ['repo/X', 'upperCase'],
    ['quay.io/Me/app', 'upperCase'],
    [HEX, 'looksLikeId'],
    ['-.x/y', 'badRegistry'],
    ['host:port/y', 'badRegistry'],
    ['a..b', 'badName'],
    ['a___b', 'badName'],
    ['-a', 'badName'],
    ['a-', 'badName'],
    ['a//b', 'badName'],
    ['/a', 'badName'],
    ['a/', 'badName'],
    ['localhost/', 'badName'],
    ['bücher', 'badName'],
    ['a*b', 'badName'],
    ['x:', 'badTag'],
    ['x:-1', 'badTag'],
    ['x:.1', 'badTag'],
    ['x:a+b', 'badTag'],
    [`x:${'t'.repeat(129)}`, 'tagTooLong'],
    ['x@', 'badDigest'],
    ['x@sha256:abc', 'badDigest'],
    [`x@${DIGEST.toUpperCase()}`, 'badDigest'],
    [`x@${DIGEST}@${DIGEST}`, 'badDigest'],
    [`x@sha512:${HEX}`, 'badDigest'],
  ];
  for (const [text, kind] of bad) {
    it(`rejects ${JSON.stringify(text.slice(0, 40))}: ${kind}`, () => {
      assert.equal(kindOf(text), kind);
    });
  }

  it('accepts a tag of 128 characters', () => assert.equal(kindOf(`x:${'t'.repeat(128)}`), 'ok'));

  it('limits the path with the default one, but not the registry', () => {
    const room = 255 - 'library/'.length;
    assert.equal(kindOf('n'.repeat(room)), 'ok');
    assert.equal(kindOf('n'.repeat(room + 1)), 'nameTooLong');
    assert.equal(kindOf(`a.b/${'n'.repeat(255)}`), 'ok');
    assert.equal(kindOf(`a.b/${'n'.repeat(256)}`), 'nameTooLong');
  });

  it('takes a first part with capitals for a registry, as no repository can have any', () => {
    const { ok, value } = parseReference('MYHOST/qbug:1') as Extract<
      ReturnType<typeof parseReference>,
      { ok: true }
    >;
    assert.deepEqual([ok, value.registry, value.repository], [true, 'MYHOST', 'qbug']);
    assert.equal(kindOf(`x@sha512:${'a'.repeat(128)}`), 'ok');
  });
});

describe('engine/reference: repositoryOf', () => {
  for (const name of ['app', 'me/app', '127.0.0.1:5055/app', '[::1]:5000/app']) {
    it(`cuts off what follows ${name}`, () => {
      for (const rest of ['', ':1', `@${DIGEST}`, `:1@${DIGEST}`])
        assert.equal(repositoryOf(name + rest), name);
    });
  }
});

describe('engine/reference: parseRepositoryAndTag', () => {
  const read2 = (repository: string, tag?: string): unknown => {
    const result = parseRepositoryAndTag(repository, tag);
    return result.ok ? result.value : result.problem.kind;
  };

  it('takes the tag from either place, or none', () => {
    assert.deepEqual(read2('me/app'), { repository: 'me/app', tag: undefined });
    assert.deepEqual(read2('me/app:1'), { repository: 'me/app', tag: '1' });
    assert.deepEqual(read2('me/app', '1'), { repository: 'me/app', tag: '1' });
    assert.deepEqual(read2('127.0.0.1:5055/a', 'x'), { repository: '127.0.0.1:5055/a', tag: 'x' });
  });

  it('accepts the same tag twice, and rejects two different ones', () => {
    assert.deepEqual(read2('app:1', '1'), { repository: 'app', tag: '1' });
    assert.equal(read2('app:1', '2'), 'twoTags');
  });

  it('rejects a digest, an invalid tag and an invalid name', () => {
    assert.equal(read2(`app@${DIGEST}`), 'digestNotAllowed');
    assert.equal(read2('app', 'a b'), 'badTag');
    assert.equal(read2('app', ''), 'badTag');
    assert.equal(read2('app', 't'.repeat(129)), 'tagTooLong');
    assert.equal(read2('APP'), 'upperCase');
    assert.equal(read2(''), 'empty');
  });
});

describe('engine/reference: describeReferenceProblem', () => {
  it('has one sentence for every kind, quoting the invalid part', () => {
    const kinds: Record<ReferenceProblemKind, RegExp> = {
      empty: /empty/,
      spaces: /"PART" contains a space/,
      scheme: /Remove "PART"/,
      nameMissing: /"PART" has no image name/,
      upperCase: /"PART" has capital letters/,
      looksLikeId: /"PART" is an image ID/,
      badRegistry: /"PART" is not a registry/,
      badName: /"PART" is not an image name/,
      nameTooLong: /^The image name has 4 characters\. The maximum is 255/,
      badTag: /"PART" is not a tag/,
      tagTooLong: /has 4 characters\. The maximum is 128/,
      badDigest: /"PART" is not a digest/,
      digestNotAllowed: /Remove the digest "PART"/,
      twoTags: /different tags are set: PART/,
    };
    for (const [kind, pattern] of Object.entries(kinds)) {
      const words = inEnglish(
        describeReferenceProblem({ kind: kind as ReferenceProblemKind, part: 'PART' }),
      );
      assert.match(words, pattern);
      assert.match(words, /\.$/);
    }
  });
});
