import assert from 'node:assert/strict';
import { pageItems } from '../../../src/cleanup/pageItems.ts';
import type { PageItem } from '../../../src/cleanup/protocol.ts';
import { judge } from '../../../src/commands/system/cleanupVerdicts.ts';
import type { EngineContents } from '../../../src/commands/system/cleanupItem.ts';
import { container, idOf, image, network, volume } from '../inventory/support/nouns.ts';

const NOW = Date.parse('2026-01-09T00:00:00Z');
const NOTHING: EngineContents = {
  ...{ containers: [], images: [], volumes: [], networks: [], use: undefined },
};
const SHOP = { 'com.docker.compose.project': 'shop', 'com.docker.compose.config-hash': 'hash' };

function shown(
  found: Partial<EngineContents>,
  worktrees: ReadonlyMap<string, string> = new Map(),
): ReturnType<typeof pageItems> {
  const all = { ...NOTHING, ...found };
  const isExcluded = ({ name }: { readonly name: string }) => name === 'precious';
  const keep = (one: { readonly name: string }) => (isExcluded(one) ? 'excluded' : undefined);
  const facts = {
    found: all,
    isExcluded,
    seenOf: ({ id }: { readonly id: string }) => id,
    worktrees,
    now: NOW,
  };
  return pageItems(judge(all, keep), facts);
}

const named = ({ items }: ReturnType<typeof pageItems>, name: string): PageItem =>
  items.find((one) => one.name === name) ?? assert.fail(name);

describe('cleanup/pageItems', () => {
  it('suggests what is easy to make again, and reports what the rest is', () => {
    const page = shown({
      containers: [
        container('1', {
          ...{ name: 'job', state: 'exited', exitCode: 0, status: 'Exited (0) 2 days ago' },
        }),
        container('2', { name: 'new', state: 'created' }),
        container('3', { name: 'web' }),
      ],
      images: [image('a', { tags: [] }), image('b', { tags: ['app:1'] })],
      volumes: [volume(idOf('e')), volume('data'), volume('precious')],
    });
    assert.deepEqual(
      page.items.map(({ name, state, isSuggested, note }) => [name, state, isSuggested, note]),
      [
        ['job', 'removable', true, 'Exited (0) 2 days ago'],
        ['new', 'removable', false, 'never started'],
        ['web', 'kept', false, 'running'],
        ['aaaaaaaaaaaa', 'removable', true, 'unused'],
        ['app:1', 'removable', false, 'tagged image'],
        ['eeeeeeeeeeee', 'removable', true, 'unused'],
        ['data', 'removable', false, 'named volume'],
        ['precious', 'kept', false, 'excluded'],
      ],
    );
    assert.equal(named(page, 'precious').isExcluded, true);
  });

  it('has the worktree of what a project of one has', () => {
    const own = { ...SHOP, 'com.docker.compose.project': 'shop-login' };
    const made = { 'com.docker.compose.project': 'shop-login' };
    const { items } = shown(
      {
        containers: [
          container('1', { name: 'web', labels: own, imageId: image('a').id }),
          container('2', { name: 'other', labels: SHOP }),
          // Of an image that Compose has built.
          container('3', { name: 'stranger', labels: made }),
        ],
        images: [image('a', { tags: ['web:1'] })],
        volumes: [volume('data', { labels: made }), volume('plain')],
        networks: [network('f', { name: 'net', labels: made })],
      },
      new Map([['shop-login', 'login\n· shop']]),
    );
    const found = Object.fromEntries(items.map(({ name, worktree }) => [name, worktree]));
    const login = 'login · shop';
    assert.deepEqual(found, {
      ...{ web: login, 'web:1': login, data: login, net: login },
      ...{ other: '', stranger: '', plain: '' },
    });
  });

  it('suggests no container that failed, and nothing of a running project', () => {
    const ended = (id: string, exitCode: number | undefined, labels = {}) =>
      container(id, { name: `job${id}`, state: 'exited', exitCode, labels });
    const other = { 'com.docker.compose.project': 'other' };
    const { items } = shown({
      containers: [
        ...[container('1', { labels: SHOP }), ended('2', 0, SHOP), ended('3', 2)],
        ...[ended('4', undefined), ended('5', 0, other), ended('6', 0)],
      ],
      networks: [network('7', { labels: SHOP }), network('8')],
    });
    const keys = items.filter(({ isSuggested }) => isSuggested).map(({ key }) => key.slice(0, 12));
    assert.deepEqual(keys, ['containers 5', 'containers 6', 'networks 888']);
  });

  it('names every tag of an image, and how many there are, because it loses all of them', () => {
    const tags = ['127.0.0.1:5001/qux/tool:1', 'tool:latest'];
    const pulled = { tags: ['a/app:1'], digests: ['a/app@sha256:1', 'b/app@sha256:1'] };
    const { items } = shown({ images: [image('a', { tags }), image('b', pulled)] });
    assert.deepEqual(
      items.map((one) => [one.name, one.tags, one.note]),
      [
        ['127.0.0.1:5001/qux/tool:1, tool:latest', 2, 'tagged image · 2 tags'],
        ['a/app:1, b/app@bbbbbbbbbbbb', 1, 'tagged image'],
      ],
    );
  });

  it('does not show the networks of the engine', () => {
    const names = shown({
      networks: [network('1', { name: 'bridge' }), network('2', { name: 'old' })],
    }).items.map(({ name }) => name);
    assert.deepEqual(names, ['old']);
  });

  it('does not suggest what only becomes unused by the removal of a container', () => {
    const imageId = `sha256:${idOf('a')}`;
    const page = shown({
      containers: [container('1', { name: 'job', state: 'exited', imageId })],
      images: [image('a', { tags: [] })],
    });
    const { isSuggested, note, needs } = named(page, 'aaaaaaaaaaaa');
    assert.deepEqual([isSuggested, note], [false, 'used by job']);
    assert.deepEqual(needs, [`containers ${idOf('1')}`]);
  });

  it('knows the project of volumes and containers, and of an image that one project uses', () => {
    const one = `sha256:${idOf('a')}`;
    const two = `sha256:${idOf('b')}`;
    const page = shown({
      containers: [
        container('1', { labels: SHOP, imageId: one }),
        container('2', { labels: SHOP, imageId: two }),
        container('3', {
          labels: {
            'com.docker.compose.project': 'blog',
            'com.docker.compose.config-hash': 'hash',
          },
          imageId: two,
        }),
      ],
      images: [image('a', { tags: ['one'] }), image('b', { tags: ['two'] })],
      volumes: [volume('data', { labels: SHOP })],
    });
    const projects = ['one', 'two', 'data'].map((name) => named(page, name).project);
    assert.deepEqual(projects, ['shop', '', 'shop']);
  });

  it('reports the age, also if it is not known', () => {
    const page = shown({
      volumes: ['2026-01-08T12:00:00Z', '2026-01-05T00:00:00Z', '2025-01-01T00:00:00Z', ''].map(
        (createdAt, at) => volume(`v${at}`, { createdAt }),
      ),
    });
    const ages = page.items.map(({ age, ageGroup }) => `${age} ${ageGroup}`);
    assert.deepEqual(ages, ['12 h day', '4 d week', '12 mo older', ' unknown']);
  });

  it('bounds texts and the number of items: the largest stay', () => {
    const long = shown({ volumes: [volume('x\u202e'.repeat(5000))] });
    assert.match(long.items[0]?.name ?? '', /^x{300}…$/);
    const images = Array.from({ length: 5002 }, (_, at) =>
      image('a', { id: `sha256:${at}`, tags: [`t${at}`], size: at }),
    );
    const { items, hidden } = shown({ images });
    assert.deepEqual([items.length, hidden, items[0]?.name], [5000, 2, 't2']);
  });

  it('shows what has to be removed before the largest items, however small it is', () => {
    const images = Array.from({ length: 5002 }, (_, at) => {
      const parent = at < 2 ? { parentId: `sha256:${at === 0 ? 1 : 5001}` } : {};
      return image('a', { id: `sha256:${at}`, tags: [`t${at}`], size: at, ...parent });
    });
    const page = shown({ images });
    assert.deepEqual([page.items.length, page.hidden], [5000, 2]);
    assert.deepEqual(named(page, 't5001').needs, ['images sha256:1']);
    assert.deepEqual(named(page, 't1').needs, ['images sha256:0']);
    assert.deepEqual(named(page, 't0').needs, []);
  });
});
