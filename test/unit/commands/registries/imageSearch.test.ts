import assert from 'node:assert/strict';
import { ImageSearch, searchTerm } from '../../../../src/commands/registries/imageSearch.ts';
import type { FoundImage } from '../../../../src/engine/registries/registryImage.ts';
import { openConnection, type Connection } from '../../../../src/engine/http/connection.ts';
import { json, startFakeEngine, type FakeEngine } from '../../support/fakeEngine.ts';

const FOUND = [
  { name: 'nginx', description: 'Official', star_count: 20, is_official: true },
  { name: 'bitnami/nginx', star_count: -1 },
  { name: '' },
  'rubbish',
];

describe('commands/imageSearch', () => {
  let fake: FakeEngine;
  let connection: Connection;
  let search: ImageSearch;
  let answers: (readonly FoundImage[])[];
  let told: () => void;

  beforeEach(async () => {
    fake = await startFakeEngine();
    fake.answer((_, response) => json(response, 200, FOUND));
    const transport = { kind: 'socket', path: fake.socket } as const;
    connection = openConnection({ url: fake.url, transport, source: 'setting' });
    answers = [];
    const engine = { connect: () => Promise.resolve(connection) };
    search = new ImageSearch({ engine }, (images) => {
      answers.push(images);
      told();
    });
  });

  afterEach(async () => {
    search.dispose();
    connection.dispose();
    await fake.stop();
  });

  const nextAnswer = (): Promise<void> =>
    new Promise((resolve) => {
      told = resolve;
    });
  const asked = (): readonly string[] =>
    fake.seen
      .filter(({ path }) => path === '/images/search')
      .map(({ query }) => query.get('term') ?? '');

  it('sends one request for the last typed text, and parses the response', async () => {
    told = () => undefined;
    const answered = nextAnswer();
    for (const text of ['ng', 'ngi', 'nginx', 'nginx:', 'nginx:1']) search.type(text);
    await answered;
    assert.deepEqual(asked(), ['nginx']);
    assert.deepEqual(answers.at(-1), [
      { name: 'nginx', description: 'Official', stars: 20, isOfficial: true },
      { name: 'bitnami/nginx', description: '', stars: 0, isOfficial: false },
    ]);
    assert.equal(search.isBusy, false);
  });

  it('clears the results when the text is no longer a search term', async () => {
    const answered = nextAnswer();
    search.type('nginx');
    await answered;
    search.type('n');
    assert.deepEqual(answers.slice(1), [[]]);
    assert.deepEqual(asked(), ['nginx']);
  });

  it('finds nothing and shows no error if the engine cannot search', async () => {
    fake.answer((_, response) => json(response, 500, { message: 'no network' }));
    const answered = nextAnswer();
    search.type('nginx');
    await answered;
    assert.deepEqual(answers, [[]]);
  });

  it('does not ask an engine that searches only one registry about another', async () => {
    const answered = nextAnswer();
    search.type('ghcr.io/owner/app');
    await answered;
    assert.deepEqual(asked(), []);
    assert.deepEqual(answers, [[]]);
  });

  it('searches for the name without tag and default registry, and not for a single letter', () => {
    assert.equal(searchTerm('nginx:1.27'), 'nginx');
    assert.equal(searchTerm('docker.io/library/nginx'), 'nginx');
    assert.equal(searchTerm('index.docker.io/owner/app'), 'owner/app');
    assert.equal(searchTerm('localhost:5000/app:1'), 'localhost:5000/app');
    for (const text of ['', 'n', 'two words', 'UPPER']) assert.equal(searchTerm(text), undefined);
  });
});
