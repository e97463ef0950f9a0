import assert from 'node:assert/strict';
import { pullCommand } from '../../../src/commands/registries/pullCommand.ts';
import { openCommandLab, type CommandLab } from '../support/commandLab.ts';
import { act, shown } from '../support/fakeEditor.ts';
import { when } from '../support/lab.ts';
import { ESCAPE, type } from '../support/scriptedUi.ts';

const NAME = 'registry.example.org/layers:1';

describe('the notification of a pull', () => {
  let lab: CommandLab;
  let isEnded: boolean;
  beforeEach(async () => {
    isEnded = false;
    lab = await openCommandLab((_, response) => {
      response.on('close', () => (isEnded = true));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`${JSON.stringify({ status: 'Pulling from layers', id: '1' })}\n`);
    });
    act();
  });
  afterEach(() => lab.close());

  it('ends the request when the user cancels, and leaves no message', async () => {
    lab.ui.act(type(NAME));
    const pulling = lab.run(pullCommand(lab.ui));
    const notification = () => shown().find(({ kind }) => kind === 'progress');
    await when(() => notification() !== undefined && lab.engine.seen.length > 0);
    assert.equal(notification()?.text, `Pulling ${NAME}`);
    notification()?.cancel?.();
    assert.equal(await pulling, undefined);
    await when(() => isEnded);
    assert.equal(lab.engine.seen[0]?.path, '/images/create');
    assert.deepEqual(
      lab.ui.shown.map(({ kind }) => kind),
      ['pick', 'progress'],
    );
    const history = shown().filter(({ kind }) => kind === 'line');
    assert.match(history.at(-1)?.text ?? '', /layers:1 {2}Canceled$/);
  });

  it('is not shown if the user presses Escape at the image name', async () => {
    lab.ui.act(ESCAPE);
    assert.equal(await lab.run(pullCommand(lab.ui)), undefined);
    assert.deepEqual([lab.ui.shown.length, shown(), lab.engine.seen], [1, [], []]);
  });
});
