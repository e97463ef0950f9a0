import assert from 'node:assert/strict';
import {
  buildCopies,
  copiesIn,
  fileOriginsInBuild,
} from '../../../../src/logs/sources/buildCopies.ts';
import { candidatesFor, type FileOrigins } from '../../../../src/logs/sources/fileOrigins.ts';

const COMPOSE = `services:
  api:
    build:
      context: ../api
      dockerfile: "docker/Dockerfile.dev"
      target: dev
  odd:
    build: { context: ., target: $STAGE }
`;

describe('copiesIn', () => {
  const copies = (text: string, target?: string, workingDir = ''): readonly string[] =>
    copiesIn(text, { ...(target !== undefined && { target }), args: {} }, workingDir).map(
      (copy) => `${copy.source} → ${copy.target}${copy.isFile ? '!' : ''}`,
    );

  it('finds few copies in a malicious Dockerfile', () => {
    const stages = Array.from({ length: 9000 }, (_, at) => `FROM s${at} AS s${at + 1}\nCOPY a /b`);
    assert.deepEqual(copiesIn(stages.join('\n'), { args: {} }, '/app'), []);
    assert.equal(copiesIn('\n'.repeat(256 * 1024), { args: {} }, '/app').length, 0);
    assert.ok(copiesIn(`FROM a\n${'COPY a b\n'.repeat(9000)}`, { args: {} }, '/app').length <= 200);
    assert.equal(copiesIn(`FROM a\nCOPY ${'--a '.repeat(60_000)}`, { args: {} }, '/app').length, 0);
  });

  it('returns the targets by the working directory at that point, the last first', () => {
    const text = `FROM node:24
      WORKDIR /app
      COPY --chown=node package.json \\
        # for its packages
        package-lock.json ./
      WORKDIR src
      copy ["lib", "."]
      COPY . /app/`;
    assert.deepEqual(copies(text), [
      '. → /app',
      ...['lib → /app/src/lib!', 'lib → /app/src'],
      ...['package-lock.json → /app/package-lock.json!', 'package-lock.json → /app'],
      ...['package.json → /app/package.json!', 'package.json → /app'],
    ]);
  });

  it('returns the copies of the final stage, then those of the build stages', () => {
    const text = `FROM golang AS build\nWORKDIR /src\nCOPY . .
      FROM build AS test\nCOPY e2e /e2e
      FROM scratch\nCOPY --from=build /src/app /app\nCOPY conf /etc/app`;
    assert.deepEqual(copies(text), [
      ...['conf → /etc/app/conf!', 'conf → /etc/app'],
      ...['e2e → /e2e/e2e!', 'e2e → /e2e', '. → /src', '. → /src'],
    ]);
    assert.deepEqual(copies(text, 'Build').at(0), '. → /src');
  });

  it("starts from the container's working directory if the base image does not set one", () => {
    assert.deepEqual(copies('FROM php\nCOPY . .', undefined, '/var/www'), ['. → /var/www']);
    assert.deepEqual(copies('FROM php\nCOPY . .'), []);
  });

  it('skips instructions that are not certain', () => {
    for (const line of [
      ...['COPY $SRC /app', 'COPY src $DST', 'COPY *.js /app', 'COPY "a b" /app', 'COPY /app'],
      ...['ADD https://a.example/x /app', 'COPY <<EOF /app', 'COPY ["a"', 'RUN cp . /app'],
    ]) {
      assert.deepEqual(copies(`FROM x\n${line}`, undefined, '/w'), [], line);
    }
    assert.deepEqual(copies('FROM x\nWORKDIR $HOME\nCOPY . .', undefined, '/w'), []);
    assert.deepEqual(copies('# escape=`\nFROM x\nWORKDIR C:\\app\nCOPY . .'), []);
    assert.deepEqual(copies('FROM x\nCOPY <<EOF /a\nCOPY src /opt\nEOF'), []);
    assert.deepEqual(copies('FROM x\nCOPY ../../etc /app'), ['etc → /app/etc!', 'etc → /app']);
  });
});

describe('buildCopies', () => {
  const API: FileOrigins = {
    ...{ id: 'c', binds: [], copies: [], workingDir: '/app', service: 'api' },
    projectFolders: ['/ws/deploy'],
    configFiles: ['/ws/deploy/compose.yaml', '/ws/deploy/dev.yaml'],
  };
  const files: Readonly<Record<string, string>> = {
    '/ws/deploy/compose.yaml': COMPOSE,
    '/ws/deploy/dev.yaml': 'services:\n  api:\n    build:\n      dockerfile: Dockerfile.own\n',
    '/ws/api/Dockerfile.own': 'FROM x\nCOPY src /app/lib\nFROM y AS dev\nCOPY src /opt/api',
  };
  const read = (path: string) => Promise.resolve(files[path]);

  it('follows the Dockerfile, else treats the working directory as a copy of the context', async () => {
    const copies = await buildCopies(API, read);
    const all = (path: string) => candidatesFor(path, { ...API, copies }, ['/ws']).flat();
    assert.equal(all('/opt/api/x.js')[0], '/ws/api/src/x.js');
    assert.ok(all('/app/lib/x.js').includes('/ws/api/src/x.js'));
    assert.ok(all('/app/main.js').includes('/ws/api/main.js'));
    assert.ok(all('main.js').includes('/ws/api/main.js'));
    assert.ok(!all('/opt/other.js').some((file) => file.startsWith('/ws/api/')));
  });

  it('keeps the arguments of a file if a later one has none', async () => {
    const own: Readonly<Record<string, string>> = {
      ...files,
      '/ws/deploy/compose.yaml': COMPOSE.replace('target: dev', 'args: { BASE: one }'),
      '/ws/api/Dockerfile.own': [
        ...['ARG BASE', 'FROM x AS one', 'COPY one /opt/api', 'FROM x AS two', 'COPY two /opt/api'],
        'FROM $BASE',
      ].join('\n'),
    };
    const copies = await buildCopies(API, (path) => Promise.resolve(own[path]));
    const [found] = candidatesFor('/opt/api/x.js', { ...API, copies }, ['/ws']).flat();
    assert.equal(found, '/ws/api/one/x.js');
  });

  it('returns nothing if the context is not known or cannot be read', async () => {
    assert.deepEqual(await buildCopies({ ...API, service: '' }, read), []);
    assert.deepEqual(await buildCopies({ ...API, service: 'odd' }, read), []);
    assert.deepEqual(await buildCopies({ ...API, projectFolders: [] }, read), []);
    assert.deepEqual(await buildCopies(API, () => Promise.resolve(undefined)), []);
  });
});

describe('fileOriginsInBuild', () => {
  const request = { context: '/ws/api', target: 'dev', args: { LIB: '/opt' } };
  const dockerfile = 'FROM x\nCOPY src /other\nFROM y AS dev\nARG LIB\nCOPY src /opt/api';

  it('follows the Dockerfile of the build, then looks in its context', () => {
    const origins = fileOriginsInBuild('s', request, dockerfile);
    const all = (path: string) => candidatesFor(path, origins, []).flat();
    assert.equal(all('/opt/api/x.js')[0], '/ws/api/src/x.js');
    assert.deepEqual(all('lib/x.js'), ['/ws/api/lib/x.js']);
  });

  it('knows nothing of a build that another client has started', () => {
    const origins = fileOriginsInBuild('s', undefined);
    assert.deepEqual(candidatesFor('lib/x.js', origins, ['/ws']).flat(), ['/ws/lib/x.js']);
  });
});
