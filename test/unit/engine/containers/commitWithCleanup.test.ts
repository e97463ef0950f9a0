import assert from 'node:assert/strict';
import {
  commitWithCleanup,
  healthCheckOf,
} from '../../../../src/engine/containers/commitWithCleanup.ts';
import { json, type Answer } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const id = (digit: string): string => `sha256:${digit.repeat(64)}`;
const REQUEST = { id: 'box', repository: 'me/app', pause: true, message: 'why', author: 'Jo' };

describe('engine/commitWithCleanup', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  /** Images that are removed after a failed commit that created the images of `left`; `1` existed before. */
  const removed = async (
    left: Readonly<Record<string, object>>,
    more: object = {},
  ): Promise<readonly string[]> => {
    let hasFailed = false;
    const answer: Answer = ({ method, path }, response) => {
      const image = Object.keys(left).find((one) => decodeURIComponent(path).includes(one));
      if (path === '/commit') {
        hasFailed = true;
        json(response, 500, { message: 'no space left on device' });
      } else if (path === '/images/json') {
        json(
          response,
          200,
          [id('1'), ...(hasFailed ? Object.keys(left) : [])].map((Id) => ({ Id })),
        );
      } else if (method === 'DELETE') json(response, 200, [{ Deleted: image }]);
      else if (path.startsWith('/containers/')) json(response, 200, { Id: 'box', Image: id('9') });
      else json(response, 200, { Id: image, ...left[image ?? ''] });
    };
    const { engine, connection } = await lab.fake(answer);
    await assert.rejects(
      commitWithCleanup(connection, { ...REQUEST, ...more }),
      /no space left on device/,
    );
    const gone = engine.seen.filter(({ method }) => method === 'DELETE');
    return gone.map(({ path }) => decodeURIComponent(path).replace('/images/', ''));
  };

  it('passes the health check of the container to Podman, unless the user gives one', async () => {
    const sent = async (version: string, changes?: readonly string[]) => {
      const { engine, connection } = await lab.fake(({ path }, response) => {
        const Healthcheck = { Test: ['CMD-SHELL', 'a || b'], Interval: 5e9, Retries: 2 };
        if (path === '/images/json') json(response, 200, []);
        else if (path === '/commit') json(response, 201, { Id: id('2') });
        else json(response, 200, { Id: 'box', Image: id('9'), Config: { Healthcheck } });
      });
      engine.ping((_, response) => {
        response.writeHead(200, { 'api-version': '1.41', 'libpod-api-version': version });
        response.end('OK');
      });
      const committed = await commitWithCleanup(connection, { ...REQUEST, changes });
      const commit = engine.seen.find(({ path }) => path === '/commit');
      return [commit?.query.getAll('changes'), committed.losesHealthCheck];
    };
    const own = 'HEALTHCHECK --interval=5000000000ns --retries=2 CMD a || b';
    assert.deepEqual(await sent('5.8.6', ['USER a']), [[own, 'USER a'], undefined]);
    const given = ['healthcheck NONE'];
    assert.deepEqual(await sent('5.8.6', given), [given, undefined]);
    assert.deepEqual(await sent('4.3.1'), [[], true]);
  });

  it('writes a health check as an instruction', () => {
    const of = (Test: unknown, more = {}) =>
      healthCheckOf({ Config: { Healthcheck: { Test, ...more } } });
    assert.equal(of(['CMD', 'a', 'b "c"']), 'HEALTHCHECK CMD ["a","b \\"c\\""]');
    assert.equal(of(['CMD-SHELL', 'a\nb']), 'HEALTHCHECK CMD ["/bin/sh","-c","a\\nb"]');
    assert.equal(of(['CMD-SHELL', '[ -e /a ]']), 'HEALTHCHECK CMD ["/bin/sh","-c","[ -e /a ]"]');
    assert.equal(of(['NONE']), 'HEALTHCHECK NONE');
    const times = { Timeout: 1, StartPeriod: 2 };
    assert.equal(of(['CMD', 'a'], times), 'HEALTHCHECK --timeout=1ns --start-period=2ns CMD ["a"]');
    for (const none of [undefined, [], ['CMD', 7]]) assert.equal(of(none), undefined);
  });

  it('removes the image of the failed commit if the engine reports its source container', async () => {
    const words = { Comment: 'why', Author: 'Jo' };
    const left = {
      [id('2')]: { ...words, Container: 'box' },
      [id('3')]: { ...words, Container: 'another' },
      [id('4')]: { Comment: 'because', Container: 'box' },
    };
    assert.deepEqual(await removed(left), [id('2')]);
  });

  it('compares parent, message and author if the engine does not report the source container', async () => {
    const ours = { Parent: id('9'), Comment: 'why', Author: 'Jo' };
    assert.deepEqual(
      await removed({
        [id('2')]: ours,
        [id('3')]: { ...ours, Comment: 'because' },
        [id('4')]: { ...ours, Parent: id('8') },
        // As Podman 6 reports it.
        [id('5')]: { ...ours, Author: '' },
        [id('6')]: { ...ours, Author: 'Ada' },
      }),
      [id('2'), id('5')],
    );
  });

  it('removes nothing if nothing proves whose the image is', async () => {
    const wordless = { message: undefined, author: undefined };
    assert.deepEqual(await removed({ [id('2')]: { Parent: id('9') } }, wordless), []);
  });

  it('removes nothing if the commit left no image', async () => {
    assert.deepEqual(await removed({}), []);
  });

  it('commits where images cannot be listed, and removes nothing if that fails', async () => {
    const { engine, connection } = await lab.fake(({ path }, response) => {
      if (path === '/commit') json(response, 201, { Id: id('2') });
      else json(response, 500, { message: 'layer not known' });
    });
    assert.deepEqual(await commitWithCleanup(connection, REQUEST), { imageId: id('2') });
    // The list works again when the commit fails: which images existed before is not known.
    let hasFailed = false;
    engine.answer(({ path }, response) => {
      if (path === '/commit') {
        hasFailed = true;
        json(response, 500, { message: 'no space left on device' });
      } else if (!hasFailed) json(response, 500, { message: 'layer not known' });
      else if (path === '/images/json') json(response, 200, [{ Id: id('2') }]);
      else json(response, 200, { Id: id('2'), Container: 'box' });
    });
    await assert.rejects(commitWithCleanup(connection, REQUEST), /no space left on device/);
    assert(engine.seen.every(({ method }) => method !== 'DELETE'));
  });

  it('sends no commit if it is canceled while images are listed', async () => {
    const controller = new AbortController();
    const { engine, connection } = await lab.fake(() => controller.abort());
    const committing = commitWithCleanup(connection, REQUEST, controller.signal);
    await assert.rejects(committing, { name: 'AbortError' });
    assert.deepEqual(
      engine.seen.map(({ path }) => path),
      ['/images/json'],
    );
  });
});
