import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withOverride } from '../../../src/projects/withOverride.ts';

describe('projects/withOverride', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-override-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const OLD = ['docker-compose.yml', 'docker-compose.override.yml'];
  const cases: readonly (readonly [present: readonly string[], file: string, used: string[]])[] = [
    [['compose.yaml'], 'compose.yaml', ['compose.yaml']],
    [OLD, 'docker-compose.yml', OLD],
    [OLD, 'docker-compose.override.yml', OLD],
    [['compose.yaml', ...OLD], 'compose.yaml', ['compose.yaml', 'docker-compose.override.yml']],
    [['compose.yaml', ...OLD], 'docker-compose.yml', ['docker-compose.yml']],
    [
      ['compose.yaml', 'compose.override.yml', 'compose.override.yaml'],
      'compose.yaml',
      ['compose.yaml', 'compose.override.yml'],
    ],
    [['compose.override.yaml'], 'compose.override.yaml', ['compose.override.yaml']],
    [[...OLD, 'compose.prod.yaml'], 'compose.prod.yaml', ['compose.prod.yaml']],
  ];
  for (const [present, file, used] of cases) {
    it(`uses ${used.join(' and ')} for ${file} of ${present.join(', ')}`, async () => {
      for (const name of present) writeFileSync(join(folder, name), '');
      const found = await withOverride(join(folder, file));
      assert.deepEqual(
        found,
        used.map((name) => join(folder, name)),
      );
    });
  }
});
