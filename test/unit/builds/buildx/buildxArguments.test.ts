import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bakeArguments, buildxArguments } from '../../../../src/builds/buildx/buildxArguments.ts';
import { findBuildx } from '../../../../src/builds/buildx/findBuildx.ts';
import { readBuilders } from '../../../../src/builds/buildx/readBuilders.ts';
import { readBakeChoices, readBakePlan } from '../../../../src/builds/buildx/readBakePlan.ts';

const CLI = { file: 'docker', prefix: ['buildx'] };

describe('builds/buildx', () => {
  it('passes every value in one argument with its option, and no hidden one', () => {
    const args = buildxArguments(
      CLI,
      {
        context: '/a b',
        dockerfile: '/a b/Dockerfile',
        tags: ['shop:1', 'shop:2'],
        target: 'build',
        args: { VERSION: '--x', TOKEN: 'secret' },
        labels: { a: 'b c' },
        platforms: ['linux/amd64', 'linux/arm64'],
        ssh: true,
        noCache: true,
        pull: true,
        network: 'host',
        addHosts: ['name:1.2.3.4'],
      },
      {
        builder: 'multi',
        secrets: { a: { file: '/x,"y"' }, b: { env: 'B' } },
        hidden: new Set(['TOKEN']),
        output: 'load',
        metadata: '/tmp/m',
      },
    );
    assert.deepEqual(args, [
      ...['buildx', 'build', '--progress=rawjson', '--builder=multi', '--load'],
      ...['--metadata-file=/tmp/m', '--file=/a b/Dockerfile', '--tag=shop:1', '--tag=shop:2'],
      ...['--target=build', '--platform=linux/amd64,linux/arm64'],
      ...['--build-arg=VERSION=--x', '--build-arg=TOKEN', '--label=a=b c'],
      ...['--secret=id=a,"src=/x,""y"""', '--secret=id=b,env=B', '--ssh=default'],
      ...['--no-cache', '--pull', '--network=host', '--add-host=name:1.2.3.4', '/a b'],
    ]);
    const targets = ['app'];
    assert.deepEqual(bakeArguments(CLI, '/x/docker-bake.hcl', { targets, builder: 'multi' }), [
      ...['buildx', 'bake', '--progress=rawjson', '--file=/x/docker-bake.hcl'],
      ...['--builder=multi', 'app'],
    ]);
  });

  it('is the plugin of Docker, or its file, if it reports progress as JSON', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-buildx-'));
    const put = (name: string, body: string): void => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
      chmodSync(join(folder, name), 0o755);
    };
    const find = () => findBuildx({ PATH: folder });
    try {
      assert.equal(await find(), undefined);
      put('docker', 'echo "Usage: docker [OPTIONS] COMMAND"');
      put('docker-buildx', '[ "$*" = "build --help" ] && echo "--progress (auto, rawjson)"');
      assert.deepEqual(await find(), { file: 'docker-buildx', prefix: [] });
      put('docker', '[ "$*" = "buildx build --help" ] && echo "--progress (auto, rawjson)"');
      assert.deepEqual(await find(), { file: 'docker', prefix: ['buildx'] });
      put('docker', 'echo "--progress (auto, plain)"');
      put('docker-buildx', 'exit 1');
      assert.equal(await find(), undefined);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads the builders, and leaves out what cannot be one', () => {
    const line = (value: unknown): string => JSON.stringify(value);
    const nodes = [
      { Status: 'running', Platforms: ['linux/amd64', 'linux/arm64'] },
      { Status: 'inactive', Platforms: ['linux/amd64', 5] },
    ];
    const builders = readBuilders([
      line({ Name: 'multi', Driver: 'docker-container', Current: true, Nodes: nodes }),
      line({ Name: 'empty', Driver: 'docker' }),
      line({ Name: '--builder' }),
      'not JSON',
      ...Array.from({ length: 1000 }, (_, at) => line({ Name: `b${at}` })),
    ]);
    assert.deepEqual(builders.slice(0, 2), [
      {
        name: 'multi',
        driver: 'docker-container',
        status: 'running',
        platforms: ['linux/amd64', 'linux/arm64'],
      },
      { name: 'empty', driver: 'docker', status: '', platforms: [] },
    ]);
    assert.equal(builders.length, 200);
  });

  it('finds the Dockerfiles of targets where bake looks for them', () => {
    const target = {
      plain: {},
      other: { context: 'sub', dockerfile: 'x.Dockerfile' },
      whole: { context: '/elsewhere', dockerfile: '/x/Dockerfile' },
      remote: { context: 'https://example.com/x.git' },
      inline: { 'dockerfile-inline': 'FROM scratch' },
    };
    const { targets } = readBakePlan(JSON.stringify({ target }), '/shop');
    assert.deepEqual(
      [...targets].map(([name, { dockerfile }]) => [name, dockerfile]),
      [
        ['plain', '/shop/Dockerfile'],
        ['other', '/shop/sub/x.Dockerfile'],
        ['whole', '/x/Dockerfile'],
        ['remote', undefined],
        ['inline', undefined],
      ],
    );
    const listed = [
      { name: 'app' },
      { name: '--push' },
      { name: 'default', description: 'app', group: true },
    ];
    assert.deepEqual(readBakeChoices(JSON.stringify(listed)), [
      { name: 'app', description: '', isGroup: false },
      { name: 'default', description: 'app', isGroup: true },
    ]);
    assert.equal(readBakePlan('rubbish', '/').targets.size, 0);
    const same = { target: { app: { contexts: { a: '.', b: './', c: 'd', d: 'x/../d' } } } };
    const { folders } = readBakePlan(JSON.stringify(same), '/shop').targets.get('app') ?? {};
    assert.deepEqual(folders, ['/shop', '/shop/d']);
  });
});
