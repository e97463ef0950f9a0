import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '../../../../src/engine/errors.ts';
import {
  OldComposeError,
  RefusedProjectError,
  resolveProject,
} from '../../../../src/projects/worktrees/resolveProject.ts';
import { HIDDEN } from '../../support/hostile.ts';

const GOOD = JSON.stringify({ services: { web: {} } });

describe('resolveProject', () => {
  let folder: string;
  let cli: { file: string; prefix: string[]; hasJson: true; hasDryRun: true; hasFolder: true };
  const { signal } = new AbortController();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gantry-resolve-'));
    cli = {
      file: join(folder, 'cli'),
      prefix: [],
      hasJson: true,
      hasDryRun: true,
      hasFolder: true,
    };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Makes the CLI write its arguments to a file, and run this for the configuration. */
  function answer(config: string, version = '2.24.4'): void {
    const lines = [
      '#!/bin/sh',
      `echo "$*" >> ${join(folder, 'calls')}`,
      `case "$*" in *version*) echo '${version}'; exit;; esac`,
      config,
    ];
    writeFileSync(cli.file, lines.join('\n'), { mode: 0o755 });
  }
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');

  const resolve = (ended = signal) => {
    const request = {
      project: 'shop-main',
      files: ['/x.yaml'],
      services: ['web'],
      profiles: ['a'],
    };
    const callOf = (args: readonly string[]) => ({
      file: cli.file,
      args,
      env: process.env,
      variables: {},
    });
    return resolveProject({ cli, request, callOf }, ended);
  };

  it('asks for all services, also those of profiles, and for the version once', async () => {
    answer(`echo '${GOOD}'`);
    assert.deepEqual(
      (await resolve()).services.map(({ name }) => name),
      ['web'],
    );
    await resolve();
    const config =
      '--project-name=shop-main --file=/x.yaml --profile=a --profile=* config --format=json';
    assert.deepEqual(calls(), ['version --short', config, config]);
  });

  it('asks without the other profiles if something of them is missing', async () => {
    answer(`case "$*" in *'=*'*) exit 1;; esac; echo '${GOOD}'`);
    await resolve();
    assert.equal(calls().at(-1)?.includes('*'), false);
  });

  it('needs the tags that replace and remove: of Compose 2.24.4 or later', async () => {
    for (const version of ['v2.24.4', '2.24.10', '2.25.0', '2.40.3-desktop.1', '5.0.0']) {
      cli = { ...cli };
      answer(`echo '${GOOD}'`, version);
      await resolve();
    }
    for (const version of [
      '2.24.3',
      '1.29.2',
      'podman-compose version 1.5.0',
      'dev',
      '',
      '99999.1.1',
    ]) {
      cli = { ...cli };
      answer('exit 1', version);
      await assert.rejects(resolve(), OldComposeError, version);
    }
    // It was updated meanwhile.
    answer(`echo '${GOOD}'`);
    await resolve();
  });

  it('rejects with the words of Compose, on one line, as plain text', async () => {
    answer(`printf 'first\\nservices.web is \\342\\200\\256odd\\n' >&2; exit 1`);
    await assert.rejects(resolve(), (error: unknown) => {
      assert(error instanceof RefusedProjectError);
      assert.deepEqual(error.output.slice(0, 1), ['first']);
      assert.match(error.message, /^Compose failed: first services\.web is /);
      assert.doesNotMatch(error.message, HIDDEN);
      return true;
    });
    cli = { ...cli, file: join(folder, 'nothing') };
    await assert.rejects(resolve(), InputError);
  });

  it('rejects what is no project, or more than anybody writes, in a sentence', async () => {
    const flood = `exec yes ${'x'.repeat(1000)}`;
    const deep = `head -c 2000000 /dev/zero | tr '\\0' '['`;
    for (const config of ['echo', 'echo null', 'echo "{"', `echo '{"services":{}}'`, deep, flood]) {
      answer(config);
      await assert.rejects(
        resolve(),
        /too large, or this version of Compose is not supported/,
        config,
      );
    }
  });

  it('is canceled', async () => {
    const canceled = new AbortController();
    answer('exec sleep 600');
    const resolved = resolve(canceled.signal);
    setImmediate(() => canceled.abort());
    await assert.rejects(resolved, { name: 'AbortError' });
  });
});
