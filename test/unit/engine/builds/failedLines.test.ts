import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  refusedBase,
  failedLines,
  imageIn,
  linesStillThere,
} from '../../../../src/engine/builds/failedLines.ts';
import { holds } from '../../properties/holds.ts';

const DOCKERFILE = [
  '# syntax=docker/dockerfile:1',
  'ARG TAG=1',
  'FROM lab/base:${TAG} AS Build',
  'ENV A=b',
  'RUN one \\',
  '  two',
  'FROM lab/other AS unused',
  'RUN three',
  'FROM scratch',
  'COPY --from=build /a /b',
  'COPY --from=lab/tools /c /d',
  'RUN four',
].join('\n');

function lines(step: string, message = 'it failed', target?: string): unknown {
  const found = failedLines(DOCKERFILE, target === undefined ? {} : { target }, { message, step });
  return found && `${found.start}-${found.end}`;
}

describe('the lines of a failed build', () => {
  it('are in the message of the parser', () => {
    assert.equal(lines('', 'dockerfile parse error on line 3: unknown instruction: RUNN'), '3-3');
    const old =
      'failed to solve with frontend dockerfile.v0: dockerfile parse error line 4: unknown';
    assert.equal(lines('', old), '4-4');
    assert.equal(lines('', 'dockerfile parse error on line 99: none'), undefined);
    assert.equal(lines('', 'dockerfile parse error on line 0: none'), undefined);
  });

  it('are those of a step of BuildKit', () => {
    assert.equal(lines('[build 1/2] FROM docker.io/lab/base:1@sha256:00'), '3-3');
    assert.equal(lines('[build 2/2] RUN one   two'), '5-6');
    assert.equal(lines('[unused  2/12] RUN three'), '7-7');
    assert.equal(lines('[linux/arm64 stage-2 2/3] COPY --from=lab/tools /c /d'), '11-11');
    assert.equal(lines('[stage-2 3/3] RUN four'), '12-12');
    assert.equal(lines('[stage-2 9/3] RUN four'), undefined);
    assert.equal(lines('[stage-7 1/3] RUN four'), undefined);
    assert.equal(lines('[1/3] RUN four'), undefined);
    const single = { message: '', step: '[ 2/10] ONBUILD RUN b' };
    assert.deepEqual(failedLines('FROM a\nRUN b', {}, single), { start: 1, end: 1 });
  });

  it('are those of a step of Buildah, which counts needed stages and every instruction', () => {
    assert.equal(lines('[1/2] STEP 3/3: RUN one   two'), '5-6');
    assert.equal(lines('[2/2] STEP 4/4: RUN four'), '12-12');
    assert.equal(lines('[linux/arm64] [2/2] STEP 2/4: COPY --from=build /a /b'), '10-10');
    assert.equal(lines('STEP 2/2: RUN three', '', 'unused'), '8-8');
  });

  it('are those of a step of the classic builder, which counts all stages', () => {
    assert.equal(lines('Step 1/10 : ARG TAG=1'), '2-2');
    assert.equal(lines('Step 4/10 : RUN one   two'), '5-6');
  });

  it('are those that name an image that could not be read', () => {
    assert.equal(lines('[internal] load metadata for docker.io/lab/base:1'), '3-3');
    assert.equal(
      lines('[linux/amd64 internal] load metadata for docker.io/lab/tools:latest'),
      '11-11',
    );
    assert.equal(
      lines('resolve image config for docker-image://docker.io/docker/dockerfile:1'),
      '1-1',
    );
    const message =
      'docker.io/lab/other:latest: failed to resolve source metadata for docker.io/lab/other:latest: no active sessions';
    assert.equal(lines('', message), '7-7');
    assert.equal(lines('', message.replaceAll('other', 'unknown')), undefined);
  });

  it('are the first one for an unknown target, and none for anything else', () => {
    assert.equal(lines('', 'target stage "x" could not be found'), '1-1');
    assert.equal(lines('', 'The target "x" was not found in the provided Dockerfile'), '1-1');
    assert.equal(lines('', 'no space left on device'), undefined);
    assert.equal(lines('exporting to image', 'no space left on device'), undefined);
  });

  it('are lines of the Dockerfile, regardless of the message of the builder', () => {
    const pieces = '[|]|STEP |Step |/|: | : |1|99999999|build |line '.split('|');
    const said = fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 12 })
      .map((all) => all.join(''));
    holds(
      fc.property(said, said, (step, message) => {
        const found = failedLines(DOCKERFILE, {}, { step, message });
        assert.ok(!found || (found.start >= 1 && found.start <= found.end && found.end <= 12));
      }),
    );
  });

  it('are found in time in a message without end', () => {
    for (const piece of ['[a ', 'a/', '[1/', 'failed to load metadata for x', 'error line 1', ' '])
      assert.equal(imageIn(piece.repeat(200_000)), undefined);
  });
});

describe('a place in a Dockerfile', () => {
  const source = {
    file: 'Dockerfile',
    text: 'FROM a\nRUN b \\\n  c\nRUN d\n',
    lines: { start: 2, end: 3 },
  };

  it('is still there if its lines are equal, also with other line ends', () => {
    assert.deepEqual(linesStillThere(source, 'FROM x\r\nRUN b \\\r\n  c\r\n'), {
      start: 2,
      end: 3,
    });
  });

  it('is gone if one of its lines has changed or moved', () => {
    assert.equal(linesStillThere(source, 'FROM a\nRUN b \\\n  changed\nRUN d\n'), undefined);
    assert.equal(linesStillThere(source, '\nFROM a\nRUN b \\\n  c\n'), undefined);
    assert.equal(linesStillThere(source, 'FROM a'), undefined);
    assert.equal(linesStillThere({ file: 'a', lines: { start: 1, end: 1 } }, 'FROM a'), undefined);
    assert.equal(linesStillThere({ ...source, lines: { start: 9, end: 9 } }, 'FROM a'), undefined);
  });
});

describe('the base image that was refused', () => {
  const dockerfile = 'ARG HOST=me.example\nFROM busybox AS a\nFROM $HOST/team/x:1\n';
  const refused = 'failed with status code [manifests 1]: 403 Forbidden';
  const cases: readonly (readonly [name: string, message: string, base: unknown])[] = [
    [
      'is known by its name',
      'failed to resolve source metadata for me.example/team/x:1: 401 Unauthorized',
      { registry: 'me.example', repository: 'team/x' },
    ],
    [
      'is known by the registry that Docker 20.10 names',
      `pulling from host me.example ${refused}`,
      { registry: 'me.example', repository: 'team/x' },
    ],
    [
      'is one of Docker Hub',
      `pulling from host registry-1.docker.io ${refused}`,
      { registry: 'docker.io', repository: 'library/busybox' },
    ],
    [
      'is not from a registry that only the engine names',
      `pulling from host evil.example ${refused}`,
      undefined,
    ],
    ['is not known from other words', 'exit code: 1', undefined],
  ];
  for (const [name, message, base] of cases)
    it(name, () => assert.deepEqual(refusedBase(message, dockerfile, {}), base));
});
