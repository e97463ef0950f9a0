import assert from 'node:assert/strict';
import {
  compareAction,
  compareBuildCommand,
} from '../../../../src/commands/review/compareBuildCommand.ts';
import { buildCommand } from '../../../../src/commands/builds/buildCommand.ts';
import { loadReview, type ReviewSubject } from '../../../../src/review/review.ts';
import { describeReview } from '../../../../src/review/reviewRow.ts';
import { BuildNode } from '../../../../src/views/builds/buildNode.ts';
import { tar, type Entry } from '../../../bed/tar.ts';
import { json } from '../../support/fakeEngine.ts';
import { ENTER, pick } from '../../support/scriptedUi.ts';
import { openBuildLab, type BuildLab } from '../builds/buildLab.ts';

const OLD = `sha256:${'1'.repeat(64)}`;
const NEW = `sha256:${'2'.repeat(64)}`;
const NONE = 'Only a build of this window whose image has changed can be compared.';

interface FakeImage {
  readonly size: number;
  /** The text of the file `/app`. */
  readonly app: string;
}

const never = (): never => assert.fail('not expected');
const file = (name: string, text: string): Entry => ({
  ...{ name, kind: 'file', data: Buffer.from(text) },
});

describe('comparing a build with the last one', () => {
  let lab: BuildLab;
  /** The images of the engine by ID, and what its tags refer to. */
  let images: Map<string, FakeImage>;
  let tags: Map<string, string>;
  let subjects: ReviewSubject[];
  let focused: number;
  const reviews = {
    owner: 'test',
    open: (subject: ReviewSubject, signal?: AbortSignal) => {
      subjects.push(subject);
      return loadReview(subject, signal);
    },
    focus: () => {
      focused += 1;
      return Promise.resolve();
    },
  };
  beforeEach(async () => {
    images = new Map([
      [OLD, { size: 5000, app: 'one' }],
      [NEW, { size: 4000, app: 'two' }],
    ]);
    tags = new Map([['docker.io/library/shop:1', OLD]]);
    subjects = [];
    focused = 0;
    lab = await openBuildLab(({ path }, response) => {
      const [, name = '', operation] = /^\/images\/(.+)\/(json|get)$/.exec(path) ?? [];
      const reference = decodeURIComponent(name);
      const id = tags.get(reference) ?? reference;
      const image = images.get(id);
      if (path === '/images/json')
        json(
          response,
          200,
          [...images].map(([Id, { size }]) => ({ Id, Size: size })),
        );
      else if (!image) json(response, 404, { message: 'no such image' });
      else if (operation === 'json')
        // As with the containerd image store: the compressed size.
        json(response, 200, { Id: id, Size: 7, RootFS: { Layers: ['base', id] } });
      else response.end(archiveOf(image));
    });
    lab.work = () => {
      tags.set('docker.io/library/shop:1', NEW);
      return Promise.resolve(NEW);
    };
  });
  afterEach(() => lab.close());

  function archiveOf({ app }: FakeImage): Buffer {
    const layers = [tar([file('etc', 'x')]), tar([file('app', app), file('same', 'x')])];
    const list = JSON.stringify([{ Layers: ['0/layer.tar', '1/layer.tar'] }]);
    const [base = '', top = ''] = layers.map(String);
    return tar([
      ...[file('0/layer.tar', base), file('1/layer.tar', top)],
      file('manifest.json', list),
    ]);
  }

  const build = (args: object): Promise<unknown> =>
    lab.call(buildCommand(lab.ui, { compare: never }), {
      context: lab.folder,
      tags: ['shop:1'],
      ...args,
    });
  const command = (): ReturnType<typeof compareBuildCommand> => compareBuildCommand(reviews);
  const compare = (): Promise<unknown> => {
    const { ref } = lab.builds.all.at(-1) ?? assert.fail();
    return lab.call(command(), { ref });
  };

  it('lists the files that changed since the image that had the tag, and the size', async () => {
    await build({});
    assert.deepEqual(await compare(), {
      ...{ imageId: NEW, lastImageId: OLD, sizeChange: -1000 },
      ...{ added: 0, changed: 1, deleted: 0 },
    });
    const [subject = assert.fail()] = subjects;
    assert.deepEqual([subject.name, subject.base], ['shop:1', '111111111111']);
    assert.equal(describeReview(await loadReview(subject)), 'shop:1 · 1 changed · −1.0 kB');
    assert.equal(focused, 0);
  });

  it('is offered in the row and after a build as long as the last image exists', async () => {
    await build({});
    const [run = assert.fail()] = lab.builds.all;
    const row = new BuildNode(run, String);
    const texts = { now: () => 0 };
    assert.equal(row.present(texts).contextValue, 'build.done.comparable.again.file');
    const offered = () => compareAction(lab.context, run, () => Promise.resolve(reviews));
    const [button = assert.fail()] = await offered();
    assert.equal(button.title, 'Compare with Last Build');
    await button.run();
    await lab.run(command(), row);
    assert.deepEqual([subjects.length, focused], [2, 2]);
    images.delete(OLD);
    assert.deepEqual(await offered(), []);
    await assert.rejects(compare(), { message: 'The image of the last build no longer exists.' });
  });

  it('takes the last build of the same stage if the tags are new', async () => {
    await build({ tags: ['shop:0'], target: 'build' });
    images.set(OLD, { size: 1, app: 'three' });
    lab.work = () => Promise.resolve(OLD);
    await build({ tags: ['shop:2'] });
    await assert.rejects(compare(), { message: NONE });
    await build({ tags: ['shop:3'], target: 'build' });
    await compare();
    assert.deepEqual(
      subjects.map(({ base, id }) => [base, id]),
      [['222222222222', OLD]],
    );
  });

  it('has nothing to compare if the image is the same, or the build is unknown', async () => {
    lab.work = () => Promise.resolve(OLD);
    await build({});
    await assert.rejects(compare(), { message: NONE });
    await assert.rejects(lab.call(command(), { ref: 'other' }), { message: NONE });
    const [run = assert.fail()] = lab.builds.all;
    assert.deepEqual(await compareAction(lab.context, run, never), []);
  });

  it('does not keep a build from running if the engine does not know what is there', async () => {
    lab.engine.answer(({ path }, response) => {
      json(response, path.includes('shop') ? 500 : 404, { message: 'broken' });
    });
    assert.ok(await build({}));
  });

  it('is a button of the message that an image was built', async () => {
    lab.ui.act(ENTER, pick('Build'));
    const run = { title: 'Compare with Last Build', run: () => undefined };
    const follow = { compare: () => Promise.resolve([run]) };
    await lab.run(buildCommand(lab.ui, follow));
    const [said] = lab.ui.of('info');
    assert.deepEqual(said?.buttons, ['Create Container...', 'Compare with Last Build']);
  });
});
