import assert from 'node:assert/strict';

import { CreateHistory, redactCreateArguments } from '../../../src/recipes/createHistory.ts';

/** VS Code's storage, which stores values as JSON. */
class Memento {
  text = '{}';

  get(key: string): unknown {
    return (JSON.parse(this.text) as Record<string, unknown>)[key];
  }

  update(key: string, value: unknown): Promise<void> {
    this.text = JSON.stringify({ ...(JSON.parse(this.text) as object), [key]: value });
    return Promise.resolve();
  }
}

const SECRET = 'never-to-be-kept';

describe('commands/createHistory', () => {
  let lasts: Memento;
  let ends: Memento;
  let memory: CreateHistory;
  beforeEach(() => {
    lasts = new Memento();
    ends = new Memento();
    memory = new CreateHistory(lasts, ends);
  });

  it('returns the last values of each repository, whatever the tag', async () => {
    await memory.keep({ image: 'nginx:1', ports: ['8080:80'], name: 'web', start: true });
    await memory.keep({ image: 'redis', cpus: 1 });
    const known = memory.last('docker.io/library/nginx@sha256:' + '0'.repeat(64));
    assert.deepEqual(known, {
      args: { image: 'nginx:1', ports: ['8080:80'], name: 'web' },
      notKept: [],
    });
    await memory.keep({ image: 'nginx:2', tty: true });
    assert.deepEqual(memory.last('nginx')?.args, { image: 'nginx:2', tty: true });
    assert.equal(memory.last('ghcr.io/me/nginx'), undefined);
  });

  it('stores nothing for an image without a name, and at most thirty images', async () => {
    await memory.keep({ image: '0123456789ab' });
    await memory.keep({ image: `sha256:${'0'.repeat(64)}` });
    assert.equal(lasts.text, '{}');
    for (let index = 0; index < 40; index++) await memory.keep({ image: `image${index}` });
    assert.equal(memory.last('image9'), undefined);
    assert(memory.last('image10'));
    assert(memory.last('image39'));
  });

  it('stores no value that looks like a secret, and returns the names of those', async () => {
    await memory.keep({
      image: 'x',
      env: [
        `DB_PASSWORD=${SECRET}`,
        `API_TOKEN=${SECRET}`,
        `client_secret=${SECRET}=${SECRET}`,
        `AWS_SECRET_ACCESS_KEY=${SECRET}`,
        `URL=postgres://me:${SECRET}@db/x`,
        'EMPTY_TOKEN=',
        'TZ=UTC',
      ],
      labels: { 'traefik.auth': SECRET, team: 'red' },
      cmd: ['server', '--requirepass', SECRET],
      entrypoint: ['/tini', '--'],
      healthcheck: { test: `check --token ${SECRET}` },
    });
    assert(!lasts.text.includes(SECRET), lasts.text);
    const { args, notKept } = memory.last('x')!;
    assert.deepEqual(args, {
      image: 'x',
      env: [
        'DB_PASSWORD=',
        'API_TOKEN=',
        'client_secret=',
        'AWS_SECRET_ACCESS_KEY=',
        'URL=',
        'EMPTY_TOKEN=',
        'TZ=UTC',
      ],
      labels: { 'traefik.auth': '', team: 'red' },
      entrypoint: ['/tini', '--'],
    });
    assert.deepEqual(notKept, [
      'DB_PASSWORD',
      'API_TOKEN',
      'client_secret',
      'AWS_SECRET_ACCESS_KEY',
      'URL',
      'traefik.auth',
      'cmd',
      'healthcheck',
    ]);
  });

  it('stores all values that are no secrets', () => {
    const args = {
      image: 'x',
      cmd: ['monkey', 'author'],
      healthcheck: false as const,
      env: ['A=http://host:80/x@y'],
    };
    assert.deepEqual(redactCreateArguments(args), { args, notKept: [] });
  });

  it('puts the last used action first', async () => {
    assert.deepEqual(memory.ends(), ['start', 'follow', 'create']);
    await memory.keepEnd('create');
    assert.deepEqual(memory.ends(), ['create', 'start', 'follow']);
    ends.text = '{"gantry.lastCreateEnd":"x"}';
    assert.deepEqual(memory.ends(), ['start', 'follow', 'create']);
  });
});
