import assert from 'node:assert/strict';
import { readComposeFile } from '../../../src/projects/composeFile.ts';

const COMPOSE = `# A shop
name: shop
include:
  - other.yaml
  - path: [a.yaml, b.yaml]
x-web: &web
  image: web:1
services:
  db:
    image: postgres:17
    ports: ["5432:5432", 80, {target: 8080, published: "9090"}]
  web:
    <<: *web
    build: .
    profiles: [front]
  worker:
    build:
      dockerfile: Dockerfile
`;

describe('readComposeFile', () => {
  it('reads the services with their lines', async () => {
    const file = await readComposeFile(COMPOSE);
    assert.deepEqual(file, {
      name: 'shop',
      line: 7,
      includes: ['other.yaml', 'a.yaml', 'b.yaml'],
      isWhole: true,
      services: [
        {
          line: 8,
          name: 'db',
          image: 'postgres:17',
          ports: ['5432:5432', '80', '9090:8080'],
          profiles: [],
        },
        { line: 11, name: 'web', image: 'web:1', build: '.', ports: [], profiles: ['front'] },
        { line: 15, name: 'worker', build: '.', ports: [], profiles: [] },
      ],
    });
  });

  it('reads the same lines if they end with a carriage return', async () => {
    const [unix, windows] = [COMPOSE, COMPOSE.replaceAll('\n', '\r\n')].map(readComposeFile);
    assert.deepEqual(await windows, await unix);
  });

  it('reads what is there of an unfinished file', async () => {
    assert.deepEqual(await readComposeFile(''), { services: [], includes: [], isWhole: true });
    assert.deepEqual(await readComposeFile('services:'), {
      line: 0,
      services: [],
      includes: [],
      isWhole: true,
    });
    const [web] = (await readComposeFile('services:\n  web:'))?.services ?? [];
    assert.deepEqual(web, { line: 1, name: 'web', ports: [], profiles: [] });
  });

  const refused: [what: string, text: string][] = [
    ['that is invalid', 'services: [\n'],
    ['with too much text', `services: {}\n#${'x'.repeat(300_000)}`],
    ['with too many tokens', `services:\n  web:\n    ports: [${'1,'.repeat(60_000)}]`],
    ['with deep nesting', `services: ${'['.repeat(5_000)}`],
  ];
  for (const [what, text] of refused) {
    it(`returns undefined for a file ${what}`, async () => {
      assert.equal(await readComposeFile(text), undefined);
    });
  }

  const partial: [what: string, text: string][] = [
    ['merges services', 'x-a: &a {web: {}}\nservices:\n  <<: *a\n  db: {}'],
    ['merges itself', 'x-a: &a {services: {web: {}}}\n<<: *a'],
    ['tags its services', 'services: !reset\n  web: {}'],
    ['has a service that is no text', 'services:\n  1: {}'],
    ['computes an include', 'include: ["${A}.yaml"]\nservices: {}'],
    ['includes from a folder', 'include: [{path: a.yaml, project_directory: ..}]\nservices: {}'],
    ['has an include of another kind', 'include: [[a.yaml]]\nservices: {}'],
    ['has one include', 'include: a.yaml\nservices: {}'],
    [
      'has too many services',
      `services: {${Array.from({ length: 501 }, (_, at) => `s${at}: {}`).join()}}`,
    ],
  ];
  for (const [what, text] of partial) {
    it(`is not the whole if the file ${what}`, async () => {
      assert.equal((await readComposeFile(text))?.isWhole, false);
    });
  }

  it('resolves few aliases and never expands them', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, at) => `x${at + 1}: &a${at + 1} [*a${at},*a${at}]`,
    );
    const file = await readComposeFile(
      `x0: &a0 [1]\n${levels.join('\n')}\nservices:\n  web:\n    ports: *a30\n`,
    );
    assert.deepEqual(file?.services[0]?.ports, []);
  });

  it('bounds and escapes what it returns', async () => {
    const many = Array.from({ length: 600 }, (_, at) => `  s${at}: {}`).join('\n');
    assert.equal((await readComposeFile(`services:\n${many}`))?.services.length, 500);
    const [web] =
      (await readComposeFile('services:\n  "we\\e[31mb\\n": {image: !!str "a\\u202eb"}'))
        ?.services ?? [];
    assert.doesNotMatch(JSON.stringify(web), /\\u001b|\\n|\u202e/);
  });
});
