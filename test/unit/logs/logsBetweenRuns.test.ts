import assert from 'node:assert/strict';
import { FOLLOW, LogLab, LOST, seen, STARTED_AGAIN } from '../support/logLab.ts';

describe('what is said of a restart', () => {
  let lab: LogLab;

  beforeEach(async () => {
    lab = await LogLab.start();
  });

  afterEach(() => lab.stop());

  /** The engine is away while the container goes on; then it is asked again. */
  async function away(meanwhile: () => void, endStream: () => void): Promise<void> {
    lab.engine.answer((_, response) => {
      response.destroy();
    });
    endStream();
    await lab.channels[0]!.endsWith(LOST);
    meanwhile();
    lab.engine.answer(lab.container.answer);
    lab.changed();
  }

  const restart = (): void => {
    lab.container.write('last of the old run\n');
    lab.container.exit(1);
    lab.container.start();
    lab.container.write('first of the new run\n');
  };

  it('stands between the runs, also where the connection was lost before', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith('one\n');
    await away(restart, () => {
      lab.container.endLogs();
    });
    await lab.channels[0]!.endsWith('first of the new run\n');
    assert.equal(
      lab.channels[0]!.text,
      `one\n${LOST}last of the old run\n${STARTED_AGAIN}first of the new run\n`,
    );
  });

  it('stands between the runs where nothing was read of the first', async () => {
    lab.container.start();
    await lab.open(FOLLOW);
    await seen(() => lab.container.followers === 1);
    await away(restart, () => {
      lab.container.endLogs();
    });
    await lab.channels[0]!.endsWith('first of the new run\n');
    assert.equal(
      lab.channels[0]!.text,
      `${LOST}last of the old run\n${STARTED_AGAIN}first of the new run\n`,
    );
  });

  it('stands between the runs, also where the next begins just before the engine answers', async () => {
    lab.container.start();
    lab.container.write('one\n');
    await lab.open(FOLLOW);
    await lab.channels[0]!.endsWith('one\n');
    let restarts = 0;
    lab.engine.answer((request, response) => {
      // It looked like the run of before a moment ago.
      if (request.path.includes('/logs') && restarts++ === 0) restart();
      return lab.container.answer(request, response);
    });
    // The engine has not noticed the exit yet.
    lab.container.endLogs();
    lab.changed();
    await lab.channels[0]!.endsWith('first of the new run\n');
    assert.equal(
      lab.channels[0]!.text,
      `one\nlast of the old run\n${STARTED_AGAIN}first of the new run\n`,
    );
  });
});
