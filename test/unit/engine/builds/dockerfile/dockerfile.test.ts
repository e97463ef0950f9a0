import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  countedInstruction,
  findStage,
  neededStages,
  parseDockerfile,
} from '../../../../../src/engine/builds/dockerfile/dockerfile.ts';
import { holds } from '../../../properties/holds.ts';

function parse(...lines: readonly string[]): ReturnType<typeof parseDockerfile> {
  return parseDockerfile(lines.join('\n'));
}

/** Returns the instructions as `FIRST-LAST KEYWORD rest`. */
function listed(...lines: readonly string[]): readonly string[] {
  return parse(...lines).instructions.map(
    ({ keyword, rest, lines: at }) => `${at.start}-${at.end} ${keyword} ${rest}`,
  );
}

/** Returns the first line of the instruction of `[k/n]` for each k. */
function countedLines(stage: number, n: number, ...lines: readonly string[]): readonly unknown[] {
  const found = parse(...lines).stages[stage];
  assert.ok(found);
  return Array.from({ length: n }, (_, at) => countedInstruction(found, at + 1, n)?.lines.start);
}

describe('the instructions of a Dockerfile', () => {
  it('go on over lines that end with a backslash, over comments and over blank lines', () => {
    assert.deepEqual(
      listed('# first', 'FROM a', '', 'run a \\', '  # why', '', '  && b \\  ', '  && c', 'CMD d'),
      ['2-2 FROM a', '4-8 RUN a   && b   && c', '9-9 CMD d'],
    );
  });

  it('end at two backslashes', () => {
    assert.deepEqual(listed('FROM a', 'RUN dir c:\\\\', 'RUN b'), [
      '1-1 FROM a',
      '2-2 RUN dir c:\\\\',
      '3-3 RUN b',
    ]);
  });

  it('take another escape character from the directive, which must come first', () => {
    assert.deepEqual(listed('# escape=`', 'FROM a', 'COPY c:\\', 'RUN b `', ' c'), [
      '2-2 FROM a',
      '3-3 COPY c:\\',
      '4-5 RUN b  c',
    ]);
    assert.equal(listed('# note', '# escape=`', 'FROM a', 'RUN b `', ' c').length, 3);
  });

  it('have their here-documents', () => {
    assert.deepEqual(
      listed(
        'FROM a',
        'RUN <<EOT cat && <<-"two words" tac',
        'FROM no',
        'EOT',
        '\ttext',
        '\ttwo words',
        'COPY <<"EOF" 2<<EOF /to',
        ' EOF',
        'EOF',
        'EOF',
        'RUN echo "<<EOT" \'<<EOT\' a<<EOT <<<EOT',
        'ENV A=<<EOT',
        'ONBUILD RUN <<EOT',
        'FROM no',
        'EOT',
        'USER b',
      ),
      [
        '1-1 FROM a',
        '2-6 RUN <<EOT cat && <<-"two words" tac',
        '7-10 COPY <<"EOF" 2<<EOF /to',
        '11-11 RUN echo "<<EOT" \'<<EOT\' a<<EOT <<<EOT',
        '12-12 ENV A=<<EOT',
        '13-15 ONBUILD RUN <<EOT',
        '16-16 USER b',
      ],
    );
  });

  it('are read with a byte order mark and with the line ends of Windows', () => {
    assert.deepEqual(
      listed('\uFEFFFROM a\r', 'RUN <<E \\\r', '  cat\r', 'FROM b\r', 'E\r', 'USER c\r'),
      ['1-1 FROM a', '2-5 RUN <<E   cat', '6-6 USER c'],
    );
  });

  it('report the front end', () => {
    const { syntax } = parse('# escape=`', '#Syntax = docker/dockerfile:1 ', 'FROM a');
    assert.deepEqual(syntax, { image: 'docker/dockerfile:1', line: 2 });
    assert.equal(parse('FROM a', '# syntax=b').syntax, undefined);
  });
});

describe('the stages of a Dockerfile', () => {
  it('have a name, a base and lines', () => {
    const { stages } = parse(
      'ARG V=1',
      'FROM --platform=$BUILDPLATFORM golang:${V} AS Build',
      'RUN a',
      'FROM scratch',
      'COPY --link --from=build /a /a',
      'FROM \\',
      '  build as last',
      'RUN --mount=type=bind,from=lab/tools,target=/t --mount=from=1 t',
    );
    assert.deepEqual(
      stages.map(({ name, base, lines, needs, images }) => ({ name, base, lines, needs, images })),
      [
        {
          name: 'build',
          base: 'golang:1',
          lines: { start: 2, end: 2 },
          needs: [],
          images: ['golang:1'],
        },
        { name: undefined, base: 'scratch', lines: { start: 4, end: 4 }, needs: [0], images: [] },
        {
          name: 'last',
          base: 'build',
          lines: { start: 6, end: 7 },
          needs: [0, 1],
          images: ['lab/tools'],
        },
      ],
    );
  });

  it('are found by name and index, and with what they need', () => {
    const file = parse('FROM a AS one', 'FROM b AS two', 'FROM one', 'COPY --from=one /a /b');
    assert.equal(findStage(file, 'ONE')?.index, 0);
    assert.equal(findStage(file, '1')?.name, 'two');
    assert.equal(findStage(file)?.index, 2);
    assert.equal(findStage(file, 'no'), undefined);
    assert.deepEqual(
      neededStages(file).map(({ index }) => index),
      [0, 2],
    );
    assert.deepEqual(
      neededStages(file, 'two').map(({ index }) => index),
      [1],
    );
    assert.equal(neededStages(file, 'no').length, 3);
  });

  it('may take their base from arguments', () => {
    const text =
      'ARG A=one\nARG B=${A}-b\nFROM x AS one\nFROM ${B:-c}\nFROM $A\nFROM ${C:-one}\nFROM ${D}e';
    const bases = (given = {}): unknown =>
      parseDockerfile(text, given).stages.map(({ base }) => base);
    assert.deepEqual(bases(), ['x', 'one-b', 'one', 'one', '${D}e']);
    assert.deepEqual(bases({ A: 'two', D: 'no' }), ['x', 'two-b', 'two', 'one', '${D}e']);
    assert.equal(parseDockerfile(text).stages[2]?.baseStage, 0);
  });

  it('have their arguments with defaults', () => {
    const file = parse('ARG A="one two" B', 'FROM x', 'ARG A', "ARG B C='3' D=", 'ARG A=b');
    assert.deepEqual(file.args, [
      { name: 'A', default: 'one two', line: 1 },
      { name: 'B', line: 1 },
    ]);
    assert.deepEqual(file.stages[0]?.args, [
      { name: 'A', default: 'one two', line: 3 },
      { name: 'B', line: 4 },
      { name: 'C', default: '3', line: 4 },
      { name: 'D', default: '', line: 4 },
      { name: 'A', default: 'b', line: 5 },
    ]);
  });
});

describe('the steps that BuildKit counts', () => {
  it('are FROM, RUN, COPY, ADD and WORKDIR', () => {
    const lines = 'FROM a|ARG b|RUN c|ENV d=e|WORKDIR /f|USER g|COPY h .|ADD i .'.split('|');
    assert.deepEqual(countedLines(0, 5, ...lines), [1, 3, 5, 7, 8]);
  });

  it('leave out FROM of a stage and of scratch', () => {
    assert.deepEqual(countedLines(0, 1, 'FROM scratch', 'COPY a .'), [2]);
    assert.deepEqual(countedLines(1, 1, 'FROM a AS b', 'FROM b', 'RUN c'), [3]);
    assert.deepEqual(countedLines(0, 1, 'FROM a-${TARGETARCH}', 'RUN c'), [2]);
    assert.deepEqual(countedLines(0, 2, 'FROM a-${TARGETARCH}', 'RUN c'), [1, 2]);
  });

  it('begin with those of the base image', () => {
    assert.deepEqual(countedLines(0, 4, 'FROM a', 'RUN b'), [1, 1, 1, 2]);
  });

  it('are none of another Dockerfile', () => {
    assert.deepEqual(countedLines(0, 1, 'FROM a', 'RUN b'), [undefined]);
    const [stage] = parse('FROM a', 'RUN b').stages;
    assert.ok(stage);
    assert.equal(countedInstruction(stage, 3, 2), undefined);
    assert.equal(countedInstruction(stage, 0, 2), undefined);
  });
});

const PIECES = [
  ...['FROM a AS b', 'FROM b', 'FROM ${A}', 'ARG A=$A$A$A', 'RUN c', 'COPY --from=b . .', '# d'],
  ...'RUN <<E|E|\\| \\\n|\n|"|\'|`|# escape=`\n|${|}|\t|\0|=|<<'.split('|'),
];
const anyDockerfile = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 5 })), { maxLength: 60 })
  .map((pieces) => pieces.join(''));

describe('any text as a Dockerfile', () => {
  it('has its instructions in the order of its lines, each line once', () => {
    holds(
      fc.property(anyDockerfile, (text) => {
        const { instructions, stages } = parseDockerfile(text);
        let last = 0;
        for (const { lines, keyword } of instructions) {
          assert.ok(lines.start > last && lines.end >= lines.start, JSON.stringify(lines));
          assert.match(keyword, /^\S+$/);
          last = lines.end;
        }
        assert.ok(last <= text.split('\n').length);
        assert.equal(
          stages.length,
          instructions.filter(({ keyword }) => keyword === 'FROM').length,
        );
      }),
    );
  });

  it('has no stage that needs a later one', () => {
    holds(
      fc.property(anyDockerfile, (text) => {
        for (const { needs, index } of parseDockerfile(text).stages)
          assert.ok(needs.every((one) => one < index));
      }),
    );
  });

  it('expands no more of its arguments than of any real Dockerfile', () => {
    const args = `ARG A=${'a'.repeat(4090)}\n`;
    for (const from of ['FROM $A$A\n', 'FROM ${A%%*a*b*}${A//a/bb}\n', 'FROM ${A#*a*a*a*b}\n']) {
      const { stages } = parseDockerfile(args + from.repeat(10_000));
      const expanded = stages.filter(({ base }) => !base.includes('$'));
      // What was replaced, and what was searched for it.
      assert(expanded.length > 0 && expanded.length * 4090 < 512 * 1024, String(expanded.length));
    }
  });

  it('is cut if it is larger than any Dockerfile', () => {
    const doubled = 'ARG A=xxxxxxxx\n' + 'ARG A=$A$A$A$A\n'.repeat(100_000);
    assert.equal(parseDockerfile(doubled).instructions.length, 20_000);
    for (const piece of ['\\\n', '"', '${A:-', 'RUN <<A <<B \n', ' ', 'RUN \\ '])
      assert.ok(
        parseDockerfile('FROM a\nRUN ' + piece.repeat(700_000)).instructions.length <= 20_000,
      );
  });
});
