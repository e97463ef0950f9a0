import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ContainerPaths } from '../../../../src/logs/sources/containerPaths.ts';
import { SourceFinder } from '../../../../src/logs/sources/sourceFinder.ts';
import { findSourceReferences } from '../../../../src/logs/text/findSourceReferences.ts';
import type { SourceReference } from '../../../../src/logs/text/sourcePath.ts';

const BARE: ContainerPaths = {
  id: 'c',
  binds: [],
  workingDir: '',
  projectFolders: [],
  configFiles: [],
  copies: [],
  service: '',
};
const WS = '/home/me/shop';

const FILES = [
  `${WS}/api/src/index.js`,
  `${WS}/web/src/index.js`,
  `${WS}/web/src/page.js`,
  `${WS}/lib/logging/__init__.py`,
  `${WS}/web/node_modules/express/lib/router.js`,
  `${WS}/java/src/main/java/com/example/Foo.java`,
  `${WS}/java/src/main/java/com/other/Foo.java`,
  `${WS}/cmd/main.go`,
  '/home/me/secret/src/only.js',
  '/etc/passwd',
];

/** A finder over files that are only names, with what it asked. */
function lab(files: readonly string[] = FILES, folders: readonly string[] = [WS]) {
  const asked: string[] = [];
  const finder = new SourceFinder({
    folders: () => folders,
    files: {
      isFile: (path) => {
        asked.push(path);
        return Promise.resolve(files.includes(path));
      },
      findByTail: (tail, limit) => {
        asked.push(`…/${tail}`);
        return Promise.resolve(files.filter((file) => file.endsWith(`/${tail}`)).slice(0, limit));
      },
    },
  });
  return { finder, asked };
}

function placeIn(line: string): SourceReference {
  const [place] = findSourceReferences(line);
  assert.ok(place, line);
  return place;
}

describe('the file of the workspace for a place in a log', () => {
  const api = { ...BARE, workingDir: '/app', projectFolders: [WS], service: 'api' };
  const cases: [why: string, line: string, container: ContainerPaths, file: string | undefined][] =
    [
      [
        'by a bind',
        'at /app/src/index.js:1:2',
        { ...BARE, binds: [{ source: `${WS}/web`, target: '/app' }] },
        'web/src/index.js',
      ],
      [
        'by the bind of one file',
        '/x/main.js:1',
        { ...BARE, binds: [{ source: `${WS}/web/src/page.js`, target: '/x/main.js' }] },
        'web/src/page.js',
      ],
      [
        'by a bind and the working directory',
        'src/index.js:1',
        { ...BARE, workingDir: '/app', binds: [{ source: `${WS}/web`, target: '/app' }] },
        'web/src/index.js',
      ],
      [
        'by a bind that goes by another name here',
        '/app/src/page.js:1',
        {
          ...BARE,
          binds: [{ source: '/elsewhere', target: '/app' }],
          projectFolders: [`${WS}/web`],
        },
        'web/src/page.js',
      ],
      ["by the service's folder", '/app/src/index.js:1', api, 'api/src/index.js'],
      [
        "by the service's folder in the workspace",
        '/app/src/index.js:1',
        { ...api, projectFolders: [] },
        'api/src/index.js',
      ],
      ["by the project's folder", '/app/web/src/index.js:1', api, 'web/src/index.js'],
      [
        'by its end, where that is the only one',
        '/srv/build/web/src/page.js:1',
        BARE,
        'web/src/page.js',
      ],
      ['by the longest end', '/srv/web/src/index.js:1', BARE, 'web/src/index.js'],
      [
        "by its end in the service's folder",
        '/srv/src/index.js:1',
        { ...api, workingDir: '' },
        'api/src/index.js',
      ],
      ['by its name alone, where nothing more is told', 'main.go:12: x', BARE, 'cmd/main.go'],
      [
        'by its package',
        'at com.example.Foo.bar(Foo.java:12)',
        BARE,
        'java/src/main/java/com/example/Foo.java',
      ],
      [
        'among packages by the whole of it',
        '/app/node_modules/express/lib/router.js:1',
        BARE,
        'web/node_modules/express/lib/router.js',
      ],
      ['not where several may be meant', '/srv/src/index.js:1', BARE, undefined],
      ['not by the name alone of a full path', '/srv/other/page.js:1', BARE, undefined],
      ['not by the name alone of a class', 'at Foo.main(Foo.java:12)', BARE, undefined],
      [
        'not for what belongs to others',
        '  File "/usr/lib/python3.12/logging/__init__.py", line 1, in f',
        BARE,
        undefined,
      ],
      [
        'not among packages by a part of it',
        '/app/node_modules/other/lib/router.js:1',
        BARE,
        undefined,
      ],
      [
        'not outside the workspace by a bind',
        '/x/passwd.js:1',
        { ...BARE, binds: [{ source: '/etc/passwd', target: '/x/passwd.js' }] },
        undefined,
      ],
      ['not outside the workspace by its end', '/srv/src/only.js:1', BARE, undefined],
      [
        'not by climbing',
        '/app/../../../etc/passwd.js:1',
        { ...BARE, binds: [{ source: WS, target: '/app' }] },
        undefined,
      ],
    ];
  for (const [why, line, container, file] of cases) {
    it(`is found ${why}`, async () => {
      const { finder } = lab();
      const expected = file === undefined ? undefined : `${WS}/${file}`;
      assert.equal(await finder.find(placeIn(line), container), expected);
    });
  }

  it('is none where two folders of the workspace have it', async () => {
    const { finder } = lab(['/a/src/x.js', '/b/src/x.js'], ['/a', '/b']);
    assert.equal(
      await finder.find(placeIn('/app/src/x.js:1'), { ...BARE, workingDir: '/app' }),
      undefined,
    );
  });

  it('is found on Windows, whatever the case of the drive', async () => {
    const { finder } = lab(['c:/Me/shop/x.js'], ['C:\\Me\\shop']);
    const binds = [{ source: 'c:/Me/shop', target: '/app' }];
    assert.equal(await finder.find(placeIn('/app/x.js:1'), { ...BARE, binds }), 'c:/Me/shop/x.js');
  });

  it('is none without a workspace, and nothing is asked', async () => {
    const { finder, asked } = lab(FILES, []);
    assert.equal(await finder.find(placeIn('main.go:1'), BARE), undefined);
    assert.deepEqual(asked, []);
  });

  it('is none where so many have the name that not all are known', async () => {
    const files = Array.from({ length: 60 }, (_, i) => `${WS}/${i}/y/x.js`);
    const { finder } = lab([`${WS}/src/y/x.js`, ...files]);
    assert.equal(await finder.find(placeIn('/src/y/x.js:1'), BARE), undefined);
  });

  it('is asked for once, for each container and until it is cleared', async () => {
    const { finder, asked } = lab();
    const place = placeIn('main.go:12');
    await Promise.all([finder.find(place, BARE), finder.find({ ...place, line: 9 }, BARE)]);
    const once = asked.length;
    await finder.find(place, { ...BARE, id: 'other' });
    assert.equal(asked.length, 2 * once);
    finder.clear();
    await finder.find(place, BARE);
    assert.equal(asked.length, 3 * once);
  });

  it('is asked for again after a failure, and after many others', async () => {
    let failures = 0;
    const finder = new SourceFinder({
      folders: () => [WS],
      files: {
        isFile: () => Promise.reject(new Error(String(++failures))),
        findByTail: () => Promise.resolve([]),
      },
    });
    await assert.rejects(finder.find(placeIn('x.js:1'), BARE), /1/);
    await assert.rejects(finder.find(placeIn('x.js:1'), BARE), /2/);
    const { finder: other, asked } = lab();
    for (let i = 0; i <= 1001; i++) await other.find({ start: 0, end: 1, path: `x${i}.js` }, BARE);
    const before = asked.length;
    await other.find({ start: 0, end: 1, path: 'x1001.js' }, BARE);
    assert.equal(asked.length, before);
    await other.find({ start: 0, end: 1, path: 'x0.js' }, BARE);
    assert.ok(asked.length > before);
  });

  it('is never outside the workspace, whatever a log says', async () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'app',
      'etc',
      'passwd',
      '\\',
      'c:',
      '\0',
      'src',
      'x.js',
      '~',
      '%2e%2e',
    );
    const path = fc.array(part, { maxLength: 6 }).map((parts) => parts.join('/'));
    const bind = fc.record({ source: path, target: path });
    await fc.assert(
      fc.asyncProperty(
        path,
        path,
        fc.array(bind, { maxLength: 2 }),
        async (path, workingDir, binds) => {
          const finder = new SourceFinder({
            folders: () => [WS],
            files: {
              isFile: () => Promise.resolve(true),
              findByTail: (tail) => Promise.resolve([`/etc/${tail}`, `${WS}/../${tail}`]),
            },
          });
          const found = await finder.find(
            { start: 0, end: 1, path },
            { ...BARE, workingDir, binds },
          );
          assert.ok(
            found === undefined || (found.startsWith(`${WS}/`) && !found.includes('..')),
            found,
          );
        },
      ),
      { numRuns: 300, seed: 4 },
    );
  }).timeout(30_000);
});
