import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forNode } from '../../scripts/bundles.mjs';
import { USED } from '../../scripts/leanYaml.mjs';
import type * as composeFile from '../../src/projects/composeFile.ts';
import { readComposeFile } from '../../src/projects/composeFile.ts';
import { filesOf } from './support/bundled.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What has one of each: anchors, merges, tags, styles of texts, and types of values. */
const TEXT = `
%YAML 1.1
---
x-base: &base
  image: "app:1"
  environment: { A: 0x1F, B: 1_000, C: 2026-11-29, D: ~, E: yes, F: .inf }
services:
  web:
    <<: *base
    ports: !override ['80:80', 443:443]
    command: >-
      folded
      text
    labels: !!set { ? one, ? two }
    build: { context: ., dockerfile_inline: "FROM a\\nRUN b" }
  db: { <<: [*base], image: !!str db, healthcheck: !reset null }
  bin: { image: !!binary aGVsbG8=, depends_on: !!omap [web: { condition: service_started }] }
`.trimStart();

describe('yaml', () => {
  it('is used by one file, as the bundle has it', () => {
    const source = readFileSync(join(ROOT, 'src/projects/composeNodes.ts'), 'utf8');
    const used = [...source.matchAll(/(?<!tag:)\byaml\.(\w+)/g)].map(([, name = '']) => name);
    assert.deepEqual(
      [...new Set(used)].filter((name) => !USED.includes(name)),
      [],
    );
  });

  it('reads the same in the bundle', async function () {
    // Takes seconds on a busy machine.
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'gantry-yaml-'));
    try {
      const entry = join(folder, 'entry.ts');
      writeFileSync(entry, `export * from '${join(ROOT, 'src/projects/composeFile.ts')}';`);
      mkdirSync(join(folder, 'parts'));
      for (const { name, code } of await filesOf(forNode({ entry })))
        writeFileSync(join(folder, name), code);
      const built = (await import(join(folder, 'entry.js'))) as typeof composeFile;
      for (const text of [TEXT, TEXT.replace('services:', 'services: ['), '- a\n- b', '']) {
        const read = await readComposeFile(text);
        assert.deepEqual(await built.readComposeFile(text), read);
        // Merged, although the file says that it is of an older version.
        if (text === TEXT) assert.equal(read?.services[0]?.image, 'app:1');
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
