import assert from 'node:assert/strict';
import { stateBefore } from '../../../src/builds/stepToOpen.ts';

const TEXT = [
  'ARG VERSION=1',
  'FROM base AS build',
  'ARG VERSION',
  'ARG MODE=dev',
  'RUN --mount=type=cache,target=/c \\',
  '  make $VERSION',
  'ARG LATE=1',
  'COPY a /a',
  'FROM build',
  'RUN ["echo", "two words"]',
  'RUN <<EOT',
  'one',
  'EOT',
  'USER me',
  '',
].join('\n');

describe('builds/stateBefore', () => {
  it('ends the stage before the instruction, and has its command and arguments', () => {
    assert.deepEqual(stateBefore(TEXT, 6, { MODE: 'test' }), {
      dockerfile: 'ARG VERSION=1\nFROM base AS build\nARG VERSION\nARG MODE=dev\n',
      command: 'make $VERSION',
      variables: new Map([
        ['VERSION', '1'],
        ['MODE', 'test'],
      ]),
    });
  });

  it('has the words of a list as a command, and none for files and here-documents', () => {
    assert.equal(stateBefore(TEXT, 10)?.command, "echo 'two words'");
    assert.equal(stateBefore(TEXT, 12)?.command, undefined);
    assert.equal(stateBefore(TEXT, 12)?.dockerfile.endsWith('"two words"]\n'), true);
    const copy = stateBefore(TEXT, 8);
    assert.deepEqual([copy?.command, copy?.variables.get('LATE')], [undefined, '1']);
  });

  it('is not there for other instructions', () => {
    for (const line of [1, 2, 14, 99]) assert.equal(stateBefore(TEXT, line), undefined);
  });
});
