import assert from 'node:assert/strict';
import { parseDockerfile } from '../../../../src/engine/builds/dockerfile/dockerfile.ts';
import { dockerfileLenses } from '../../../../src/app/lenses/dockerfileLenses.ts';

describe('app/lenses/dockerfileLenses', () => {
  it('are above each stage: by name or index, and for the last one the whole build', () => {
    const text = 'ARG A\nFROM busybox AS Build\nRUN x\nFROM alpine\nFROM scratch\n';
    assert.deepEqual(dockerfileLenses(parseDockerfile(text), false), [
      { line: 1, title: '$(tools) Build This Target...', target: 'build' },
      { line: 3, title: '$(tools) Build This Target...', target: '1' },
      { line: 4, title: '$(tools) Build Image...', target: '.' },
    ]);
    assert.deepEqual(dockerfileLenses(parseDockerfile('not a Dockerfile'), true), []);
  });

  it('are only above the last stage if they are quiet', () => {
    const text = 'FROM busybox AS build\nRUN x\nFROM alpine\n';
    assert.deepEqual(dockerfileLenses(parseDockerfile(text), true), [
      { line: 2, title: '$(tools) Build Image...', target: '.' },
    ]);
  });

  it('are few for a file with very many stages, but the last one has one', () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `FROM a AS s${at}\n`).join('');
    const lenses = dockerfileLenses(parseDockerfile(text), false);
    assert.equal(lenses.length, 500);
    assert.deepEqual(lenses.at(-1), {
      line: 19_999,
      title: '$(tools) Build Image...',
      target: '.',
    });
  });
});
