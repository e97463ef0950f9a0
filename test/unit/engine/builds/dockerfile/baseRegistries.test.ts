import assert from 'node:assert/strict';
import { baseRegistries } from '../../../../../src/engine/builds/dockerfile/baseRegistries.ts';

describe('the registries of a Dockerfile', () => {
  const cases: [string, string, readonly string[], Record<string, string>?][] = [
    ['of an image of Docker Hub', 'FROM busybox', ['docker.io']],
    ['with a port', 'FROM a.example:5000/x AS y', ['a.example:5000']],
    ['with a platform', 'from --platform=$BUILDPLATFORM a.example/x', ['a.example']],
    ['of a stage, which has none', 'FROM a.example/x AS Base\nFROM base', ['a.example']],
    ['of a copied file', 'FROM scratch\nCOPY --chmod=1 --from=b.example/x /a /b', ['b.example']],
    [
      'of a mount',
      'FROM a.example/x\nRUN --mount=type=bind,from=b.example/x,target=/m true',
      ['a.example', 'b.example'],
    ],
    [
      'of the frontend',
      '# syntax=c.example/dockerfile:1\nFROM a.example/x',
      ['a.example', 'c.example'],
    ],
    [
      'of the frontend in an argument',
      'FROM a.example/x',
      ['a.example', 'c.example'],
      { BUILDKIT_SYNTAX: 'c.example/d' },
    ],
    ['of a default', 'ARG R="a.example"\nFROM ${R}/x', ['a.example']],
    [
      'of an argument of the build',
      'ARG R=a.example\nFROM $R/x',
      ['b.example'],
      { R: 'b.example' },
    ],
    [
      'of a default within another',
      'ARG H=a.example\nARG R=$H:5000\nFROM $R/x',
      ['a.example:5000'],
    ],
    [
      'of a default in place',
      'FROM ${R:-a.example}/x\nFROM ${S-b.example}/y',
      ['a.example', 'b.example'],
    ],
    ['over two lines', 'FROM \\\n  a.example/x', ['a.example']],
    [
      'that are not an image',
      'FROM $UNKNOWN\nFROM a b\nRUN curl https://d.example/x\nFROM upper/X',
      ['docker.io'],
    ],
    ['of an argument that names itself', 'ARG R=$R$R\nFROM $R', []],
    ['of two arguments in a line', 'ARG REG=a.example TAG=1\nFROM $REG/x:$TAG', ['a.example']],
    ['with the platform in its tag', 'FROM a.example/x:${TARGETARCH}', ['a.example']],
    ['with an unknown argument in its tag', 'FROM a.example:50/x/y:${OTHER}-1', ['a.example:50']],
    ['with the platform in its name', 'FROM ${TARGETARCH}/busybox', ['docker.io']],
    ['of a stage for a platform', 'FROM a.example/x AS b-amd64\nFROM b-$TARGETARCH', ['a.example']],
    ['with the name of its own stage', 'FROM node AS node', ['docker.io']],
    ['after a comment that ends with a backtick', '# see `x`\nFROM a.example/x', ['a.example']],
    ['with another escape character', '# escape=`\nFROM `\n a.example/x', ['a.example']],
    ['without a suffix', 'ARG R=a.example:1:x\nFROM ${R%:*}/x:${R%%:*}', ['a.example:1']],
    ['without a prefix', 'ARG R=x//a.example\nFROM ${R##*/}/x', ['a.example']],
    ['with a replaced part', 'ARG R=a_example\nFROM ${R/_/.}/x', ['a.example']],
    ['with another value', 'ARG R=1\nFROM ${R:+a.example}/x', ['a.example']],
    ['not of a comment', 'FROM a.example/x\n# --from=evil.example/x', ['a.example']],
    [
      'not of a command',
      'FROM a.example/x\nRUN x ",from=evil.example/x" --from=evil.example/y',
      ['a.example'],
    ],
    ['of nothing', '', []],
  ];
  for (const [name, dockerfile, registries, args] of cases)
    it(name, () => {
      const found = baseRegistries(dockerfile, args ? { args } : {});
      assert.deepEqual([...found.keys()].toSorted(), registries);
    });

  it('of hostile text in no time', () => {
    for (const text of [
      'FROM ',
      '\t',
      'FROM --a ',
      'FROM x AS ',
      ',from=',
      '${',
      '$A',
      '\\\n',
      'ARG A=',
    ])
      baseRegistries(text.repeat(100_000 / text.length), {});
  });
});
