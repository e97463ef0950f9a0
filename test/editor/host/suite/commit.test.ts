import assert from 'node:assert/strict';
import { refusal, run } from '../kit/commands.ts';
import { allImages, at, raw } from '../kit/engine.ts';
import { stateOf, useLab } from '../kit/lab.ts';
import { recordRequests } from '../kit/recorder.ts';

describe('gantry.containers.commit', () => {
  const lab = useLab('commit');
  const repository = (): string => `localhost/${lab.name('image')}`;

  it('creates an image that is immediately listed', async () => {
    const id = await lab.ended(['sh', '-c', 'echo kept > /file']);
    const { imageId } = await run('containers.commit', { id, repository: repository() });
    assert.match(imageId, /^sha256:[0-9a-f]{64}$/);
    const listed = (await run('images.list', {})).find((one) => one.id === imageId)!;
    assert.deepEqual(listed.tags, [`${repository()}:latest`]);
    const { id: next } = await run('containers.create', {
      image: `${repository()}:latest`,
      name: lab.name('next'),
      cmd: ['sh', '-c', '[ "$(cat /file)" = kept ] && exit 21'],
      start: true,
    });
    assert.deepEqual(await run('containers.wait', { id: next }), { exitCode: 21 });
  });

  it('accepts the tag as a field, or in the repository', async () => {
    const id = await lab.ended(['true']);
    const tags = async (imageId: string): Promise<unknown> =>
      (await run('images.list', {})).find((one) => one.id === imageId)?.tags;
    const first = await run('containers.commit', { id, repository: repository(), tag: 'v1.2' });
    assert.deepEqual(await tags(first.imageId), [`${repository()}:v1.2`]);
    const second = await run('containers.commit', { id, repository: `${repository()}:v3` });
    assert.deepEqual(await tags(second.imageId), [`${repository()}:v3`]);
  });

  it('passes message, author and changes to the engine', async () => {
    const id = await lab.ended(['true']);
    const { imageId } = await run('containers.commit', {
      id,
      repository: repository(),
      message: 'what & why = 1',
      author: 'Jo Doe <jo@example.org>',
      changes: ['ENV MODE=production', 'CMD ["echo", "a b"]', 'LABEL team=red', 'WORKDIR /tmp'],
    });
    const made = await raw('GET', `/images/${imageId}/json`);
    assert.equal(at(made, 'Comment'), 'what & why = 1');
    assert.equal(at(made, 'Author'), 'Jo Doe <jo@example.org>');
    assert.ok((at(made, 'Config', 'Env') as readonly string[]).includes('MODE=production'));
    assert.deepEqual(at(made, 'Config', 'Cmd'), ['echo', 'a b']);
    assert.equal(at(made, 'Config', 'Labels', 'team'), 'red');
    assert.equal(at(made, 'Config', 'WorkingDir'), '/tmp');
  });

  it('always sends the pause parameter, and leaves the container running', async () => {
    const id = await lab.running();
    const recorder = await recordRequests();
    try {
      await run('containers.commit', { id, repository: repository() });
      await run('containers.commit', { id, repository: repository(), tag: '2', pause: false });
      const commits = recorder.lines().filter((line) => line.includes('/commit?'));
      assert.deepEqual(
        commits.map((line) =>
          new URL(line.split(' ')[1]!, 'http://engine').searchParams.get('pause'),
        ),
        ['1', '0'],
      );
    } finally {
      await recorder.close();
    }
    assert.equal(await stateOf(id), 'running');
  });

  it('rejects an invalid name or change before any request, and leaves no image behind', async () => {
    await lab.ended(['true']);
    // A name requires a request to resolve; even that comes only after the checks.
    const id = lab.name();
    const recorder = await recordRequests();
    try {
      const commit = (options: object): Promise<unknown> =>
        run('containers.commit', { id, repository: repository(), ...options });
      await refusal(commit({ repository: 'UPPER/Case' }), /must be lowercase/);
      await refusal(commit({ repository: '' }), /empty/);
      await refusal(commit({ repository: 'two words' }), /space/);
      await refusal(commit({ tag: 't'.repeat(129) }), /129/);
      await refusal(commit({ tag: 'a b' }), /not a tag/);
      await refusal(commit({ repository: `${repository()}:a`, tag: 'b' }), /Two different tags/);
      await refusal(commit({ changes: ['RUN rm -rf /'] }), /RUN/);
      await refusal(commit({ changes: ['ENV'] }), /ENV/);
      await refusal(commit({ changes: 'ENV A=1' }), /"changes" must be an array of strings/);
      await refusal(run('containers.commit', { id }), /property "repository" is required/);
      assert.deepEqual(recorder.asked(), []);
    } finally {
      await recorder.close();
    }
    const tags = (await allImages()).flatMap(({ RepoTags }) => RepoTags ?? []);
    assert.ok(!tags.some((tag) => tag.includes(lab.name())));
  });
});

describe('the image commands', () => {
  const lab = useLab('image');

  it('tag adds a tag to an image', async () => {
    const reference = await lab.image('1');
    const repository = `localhost/${lab.name('other')}`;
    assert.deepEqual(await run('images.tag', { id: reference, repository, tag: '2' }), {
      outcome: 'tagged',
    });
    const list = await run('images.list', {});
    const one = list.find(({ tags }) => tags.includes(reference))!;
    assert.ok(one.tags.includes(`${repository}:2`), one.tags.join(' '));
  });

  it('tag accepts the ID of an image, and a prefix of the ID', async () => {
    const reference = await lab.image('1');
    const id = String(at(await raw('GET', `/images/${reference}/json`), 'Id')).replace(
      'sha256:',
      '',
    );
    const repository = `localhost/${lab.name('other')}`;
    for (const [index, text] of [`sha256:${id}`, id, id.slice(0, 12)].entries()) {
      await run('images.tag', { id: text, repository, tag: `t${index}` });
    }
    const list = await run('images.list', {});
    const tags = list.flatMap((one) => one.tags).filter((tag) => tag.startsWith(repository));
    assert.deepEqual(tags.sort(), [`${repository}:t0`, `${repository}:t1`, `${repository}:t2`]);
  });

  it('tag rejects an invalid name and a missing image', async () => {
    const id = await lab.image('1');
    await refusal(run('images.tag', { id, repository: 'UPPER' }), /must be lowercase/);
    await refusal(run('images.tag', { id, repository: 'a', tag: 't'.repeat(129) }), /129/);
    const nowhere = `localhost/${lab.name('nowhere')}`;
    await refusal(run('images.tag', { id: nowhere, repository: nowhere }), /nowhere/);
  });

  it('remove removes a tag, and the image with the last one', async () => {
    const container = await lab.ended(['sh', '-c', 'echo 1 > /one']);
    const repository = `localhost/${lab.name('image')}`;
    const { imageId } = await run('containers.commit', { id: container, repository, tag: '1' });
    await run('images.tag', { id: imageId, repository, tag: '2' });
    const remove = (tag: string): Promise<unknown> =>
      run('images.remove', { id: `${repository}:${tag}` });
    const isListed = async (): Promise<boolean> =>
      (await run('images.list', {})).some(({ id }) => id === imageId);
    assert.deepEqual(await remove('1'), { outcome: 'untagged' });
    assert.equal(await isListed(), true);
    assert.deepEqual(await remove('2'), { outcome: 'removed' });
    assert.equal(await isListed(), false);
    await refusal(remove('2'), /no such image/i);
    assert.deepEqual(await run('images.remove', { id: imageId }), { outcome: 'alreadyGone' });
  });

  it('remove by ID removes an image with one tag or none', async () => {
    const container = await lab.ended(['sh', '-c', 'echo 2 > /two']);
    const repository = `localhost/${lab.name('image')}`;
    const first = await run('containers.commit', { id: container, repository });
    const second = await run('containers.commit', { id: container, repository, message: 'again' });
    for (const { imageId } of [first, second]) {
      assert.deepEqual(await run('images.remove', { id: imageId }), { outcome: 'removed' });
    }
  });

  it('remove rejects an image in use, and an ID of an image with several tags', async () => {
    const container = await lab.ended(['sh', '-c', 'echo 3 > /three']);
    const repository = `localhost/${lab.name('image')}`;
    const { imageId } = await run('containers.commit', { id: container, repository, tag: '1' });
    await run('images.tag', { id: imageId, repository, tag: '2' });
    await refusal(run('images.remove', { id: imageId }), /force|multiple|more than/i);
    await run('images.remove', { id: `${repository}:2` });
    await run('containers.create', { image: `${repository}:1`, name: lab.name('user') });
    await refusal(run('images.remove', { id: `${repository}:1` }), /us(?:ed|ing)/);
  });

  it("inspect returns the engine's whole response", async () => {
    const id = await lab.image('1');
    assert.deepEqual(await run('images.inspect', { id }), await raw('GET', `/images/${id}/json`));
    await refusal(run('images.inspect', { id: `localhost/${lab.name('nowhere')}` }), /nowhere/);
  });
});
