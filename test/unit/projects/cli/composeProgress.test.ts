import assert from 'node:assert/strict';
import {
  ComposeProgress,
  readComposeError,
  readComposeEvent,
} from '../../../../src/projects/cli/composeProgress.ts';

const json = (value: object): string => JSON.stringify(value);

describe('the progress of the compose CLI', () => {
  const shown = (...lines: readonly string[]): readonly string[] => {
    const progress = new ComposeProgress();
    return lines.flatMap((line) => progress.linesOf(line));
  };

  it('becomes lines that report what changed', () => {
    const id = 'Container shop-web-1';
    assert.deepEqual(
      shown(
        json({ level: 'warning', msg: 'Found orphan containers' }),
        json({ id, status: 'Creating' }),
        json({ id, status: 'Creating' }),
        json({ id, status: 'Created' }),
        json({ error: true, message: 'no such service: x' }),
        'plain text',
      ),
      [
        'warning: Found orphan containers',
        `${id}  Creating`,
        `${id}  Created`,
        'no such service: x',
        'plain text',
      ],
    );
  });

  it('leaves out the layers of an image', () => {
    const layer = json({ id: 'abc', parent_id: 'web', status: 'Downloading', current: 1 });
    assert.deepEqual(shown(json({ id: 'web', status: 'Pulling' }), layer), ['web  Pulling']);
  });

  it('has each step of a build once, with its output and error', () => {
    const step = { digest: 'sha256:a', name: '[web 1/2] RUN make' };
    const started = { ...step, started: '2026-01-01T00:00:00Z' };
    const data = Buffer.from('one\ntwo\n').toString('base64');
    assert.deepEqual(
      shown(
        json({ vertexes: [step] }),
        json({ vertexes: [started] }),
        json({ vertexes: [{ ...started, error: 'exit code: 2' }] }),
        json({ logs: [{ vertex: 'sha256:a', data }] }),
        json({ statuses: [{ id: 'exporting layers' }] }),
      ),
      ['[web 1/2] RUN make', 'exit code: 2', 'one', 'two'],
    );
  });

  it('has the word of Compose 5, and the reason of an error', () => {
    const id = 'Container shop-web-1';
    const working = json({ id, status: 'Working', text: 'Creating', percent: 50 });
    const failed = json({ id, status: 'Error', text: 'Error', details: 'no space left' });
    assert.deepEqual(shown(working, failed), [`${id}  Creating`, `${id}  no space left`]);
    assert.deepEqual(readComposeEvent(working), { id, status: 'Creating' });
    assert.deepEqual(readComposeEvent(json({ id, status: 'Done', text: 'Created' })), {
      id,
      status: 'Created',
    });
  });

  it('is text if it is not an object', () => {
    for (const line of ['', '{', '[1]', 'null', '{"id":'])
      assert.deepEqual(shown(line), [line], line);
    for (const line of ['{}', '{"id":7}', '{"vertexes":"x"}', '{"logs":[1,{"data":7}]}'])
      assert.deepEqual(shown(line), [], line);
  });

  it('has events and errors', () => {
    const event = { id: 'Network a', status: 'Created' };
    assert.deepEqual(readComposeEvent(json({ ...event, 'dry-run': true })), event);
    assert.equal(readComposeEvent(json({ id: 'a', text: 'b' })), undefined);
    assert.equal(readComposeEvent('x'), undefined);
    assert.equal(readComposeError(json({ error: true, message: 'bad\nthing' })), 'bad thing');
    assert.equal(readComposeError(json({ error: true })), '');
    assert.equal(readComposeError(json(event)), undefined);
  });
});
