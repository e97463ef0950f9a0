import assert from 'node:assert/strict';
import {
  buildCopies,
  composeBuildOf,
  type ServiceBuild,
  copiesIn,
} from '../../../../src/logs/sources/buildCopies.ts';
import { candidatesFor, type ContainerPaths } from '../../../../src/logs/sources/containerPaths.ts';

const COMPOSE = `# the shop
name: shop
x-base: &base
  build: ./nowhere
services:
  web:   # the front
    image: shop/web
    command: |
      build: ./trap
    build: &front './front end' # all of it
  api: &api
    build: &apiBuild
      args:
        context: ./trap
      context: ../api
      dockerfile: "docker/Dockerfile.dev"
      target: dev
  "jobs":
    build: { context: ./jobs, dockerfile: Dockerfile }
  loose:
    build: {dockerfile: "D\\"x"}
  odd:
    build: *base
  env:
    build: \${CONTEXT}/x
  merged:
    <<: *base
    image: x
  several:
    build:
      <<: [{ dockerfile: Dockerfile.jobs, context: ./trap }, *apiBuild]
      context: ./several
  aliased:
    build: *front
  lines:
    build: >-
      ./a
      b
  reset:
    <<: *base
    build: !reset null
  tagged:
    build: !override { context: ./trap }
  number:
    build: { context: 7, dockerfile: Dockerfile }
  empty:
    build: { context: , dockerfile: Dockerfile }
  lost:
    build: ~
volumes:
  services:
    web:
      build: ./trap
`;

describe('composeBuildOf', () => {
  const cases: [service: string, section: ServiceBuild | undefined][] = [
    ['web', { context: './front end' }],
    ['api', { context: '../api', dockerfile: 'docker/Dockerfile.dev', target: 'dev' }],
    ['jobs', { context: './jobs', dockerfile: 'Dockerfile' }],
    ['loose', { dockerfile: 'D"x' }],
    ['merged', { context: './nowhere' }],
    ['several', { context: './several', dockerfile: 'Dockerfile.jobs', target: 'dev' }],
    ['aliased', { context: './front end' }],
    ['lines', { context: './a b' }],
    ...[
      'odd',
      'env',
      'reset',
      'tagged',
      'number',
      'empty',
      'lost',
      'volumes',
      'services',
      '',
      '__proto__',
    ].map((name): [string, undefined] => [name, undefined]),
  ];
  for (const [service, section] of cases) {
    it(`reads the build section of the service "${service}", or skips it if not supported`, async () => {
      assert.deepEqual(await composeBuildOf(COMPOSE, service), section);
      assert.deepEqual(await composeBuildOf(COMPOSE.replaceAll('\n', '\r\n'), service), section);
    });
  }

  it('returns undefined for a file that is not a valid compose file', async () => {
    for (const text of [
      ...['', '7', '[]', 'services: []', 'services:\n\tweb:\n\t\tbuild: .', 'services:\nweb:'],
      ...['services: {web: {build: .}', 'services: {web: {build: *none}}', 'services: &a {<<: *a}'],
    ]) {
      assert.equal(await composeBuildOf(text, 'web'), undefined, text);
    }
    assert.deepEqual(
      await composeBuildOf('---\nservices:\n  web: {}\n---\nservices:', 'web'),
      undefined,
    );
    const [first, second] = ['a', 'b'].map((path) => `services: {web: {build: ${path}}}\n---\n`);
    assert.deepEqual(await composeBuildOf(`${first}${second}`, 'web'), { context: 'a' });
    assert.deepEqual(await composeBuildOf('services:\n web:\n  build: .', 'web'), { context: '.' });
  });

  const LONG = 256 * 1024;
  const times = <T>(count: number, make: (at: number) => T): T[] =>
    Array.from({ length: count }, (_, at) => make(at));
  // Each takes seconds with a simple reader.
  for (const [what, text] of [
    ['a scalar of many spaces', `services:\n  web:\n    build: a${' '.repeat(LONG)}b`],
    ['an unterminated string', `services:\n  web:\n    build: "${' '.repeat(LONG)}`],
    ['many invalid escapes', `services:\n  web:\n    build: "${'\\q'.repeat(LONG / 2)}"`],
    ['a list of many commas', `services: [${','.repeat(45_000)}]`],
    ['many equal keys', `services:\n${'  a:\n'.repeat(LONG / 5)}`],
    ['many blank lines', '\n'.repeat(LONG)],
    ['deeply nested maps', `services:\n${times(700, (at) => `${' '.repeat(at)}web:\n`).join('')}`],
    ['deeply nested lists', `services: ${'['.repeat(LONG)}`],
    ['a list of even more commas', `services: [${','.repeat(LONG)}]`],
    [
      'many aliases of the map that contains them',
      `services:\n  web: &a\n    <<: [${'*a,'.repeat(LONG / 3)}]`,
    ],
    [
      'nested aliases of exponential size',
      `a0: &a0 {}\n${times(9000, (at) => `a${at + 1}: &a${at + 1} {<<: [*a${at}, *a${at}]}\n`).join('')}services: *a9000`,
    ],
  ] as const) {
    it(`finds nothing in a malicious compose file with ${what}`, async () => {
      assert.equal((await composeBuildOf(text, 'web'))?.dockerfile, undefined);
    });
  }
});

describe('copiesIn', () => {
  const copies = (text: string, target?: string, workingDir = ''): readonly string[] =>
    copiesIn(text, target, workingDir).map(
      (copy) => `${copy.source} → ${copy.target}${copy.isFile ? '!' : ''}`,
    );

  it('finds few copies in a malicious Dockerfile', () => {
    const stages = Array.from({ length: 9000 }, (_, at) => `FROM s${at} AS s${at + 1}\nCOPY a /b`);
    assert.deepEqual(copiesIn(stages.join('\n'), undefined, '/app'), []);
    assert.equal(copiesIn('\n'.repeat(256 * 1024), undefined, '/app').length, 0);
    assert.ok(copiesIn(`FROM a\n${'COPY a b\n'.repeat(9000)}`, undefined, '/app').length <= 200);
    assert.equal(copiesIn(`FROM a\nCOPY ${'--a '.repeat(60_000)}`, undefined, '/app').length, 0);
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
    assert.deepEqual(copies('# escape=`\nFROM x\nCOPY . /app'), []);
    assert.deepEqual(copies('FROM x\nCOPY ../../etc /app'), ['etc → /app/etc!', 'etc → /app']);
  });
});

describe('buildCopies', () => {
  const API: ContainerPaths = {
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

  it('returns nothing if the context is not known or cannot be read', async () => {
    assert.deepEqual(await buildCopies({ ...API, service: '' }, read), []);
    assert.deepEqual(await buildCopies({ ...API, service: 'odd' }, read), []);
    assert.deepEqual(await buildCopies({ ...API, projectFolders: [] }, read), []);
    assert.deepEqual(await buildCopies(API, () => Promise.resolve(undefined)), []);
  });
});
