import assert from 'node:assert/strict';
import { ImageSearch, searchTerm } from '../../../../src/commands/images/imageSearch.ts';
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
    fake.answer((_, response) => {
      json(response, 200, FOUND);
    });
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

  it('asks once for what was typed last, and shapes what comes', async () => {
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

  it('finds nothing, and says nothing, where the engine cannot search', async () => {
    fake.answer((_, response) => {
      json(response, 500, { message: 'no network' });
    });
    const answered = nextAnswer();
    search.type('nginx');
    await answered;
    assert.deepEqual(answers, [[]]);
  });

  it('asks an engine that searches one registry for no other', async () => {
    const answered = nextAnswer();
    search.type('ghcr.io/owner/app');
    await answered;
    assert.deepEqual(asked(), []);
    assert.deepEqual(answers, [[]]);
  });

  it('looks for a name without its tag and the usual registry, and not for one letter', () => {
    assert.equal(searchTerm('nginx:1.27'), 'nginx');
    assert.equal(searchTerm('docker.io/library/nginx'), 'nginx');
    assert.equal(searchTerm('index.docker.io/owner/app'), 'owner/app');
    assert.equal(searchTerm('localhost:5000/app:1'), 'localhost:5000/app');
    for (const text of ['', 'n', 'two words', 'UPPER']) assert.equal(searchTerm(text), undefined);
  });
});
