import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { FileOrigins } from '../../../../src/logs/sources/fileOrigins.ts';
import { SourceFinder } from '../../../../src/logs/sources/sourceFinder.ts';
import { findSourceReferences } from '../../../../src/logs/text/findSourceReferences.ts';
import type { SourceReference } from '../../../../src/logs/text/sourcePath.ts';

const BARE: FileOrigins = {
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

/** Returns a finder over files that exist by name only, and a record of its lookups. */
function lab(files: readonly string[] = FILES, folders: readonly string[] = [WS]) {
  const asked: string[] = [];
  const finder = new SourceFinder({
    folders: () => folders,
    isFile: (path) => {
      asked.push(path);
      return Promise.resolve(files.includes(path));
    },
    findByTail: (tail, limit) => {
      asked.push(`…/${tail}`);
      return Promise.resolve(files.filter((file) => file.endsWith(`/${tail}`)).slice(0, limit));
    },
  });
  return { finder, asked };
}

function referenceIn(line: string): SourceReference {
  const [reference] = findSourceReferences(line);
  assert.ok(reference, line);
  return reference;
}

describe('the workspace file of a source reference', () => {
  const api = { ...BARE, workingDir: '/app', projectFolders: [WS], service: 'api' };
  const mount = (source: string, target: string): FileOrigins => {
    return { ...BARE, binds: [{ source, target }] };
  };
  const web = mount(`${WS}/web`, '/app');
  const page = mount(`${WS}/web/src/page.js`, '/x/main.js');
  const elsewhere = { ...mount('/elsewhere', '/app'), projectFolders: [`${WS}/web`] };
  const foo = 'java/src/main/java/com/example/Foo.java';
  const router = 'node_modules/express/lib/router.js';
  const runtime = '  File "/usr/lib/python3.12/logging/__init__.py", line 1, in f';
  const found: [why: string, line: string, origins: FileOrigins, file: string][] = [
    ['by a bind mount', 'at /app/src/index.js:1:2', web, 'web/src/index.js'],
    ['by the bind mount of one file', '/x/main.js:1', page, 'web/src/page.js'],
    [
      'by a bind mount and the working directory',
      'src/index.js:1',
      { ...web, workingDir: '/app' },
      'web/src/index.js',
    ],
    ['by a bind mount elsewhere', '/app/src/page.js:1', elsewhere, 'web/src/page.js'],
    ["by the service's folder", '/app/src/index.js:1', api, 'api/src/index.js'],
    [
      "by the service's folder in the workspace",
      '/app/src/index.js:1',
      { ...api, projectFolders: [] },
      'api/src/index.js',
    ],
    ["by the project's folder", '/app/web/src/index.js:1', api, 'web/src/index.js'],
    ['by the end of its path', '/srv/build/web/src/page.js:1', BARE, 'web/src/page.js'],
    ['by the longest end of its path', '/srv/web/src/index.js:1', BARE, 'web/src/index.js'],
    [
      "by the end of its path in the service's folder",
      '/srv/src/index.js:1',
      { ...api, workingDir: '' },
      'api/src/index.js',
    ],
    ['by its name if the log line has no folder', 'main.go:12: x', BARE, 'cmd/main.go'],
    ['by the package of its class', 'at com.example.Foo.bar(Foo.java:12)', BARE, foo],
    ['by its path in the package', `/app/${router}:1`, BARE, `web/${router}`],
  ];
  const passwd = mount('/etc/passwd', '/x/passwd.js');
  const workspace = mount(WS, '/app');
  const other = '/app/node_modules/other/lib/router.js:1';
  const lost: [why: string, line: string, origins: FileOrigins][] = [
    ['if several files match', '/srv/src/index.js:1', BARE],
    ['by the file name alone of an absolute path', '/srv/other/page.js:1', BARE],
    ['by the file name alone of a class', 'at Foo.main(Foo.java:12)', BARE],
    ['for a file of a language runtime', runtime, BARE],
    ['in node_modules by a part of its path in the package', other, BARE],
    ['outside the workspace by a bind mount', '/x/passwd.js:1', passwd],
    ['outside the workspace by the end of its path', '/srv/src/only.js:1', BARE],
    ['by a path that leaves the mounted folder', '/app/../../../etc/passwd.js:1', workspace],
  ];
  for (const [why, line, origins, file] of found) {
    it(`is found ${why}`, async () => {
      assert.equal(await lab().finder.find(referenceIn(line), origins), `${WS}/${file}`);
    });
  }
  for (const [why, line, origins] of lost) {
    it(`is not found ${why}`, async () => {
      assert.equal(await lab().finder.find(referenceIn(line), origins), undefined);
    });
  }

  it('is not found if two workspace folders have it', async () => {
    const { finder } = lab(['/a/src/x.js', '/b/src/x.js'], ['/a', '/b']);
    assert.equal(
      await finder.find(referenceIn('/app/src/x.js:1'), { ...BARE, workingDir: '/app' }),
      undefined,
    );
  });

  it('is found on Windows, ignoring the case of the drive', async () => {
    const { finder } = lab(['c:/Me/shop/x.js'], ['C:\\Me\\shop']);
    const binds = [{ source: 'c:/Me/shop', target: '/app' }];
    assert.equal(
      await finder.find(referenceIn('/app/x.js:1'), { ...BARE, binds }),
      'c:/Me/shop/x.js',
    );
  });

  it('is not found without a workspace, and not looked up', async () => {
    const { finder, asked } = lab(FILES, []);
    assert.equal(await finder.find(referenceIn('main.go:1'), BARE), undefined);
    assert.deepEqual(asked, []);
  });

  it('is not found if too many files have the name to know them all', async () => {
    const files = Array.from({ length: 60 }, (_, i) => `${WS}/${i}/y/x.js`);
    const { finder } = lab([`${WS}/src/y/x.js`, ...files]);
    assert.equal(await finder.find(referenceIn('/src/y/x.js:1'), BARE), undefined);
  });

  it('is looked up once per container, until the cache is cleared', async () => {
    const { finder, asked } = lab();
    const reference = referenceIn('main.go:12');
    await Promise.all([finder.find(reference, BARE), finder.find({ ...reference, line: 9 }, BARE)]);
    const once = asked.length;
    await finder.find(reference, { ...BARE, id: 'other' });
    assert.equal(asked.length, 2 * once);
    finder.clear();
    await finder.find(reference, BARE);
    assert.equal(asked.length, 3 * once);
  });

  it('is looked up again after a failure, and when evicted from the cache', async () => {
    let failures = 0;
    const finder = new SourceFinder({
      folders: () => [WS],
      isFile: () => Promise.reject(new Error(String(++failures))),
      findByTail: () => Promise.resolve([]),
    });
    await assert.rejects(finder.find(referenceIn('x.js:1'), BARE), /1/);
    await assert.rejects(finder.find(referenceIn('x.js:1'), BARE), /2/);
    const { finder: other, asked } = lab();
    for (let i = 0; i <= 1001; i++) await other.find({ start: 0, end: 1, path: `x${i}.js` }, BARE);
    const before = asked.length;
    await other.find({ start: 0, end: 1, path: 'x1001.js' }, BARE);
    assert.equal(asked.length, before);
    await other.find({ start: 0, end: 1, path: 'x0.js' }, BARE);
    assert.ok(asked.length > before);
  });

  it('is never outside the workspace, whatever a log contains', async () => {
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
            isFile: () => Promise.resolve(true),
            findByTail: (tail) => Promise.resolve([`/etc/${tail}`, `${WS}/../${tail}`]),
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
