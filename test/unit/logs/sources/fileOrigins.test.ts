import assert from 'node:assert/strict';
import { fileOriginsOf } from '../../../../src/logs/sources/fileOrigins.ts';
import {
  pathInside,
  joinNormalized,
  hostPath,
  normalizeSourcePath,
} from '../../../../src/logs/sources/normalizeSourcePath.ts';

describe('normalized paths', () => {
  for (const [written, path] of [
    ['/app/x.js', '/app/x.js'],
    ['/app//./x.js/', '/app/x.js'],
    ['./x.js', 'x.js'],
    ['C:\\app\\x.js', 'c:/app/x.js'],
    ['D:/', 'd:'],
    ['src\\x.js', 'src/x.js'],
    ['/a\\b', '/a\\b'],
    ['/', '/'],
    ['', ''],
    ['/app/../etc/passwd', undefined],
    ['..\\x', undefined],
    ['/a\0b', undefined],
  ] as const) {
    it(`are in one form: ${JSON.stringify(written)}`, () => {
      assert.equal(normalizeSourcePath(written), path);
    });
  }

  it('are below a folder by complete names, ignoring case on a drive', () => {
    assert.equal(pathInside('/a', '/a/b/c'), 'b/c');
    assert.equal(pathInside('/', '/a'), 'a');
    assert.equal(pathInside('/a', '/a'), '');
    assert.equal(pathInside('/a', '/ab'), undefined);
    assert.equal(pathInside('/A', '/a/b'), undefined);
    assert.equal(pathInside('c:/Me', 'c:/me/X.js'), 'X.js');
    assert.equal(joinNormalized('/', 'a'), '/a');
    assert.equal(joinNormalized('/a', ''), '/a');
  });

  for (const [source, path] of [
    ['/home/me/web', '/home/me/web'],
    ['/host_mnt/Users/me/web', '/Users/me/web'],
    ['/host_mnt/c/Users/me', 'c:/Users/me'],
    ['/run/desktop/mnt/host/c/Users/me', 'c:/Users/me'],
    ['/mnt/c/Users/me', 'c:/Users/me'],
    ['C:\\Users\\me', 'c:/Users/me'],
    ['/mnt/data', '/mnt/data'],
  ] as const) {
    it(`are translated from an engine's virtual machine to this machine: ${source}`, () => {
      assert.equal(hostPath(source), path);
    });
  }
});

describe('fileOriginsOf', () => {
  it('reads the bind mounts, the working directory and the compose project', () => {
    assert.deepEqual(
      fileOriginsOf({
        id: 'c',
        workingDir: '/app/',
        binds: [
          { source: '/p', target: '/' },
          { source: '/p/api', target: '/app' },
          { source: '/p/..', target: '/x' },
        ],
        labels: {
          'com.docker.compose.project.working_dir': '/p',
          'com.docker.compose.project.config_files': '/p/compose.yaml,/p/dev/compose.yaml,x.yaml',
          'com.docker.compose.service': 'api',
        },
      }),
      {
        id: 'c',
        workingDir: '/app',
        binds: [
          { source: '/p/api', target: '/app' },
          { source: '/p', target: '/' },
        ],
        projectFolders: ['/p', '/p/dev'],
        configFiles: ['/p/compose.yaml', '/p/dev/compose.yaml', '/p/x.yaml'],
        copies: [],
        service: 'api',
      },
    );
  });

  for (const [folder, files, known] of [
    ['/p', 'x.yaml,../dev/y.yaml', ['/p/x.yaml', '/dev/y.yaml']],
    ['C:\\p', 'x.yaml,..\\dev\\y.yaml', ['c:/p/x.yaml', 'c:/dev/y.yaml']],
    ['C:\\p', 'C:\\p\\x.yaml', ['c:/p/x.yaml']],
    ['', 'x.yaml', []],
  ] as const) {
    it(`finds compose files by the folder of their project: ${files} in "${folder}"`, () => {
      const labels = {
        'com.docker.compose.project.working_dir': folder,
        'com.docker.compose.project.config_files': files,
      };
      const { configFiles } = fileOriginsOf({ id: 'c', workingDir: '', binds: [], labels });
      assert.deepEqual(configFiles, known);
    });
  }

  it('returns empty paths if nothing is known', () => {
    assert.deepEqual(
      fileOriginsOf({
        ...{ id: 'c', workingDir: '/', binds: [] },
        labels: { 'com.docker.compose.service': '../x' },
      }),
      {
        ...{ id: 'c', workingDir: '', binds: [], projectFolders: [], service: '' },
        ...{ configFiles: [], copies: [] },
      },
    );
  });
});
