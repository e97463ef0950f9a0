import assert from 'node:assert/strict';
import {
  mergeBuilds,
  mergeServices,
  type ComposeBuild,
  type MergedService,
} from '../../../src/projects/composeBuild.ts';
import { readComposeFile } from '../../../src/projects/composeFile.ts';

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

async function serviceBuild(text: string, service: string): Promise<ComposeBuild | undefined> {
  const file = await readComposeFile(text);
  return file?.services.find(({ name }) => name === service)?.build;
}

async function buildOf(text: string): Promise<ComposeBuild | undefined> {
  const lines = text.split('\n').map((line) => `      ${line}\n`);
  const file = await readComposeFile(`services:\n  web:\n    build:\n${lines.join('')}`);
  return file?.services[0]?.build;
}

describe('projects/readComposeBuild', () => {
  it('reads a context alone, and one with Dockerfile, target and arguments', async () => {
    assert.deepEqual(await buildOf('./web'), { context: './web', args: {}, leftOut: [] });
    const text = ['context: web', 'dockerfile: prod.Dockerfile', 'target: run', 'args:'];
    assert.deepEqual(await buildOf([...text, '  PORT: 80', '  PRICE: $$5'].join('\n')), {
      ...{ context: 'web', dockerfile: 'prod.Dockerfile', target: 'run' },
      ...{ args: { PORT: '80', PRICE: '$5' }, leftOut: [] },
    });
  });

  it('leaves out what has variables, what comes from the environment, and what it does not know', async () => {
    const text = ['args:', '  - A=1', '  - B=${B}', '  - C', 'target: $STAGE', 'ssh: [default]'];
    assert.deepEqual(await buildOf(text.join('\n')), {
      ...{ args: { A: '1' }, leftOut: ['ssh', 'args.B', 'args.C', 'target'] },
    });
  });

  it('is not there without a known context', async () => {
    assert.equal(await buildOf('$FOLDER'), undefined);
    assert.equal(await buildOf('context: ${FOLDER:-web}'), undefined);
    assert.equal(await buildOf(''), undefined);
  });

  const CONTEXT = { context: './trap' };
  const cases: [service: string, build: Partial<ComposeBuild> | undefined][] = [
    ['web', { context: './front end' }],
    [
      'api',
      { context: '../api', dockerfile: 'docker/Dockerfile.dev', target: 'dev', args: CONTEXT },
    ],
    ['jobs', { context: './jobs', dockerfile: 'Dockerfile' }],
    ['number', { context: '7', dockerfile: 'Dockerfile' }],
    ['odd', {}],
    ['empty', { dockerfile: 'Dockerfile' }],
    ['loose', { dockerfile: 'D"x' }],
    ['merged', { context: './nowhere' }],
    [
      'several',
      { context: './several', dockerfile: 'Dockerfile.jobs', target: 'dev', args: CONTEXT },
    ],
    ['aliased', { context: './front end' }],
    ['lines', { context: './a b' }],
    ...['env', 'reset', 'tagged', 'lost', 'volumes', 'services', '', '__proto__'].map(
      (name): [string, undefined] => [name, undefined],
    ),
  ];
  for (const [service, build] of cases) {
    it(`reads the build section of the service "${service}", or skips it if not supported`, async () => {
      const expected = build && { args: {}, leftOut: [], ...build };
      for (const text of [COMPOSE, COMPOSE.replaceAll('\n', '\r\n')])
        assert.deepEqual(await serviceBuild(text, service), expected);
    });
  }

  it('returns undefined for a file that is not a valid compose file', async () => {
    for (const text of [
      ...['', '7', '[]', 'services: []', 'services:\n\tweb:\n\t\tbuild: .', 'services:\nweb:'],
      ...['services: {web: {build: .}', 'services: {web: {build: *none}}', 'services: &a {<<: *a}'],
    ]) {
      assert.equal(await serviceBuild(text, 'web'), undefined, text);
    }
    assert.deepEqual(
      await serviceBuild('---\nservices:\n  web: {}\n---\nservices:', 'web'),
      undefined,
    );
    const [first, second] = ['a', 'b'].map((path) => `services: {web: {build: ${path}}}\n---\n`);
    assert.deepEqual(await serviceBuild(`${first}${second}`, 'web'), {
      context: 'a',
      args: {},
      leftOut: [],
    });
    assert.deepEqual(await serviceBuild('services:\n web:\n  build: .', 'web'), {
      context: '.',
      args: {},
      leftOut: [],
    });
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
      assert.equal(await serviceBuild(text, 'web'), undefined);
    });
  }
});

describe('projects/mergeBuilds', () => {
  it('merges key by key, and the later file counts', () => {
    const before: ComposeBuild = {
      ...{ context: 'web', target: 'run', args: { A: '1', B: '2' } },
      leftOut: ['ssh', 'dockerfile', 'args.C', 'args.D'],
    };
    const after: ComposeBuild = {
      ...{ dockerfile: 'dev.Dockerfile', target: 'dev', args: { B: '3', C: '4' } },
      leftOut: ['ssh', 'args.E'],
    };
    assert.deepEqual(mergeBuilds(before, after), {
      ...{ context: 'web', dockerfile: 'dev.Dockerfile', target: 'dev' },
      ...{ args: { A: '1', B: '3', C: '4' }, leftOut: ['ssh', 'args.D', 'args.E'] },
    });
    assert.deepEqual(mergeBuilds(undefined, after), after);
  });
});

describe('projects/mergeServices', () => {
  /** Merges what one file after another says below `web:`. */
  async function merged(...files: readonly string[]): Promise<MergedService> {
    let all: MergedService = { unknown: [] };
    for (const text of files) {
      const file = await readComposeFile(`services:\n  web: ${text}\n`);
      const [web] = file?.services ?? [];
      all = mergeServices(all, web ?? assert.fail('no service'));
    }
    return all;
  }
  const BASE =
    '{image: "me/app:1", build: {context: ., dockerfile: P, target: prod, ssh: [x], args: {A: 1, B: 2}}}';
  const args = { A: '1', B: '2' };
  const base = { context: '.', dockerfile: 'P', target: 'prod', args, leftOut: ['ssh'] };
  const dev = { context: './dev', args: {}, leftOut: [] };
  const image = 'me/app:1';
  const only = (build: MergedService['build'], unknown: readonly string[] = []): MergedService => {
    return { build, image, unknown };
  };
  const none = (build: MergedService['build'], unknown: readonly string[] = []): MergedService => {
    return { build, image: undefined, unknown };
  };
  const argsLeftOut = { args: { ...args, D: '4' }, leftOut: ['ssh', 'args'] };
  const cases: readonly (readonly [text: string, merged: MergedService])[] = [
    ['{}', only(base)],
    ['{image: !reset null, build: !override {context: ./dev}}', none(dev)],
    ['{build: !override ./dev}', only(dev)],
    ['{build: !reset null}', only(undefined)],
    ['!reset {}', none(undefined)],
    ['!override {build: x}', none({ ...dev, context: 'x' })],
    [
      '{build: {target: !reset null, ssh: !reset [], args: !override {B: 3}}}',
      only({ context: '.', dockerfile: 'P', args: { B: '3' }, leftOut: [] }),
    ],
    [
      '{build: {args: {A: !reset null, C: !odd x}}}',
      only({ ...base, args: { B: '2' }, leftOut: ['ssh', 'args.C'] }),
    ],
    [
      '{build: {dockerfile: !odd x, target: $STAGE}}',
      only({ context: '.', args, leftOut: ['ssh', 'dockerfile', 'target'] }),
    ],
    ['{build: !odd {context: x}, image: !odd y}', none(undefined, ['build', 'image'])],
    ['!odd {}', none(undefined, ['build', 'image'])],
    ['{extends: {service: x}}', only(base, ['extends'])],
    [
      '{build: $FOLDER}',
      only({ dockerfile: 'P', target: 'prod', args, leftOut: ['ssh', 'context'] }),
    ],
    ['{build: {args: {<<: {C: 3}, D: 4}}}', only({ ...base, ...argsLeftOut })],
  ];
  for (const [text, expected] of cases) {
    it(`merges ${text} as Compose does, or says what it does not know`, async () => {
      assert.deepEqual(await merged(BASE, text), expected);
    });
  }

  it('knows again what a later file says', async () => {
    const { build } = await merged(BASE, '{build: $FOLDER}', '{build: ./dev}');
    assert.deepEqual([build?.context, build?.target, build?.leftOut], ['./dev', 'prod', ['ssh']]);
    assert.deepEqual((await merged('{image: !odd x}', '{image: y}')).unknown, []);
  });
});
