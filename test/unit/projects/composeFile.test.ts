import assert from 'node:assert/strict';
import { parseCompose } from '../../../src/projects/composeNodes.ts';
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
  web:
    <<: *web
    build: .
    profiles: [front]
  worker:
    build:
      dockerfile: Dockerfile
    post_start: [{command: ./migrate}]
  model:
    provider: {type: model}
`;
const PLAIN = { profiles: [], isProvided: false, hasHooks: false };

describe('readComposeFile', () => {
  it('reads the services with their lines', async () => {
    const file = await readComposeFile(COMPOSE);
    const build = { args: {}, leftOut: [] };
    assert.deepEqual(file, {
      name: 'shop',
      line: 7,
      includes: ['other.yaml', 'a.yaml', 'b.yaml'],
      isWhole: true,
      services: [
        { ...PLAIN, line: 8, name: 'db', image: 'postgres:17' },
        {
          ...PLAIN,
          line: 10,
          name: 'web',
          image: 'web:1',
          build: { context: '.', ...build },
          profiles: ['front'],
        },
        {
          ...PLAIN,
          line: 14,
          name: 'worker',
          build: { ...build, dockerfile: 'Dockerfile' },
          hasHooks: true,
        },
        { ...PLAIN, line: 18, name: 'model', isProvided: true },
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
    assert.deepEqual(web, { ...PLAIN, line: 1, name: 'web' });
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
    ['has another document, which Compose merges', 'services: {}\n---\nservices:\n  web: {}'],
    [
      'has its services behind too many aliases',
      `x-a: &a {web: {}}\n${Array.from({ length: 30 }, (_, at) => `x-${at}: *a\n`).join('')}services: *a`,
    ],
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
      `x0: &a0 [1]\n${levels.join('\n')}\nservices:\n  web:\n    profiles: *a30\n`,
    );
    assert.deepEqual(file?.services[0]?.profiles, []);
  });

  it('searches a map once, however often it is merged', async () => {
    const yaml = await import('yaml');
    const keys = Array.from({ length: 1000 }, (_, at) => `  k${at}: 1\n`).join('');
    const levels = [1, 2, 3, 4, 5, 6].map(
      (at) => `x${at}: &a${at}\n  <<: [*a${at - 1}, *a${at - 1}, *a${at - 1}]\n`,
    );
    const nodes = await parseCompose(`x0: &a0\n${keys}${levels.join('')}`);
    assert(nodes);
    // This also resolves the aliases.
    assert.equal(nodes.get(nodes.get(nodes.root, 'x6'), 'build'), undefined);
    let searched = 0;
    const base = nodes.get(nodes.root, 'x0');
    assert(yaml.isMap(base));
    const { items } = base;
    Object.defineProperty(base, 'items', {
      get: () => {
        searched++;
        return items;
      },
    });
    assert.equal(nodes.get(nodes.get(nodes.root, 'x6'), 'image'), undefined);
    assert.ok(searched <= 2, String(searched));
  });

  it('survives a map that is merged into itself', async () => {
    const file = await readComposeFile('services:\n  web: &a\n    <<: *a\n    image: x\n');
    assert.equal(file?.services[0]?.image, 'x');
  });

  it('bounds what it returns', async () => {
    const many = Array.from({ length: 600 }, (_, at) => `  s${at}: {}`).join('\n');
    assert.equal((await readComposeFile(`services:\n${many}`))?.services.length, 500);
  });

  it('returns names and paths as they are, because they are compared and opened', async () => {
    const file = await readComposeFile(
      'include: ["a\u200cb "]\nservices:\n  "w\u200ceb ": {image: "x\u200cy", profiles: ["d\u200cev "]}',
    );
    const [web] = file?.services ?? [];
    assert.deepEqual(file?.includes, ['a\u200cb ']);
    assert.deepEqual([web?.name, web?.image], ['w\u200ceb ', 'x\u200cy']);
    assert.deepEqual(web?.profiles, ['d\u200cev ']);
  });
});
