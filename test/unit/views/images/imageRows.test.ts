import assert from 'node:assert/strict';
import { DEFAULT_ARRANGEMENT } from '../../../../src/views/images/imageArrangement.ts';
import { formatCount } from '../../../../src/views/format.ts';
import { ImageNode } from '../../../../src/views/images/imageNode.ts';
import { container, idOf, image } from '../../inventory/support/nouns.ts';
import { record, Stage } from '../support/stage.ts';

const sha = (letter: string): string => `sha256:${idOf(letter)}`;
/** The stage's clock is at noon on June 1. */
const created = { createdAt: '2026-05-18T12:00:00Z', size: 4_260_000 };

describe('ImageRows', () => {
  let stage: Stage;

  beforeEach(() => {
    stage = new Stage();
  });

  it('has one row per tag, each with its own ID', () => {
    stage.show([], [image('a', { tags: ['web:2', 'web:1', 'web:1'] })]);
    const rows = stage.imageRows();
    assert.deepEqual(stage.labels(rows.roots), ['web:1', 'web:2']);
    assert.deepEqual(
      rows.roots.map((node) => node.id),
      [`default/image/${sha('a')}/web:1`, `default/image/${sha('a')}/web:2`],
    );
    assert.deepEqual([rows.size, rows.total], [2, 2]);
    rows.arrange({ ...DEFAULT_ARRANGEMENT, filter: 'web:2' });
    assert.deepEqual([rows.size, rows.total], [1, 2]);
    stage.inventory.replaceImages([image('a', { tags: [] }), image('b', { tags: ['web:2'] })]);
    assert.deepEqual([rows.size, rows.total], [1, 2]);
    stage.inventory.replaceImages([]);
    assert.deepEqual([rows.size, rows.total], [0, 0]);
  });

  it('shows the size, the age, and how many containers use the image', () => {
    const users = [
      container('b', { imageId: sha('a') }),
      container('c', { imageId: sha('a'), state: 'exited' }),
    ];
    stage.show(users, [image('a', { tags: ['web:1'], ...created })]);
    const look = stage.imageRows().roots[0]?.present(stage.context);
    assert.equal(look?.description, '4.3 MB · 2 wk · used by 2');
    assert.equal(look.contextValue, 'image.tagged');
    assert.equal(look.icon?.id, 'package');
    assert.equal(look.accessibilityLabel, 'Image web:1, 4.3 MB, 2 wk, used by 2');
  });

  it('shows the registry last, because it may be long', () => {
    const tags = ['127.0.0.1:5002/team/secret:1', 'localhost/app:1', 'MYHOST/b:1', 'c/d:1'];
    stage.show([], [image('a', { tags, ...created })]);
    const looks = stage.imageRows().roots.map((node) => node.present(stage.context));
    assert.deepEqual(
      looks.map(({ label, description }) => [label, description]),
      [
        ['app:1', '4.3 MB · 2 wk · localhost'],
        ['b:1', '4.3 MB · 2 wk · MYHOST'],
        ['c/d:1', '4.3 MB · 2 wk'],
        ['team/secret:1', '4.3 MB · 2 wk · 127.0.0.1:5002'],
      ],
    );
    assert.equal(looks[3]?.accessibilityLabel, 'Image 127.0.0.1:5002/team/secret:1, 4.3 MB, 2 wk');
  });

  it('shows an untagged image as dangling, in its description and by its icon', () => {
    stage.show([], [image('a', { tags: [], ...created })]);
    const [node] = stage.imageNodes(stage.imageRows());
    const look = node?.present(stage.context);
    assert.equal(look?.label, 'untagged');
    assert.equal(look.description, 'dangling · 4.3 MB · 2 wk · aaaaaaaaaaaa');
    assert.equal(look.contextValue, 'image.dangling');
    assert.deepEqual(look.icon, { id: 'package', color: 'disabledForeground' });
    assert.equal(node?.reference, undefined);
    assert.equal(node?.id, `default/image/${sha('a')}/`);
  });

  it('shows the repository of an untagged image if a digest contains it', () => {
    stage.show([], [image('a', { tags: [], digests: [`shop/web@${sha('b')}`] })]);
    assert.deepEqual(stage.labels(stage.imageRows().roots), ['shop/web (untagged)']);
  });

  it('sorts by name in natural order, with untagged images last, newest first', () => {
    stage.show(
      [],
      [
        image('a', { tags: [], createdAt: '2026-01-01T00:00:00Z' }),
        image('b', { tags: [], createdAt: '2026-03-01T00:00:00Z' }),
        image('e', { tags: [], createdAt: '' }),
        image('c', { tags: ['web:10', 'app:1'] }),
        image('d', { tags: ['web:9'] }),
      ],
    );
    const roots = stage.imageNodes(stage.imageRows());
    const names = roots.map(({ reference, image: { id } }) => reference ?? id.slice(7, 8));
    assert.deepEqual(names, ['app:1', 'web:9', 'web:10', 'b', 'a', 'e']);
  });

  it('shows the parent image and the containers in the tooltip', () => {
    const digest = `web@${sha('d')}`;
    stage.show(
      [container('z', { imageId: sha('a') }), container('b', { imageId: sha('a') })],
      [
        image('a', { tags: ['web:1', 'web:2'], parentId: sha('c'), digests: [digest], ...created }),
        image('c', { tags: ['base:3'] }),
      ],
    );
    const tooltip = stage.tooltip(stage.imageRows().find(sha('a'), 'web:1'));
    assert.deepEqual(
      { ...tooltip, Created: '' },
      {
        Name: 'web:1',
        'Other tags': 'web:2',
        ID: sha('a'),
        Digests: digest,
        Created: '',
        Size: '4.3 MB',
        'Parent image': 'base:3',
        'Used by': 'b, z',
      },
    );
  });

  it('shows the short ID of a parent image that is untagged or unknown', () => {
    stage.show([], [image('a', { parentId: sha('c') })]);
    const tooltip = stage.tooltip(stage.imageRows().roots[0]);
    assert.equal(tooltip['Parent image'], 'cccccccccccc');
    assert.equal('Used by' in tooltip, false);
  });

  it('keeps the row of a tag when other tags of the image change', () => {
    stage.show([], [image('a', { tags: ['web:1'] })]);
    const rows = stage.imageRows();
    const [before] = stage.imageNodes(rows);
    const fired = record(stage, rows);
    stage.inventory.replaceImages([image('a', { tags: ['app:1', 'web:1'], size: 2000 })]);
    assert.deepEqual(stage.labels(rows.roots), ['app:1', 'web:1']);
    assert.equal(rows.roots[1], before);
    assert.equal(before?.image.size, 2000);
    assert.deepEqual(fired, ['* web:1']);
    stage.inventory.replaceImages([image('a', { tags: ['web:1'], size: 2000 })]);
    assert.deepEqual(stage.labels(rows.roots), ['web:1']);
  });

  it('moves a tag from one image to another', () => {
    stage.show([], [image('a', { tags: ['web:1'] })]);
    const rows = stage.imageRows();
    stage.inventory.replaceImages([image('a', { tags: [] }), image('b', { tags: ['web:1'] })]);
    assert.deepEqual(stage.labels(rows.roots), ['web:1', 'untagged']);
    assert.equal(rows.find(sha('a'))?.reference, undefined);
    assert.equal(rows.find(sha('b'))?.reference, 'web:1');
  });

  it('repaints only the rows of the image whose containers changed', () => {
    stage.show([], [image('a', { tags: ['web:1', 'web:2'] }), image('b')]);
    const fired = record(stage, stage.imageRows());
    stage.change(container('c', { imageId: sha('a') }));
    assert.deepEqual(fired, ['web:1 web:2']);
  });

  it('shows the operation in progress', () => {
    stage.show([], [image('a', { tags: ['web:1'], ...created })]);
    const rows = stage.imageRows();
    const fired = record(stage, rows);
    stage.activity.begin(sha('a'), 'removing');
    const look = rows.roots[0]?.present(stage.context);
    assert.equal(look?.description, 'removing... · 4.3 MB · 2 wk');
    assert.equal(look.icon?.id, 'loading~spin');
    assert.deepEqual(fired, ['web:1']);
  });

  it('shows the operation only on the row of the affected tag', () => {
    stage.show([], [image('a', { tags: ['web:1', 'web:2'], ...created })]);
    const rows = stage.imageRows();
    stage.activity.begin('web:2', 'removing');
    const icons = rows.roots.map((node) => node.present(stage.context).icon?.id);
    assert.deepEqual(icons, ['package', 'loading~spin']);
  });

  it('finds the row for a name as the user writes it', () => {
    const tags = ['localhost/web:latest', 'docker.io/library/base:3'];
    stage.show([], [image('a', { tags })]);
    const rows = stage.imageRows();
    const found = (reference?: string): string | undefined =>
      rows.find(sha('a'), reference)?.reference;
    assert.equal(found('web'), tags[0]);
    assert.equal(found('web:latest'), tags[0]);
    assert.equal(found('library/base:3'), tags[1]);
    assert.equal(found('base:3'), tags[1]);
    assert.equal(found('ase:3'), undefined);
    assert.ok(rows.find(sha('a')) instanceof ImageNode);
    assert.equal(rows.find(sha('b')), undefined);
  });

  describe('arranged rows', () => {
    const named = (letter: string, ...tags: readonly string[]) => image(letter, { tags });
    const images = [
      named('a', 'web:2', 'ghcr.io/me/app:1'),
      named('b', 'web:10'),
      image('c', { tags: [], createdAt: '2026-05-01T00:00:00Z' }),
      named('d', 'ghcr.io/me/other:3', 'localhost:5000/x'),
    ];
    const tree = (rows: ReturnType<Stage['imageRows']>): unknown =>
      rows.roots.map((node) =>
        node.children
          ? [node.present(stage.context).label, ...stage.labels(node.children)]
          : node.present(stage.context).label,
      );

    it('are grouped by repository, with the tag as their title', () => {
      stage.show([], images);
      const rows = stage.imageRows({ groupBy: 'repository' });
      assert.deepEqual(tree(rows), [
        ['ghcr.io/me/app', '1'],
        ['ghcr.io/me/other', '3'],
        ['localhost:5000/x', 'x'],
        ['web', '2', '10'],
        ['untagged', 'untagged'],
      ]);
      assert.equal(rows.size, 6);
      const [, , , web] = rows.roots;
      const look = web?.present(stage.context);
      assert.equal(look?.description, '2 tags');
      assert.equal(look.contextValue, 'images');
      assert.equal(rows.find(sha('b'))?.parent, web);
      assert.match(
        rows.find(sha('b'))?.present(stage.context).accessibilityLabel ?? '',
        /^Image web:10, /,
      );
    });

    it('are grouped by registry', () => {
      stage.show([], images);
      assert.deepEqual(tree(stage.imageRows({ groupBy: 'registry' })), [
        ['docker.io', 'web:2', 'web:10'],
        ['ghcr.io', 'me/app:1', 'me/other:3'],
        ['localhost:5000', 'x'],
        ['untagged', 'untagged'],
      ]);
    });

    it('are sorted by creation date or size', () => {
      const dated = (letter: string, month: number, size: number) =>
        image(letter, { tags: [`${letter}:1`], createdAt: `2026-0${month}-01T00:00:00Z`, size });
      stage.show([], [dated('a', 1, 5), dated('b', 3, 7), dated('c', 2, 9)]);
      assert.deepEqual(tree(stage.imageRows({ sortBy: 'newest' })), ['b:1', 'c:1', 'a:1']);
      const rows = stage.imageRows({ sortBy: 'size' });
      assert.deepEqual(tree(rows), ['c:1', 'b:1', 'a:1']);
      const fired = record(stage, rows);
      stage.inventory.replaceImages([dated('a', 1, 8), dated('b', 3, 7), dated('c', 2, 9)]);
      assert.deepEqual(tree(rows), ['c:1', 'a:1', 'b:1']);
      assert.deepEqual(fired, ['*']);
    });

    it('leave out dangling images and images that do not match the filter', () => {
      stage.show([], images);
      const rows = stage.imageRows({ showDangling: false });
      assert.equal(rows.size, 5);
      assert.equal(rows.find(sha('c')), undefined);
      const found = (filter: string): unknown => tree(stage.imageRows({ filter }));
      assert.deepEqual(found('WEB'), ['web:2', 'web:10']);
      assert.deepEqual(found('cccc'), ['untagged']);
      assert.deepEqual(found('nowhere'), []);
      const digests = [`app@${sha('f')}`, `web@${sha('f')}`];
      stage.inventory.replaceImages([image('a', { tags: ['app:1', 'web:1'], digests })]);
      assert.deepEqual(found('web'), ['web:1']);
      assert.deepEqual(found('ffff'), ['app:1', 'web:1']);
      stage.inventory.replaceImages([...images, named('e', 'new:1')]);
      assert.equal(rows.size, 6);
    });

    it('show no age if the engine reports no date, as Docker 29 for a foreign platform', () => {
      stage.show([], [image('a', { tags: ['web:1'], size: 1000, createdAt: '' })]);
      const [row = assert.fail()] = stage.imageRows().roots;
      assert.equal(row.present(stage.context).description, '1.0 kB');
      assert.equal('Created' in stage.tooltip(row), false);
    });

    it('are counted, visible and total', () => {
      const text = (shown: number, all: number, filter = ''): string =>
        formatCount({ shown, all, filter });
      assert.equal(text(12, 12), '12');
      assert.equal(text(3, 12, 'web'), '“web” · 3 of 12');
      assert.equal(text(0, 0), '');
    });

    it('are replaced in one change', () => {
      stage.show([], images);
      const rows = stage.imageRows();
      const fired = record(stage, rows);
      rows.arrange({ ...DEFAULT_ARRANGEMENT, groupBy: 'registry', filter: 'web' });
      assert.deepEqual(tree(rows), [['docker.io', 'web:2', 'web:10']]);
      assert.deepEqual(fired, ['*']);
      rows.arrange({ ...DEFAULT_ARRANGEMENT, filter: 'nowhere' });
      assert.deepEqual(tree(rows), []);
    });

    it('follow the order of the new arrangement', () => {
      const sized = (letter: string, size: number) =>
        image(letter, { tags: [`${letter}:1`], size });
      stage.show([], [sized('a', 5), sized('b', 9)]);
      const rows = stage.imageRows();
      assert.deepEqual(tree(rows), ['a:1', 'b:1']);
      rows.arrange({ ...DEFAULT_ARRANGEMENT, sortBy: 'size' });
      assert.deepEqual(tree(rows), ['b:1', 'a:1']);
    });

    it('repaint only what changed: the row of a used image, or the group of a new one', () => {
      stage.show([], images);
      const rows = stage.imageRows({ groupBy: 'repository' });
      const fired = record(stage, rows);
      stage.change(container('x', { imageId: sha('b') }));
      stage.inventory.replaceImages([...images, named('e', 'web:11')]);
      stage.inventory.replaceImages(images);
      assert.deepEqual(fired, ['10', 'web', 'web']);
    });

    it('keep a group whose last tag is replaced by another, and remove an empty group', () => {
      stage.show([], [named('a', 'web:1', 'app:1')]);
      const rows = stage.imageRows({ groupBy: 'repository' });
      const [, web] = rows.roots;
      stage.inventory.replaceImages([named('a', 'web:2')]);
      assert.deepEqual(tree(rows), [['web', '2']]);
      assert.equal(rows.roots[0], web);
    });
  });
});
