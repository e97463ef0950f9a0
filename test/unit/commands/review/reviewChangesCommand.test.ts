import assert from 'node:assert/strict';
import {
  reviewChangesCommand,
  reviewContentsCommand,
} from '../../../../src/commands/review/reviewChangesCommand.ts';
import { loadReview, type ReviewSubject } from '../../../../src/review/review.ts';
import type { ReviewController } from '../../../../src/review/reviewController.ts';
import { container, image } from '../../inventory/support/nouns.ts';
import { containerRow, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

describe('reviewing the changes of a container', () => {
  const web = container('a', { name: 'web' });
  const COUNTS = { added: 1, changed: 0, deleted: 1 };
  let lab: CommandLab;
  let subjects: ReviewSubject[];
  let focused: number;
  let reviews: ReviewController;
  beforeEach(async () => {
    lab = await openCommandLab(({ path }, response) => {
      if (!path.endsWith('/changes'))
        json(response, 200, { Id: web.id, Name: '/web', Config: { Image: 'me/app:1' } });
      else
        json(response, 200, [
          { Path: '/new.txt', Kind: 1 },
          { Path: '/old.txt', Kind: 2 },
        ]);
    });
    subjects = [];
    focused = 0;
    reviews = {
      owner: 'test',
      open: (subject: ReviewSubject, signal: AbortSignal) => {
        subjects.push(subject);
        return loadReview(subject, signal);
      },
      focus: () => {
        focused += 1;
        return Promise.resolve();
      },
    } as unknown as ReviewController;
    lab.list([web]);
  });
  afterEach(() => lab.close());

  it('shows the changes, and focuses the view', async () => {
    assert.deepEqual(await lab.run(reviewChangesCommand(reviews), containerRow(web)), COUNTS);
    assert.deepEqual(
      subjects.map(({ kind, name, base }) => [kind, name, base]),
      [['container', 'web', 'me/app:1']],
    );
    assert.equal(focused, 1);
  });

  it('returns their counts for an argument, without changing the focus', async () => {
    lab.register([reviewChangesCommand(reviews)]);
    const counted: unknown = await lab.handlerOf('gantry.containers.reviewChanges')({
      id: 'web',
    });
    assert.deepEqual([counted, focused], [COUNTS, 0]);
  });

  it('is refused for an image whose base image is missing', async () => {
    lab.engine.answer(({ path }, response) => {
      if (path === '/images/json') json(response, 200, []);
      else json(response, 200, { Id: image('b').id, RootFS: { Layers: ['sha256:1'] } });
    });
    await assert.rejects(
      lab.call(reviewContentsCommand(reviews), { id: 'me/app:1' }),
      /The base image of me\/app:1 is not available locally/,
    );
  });
});
