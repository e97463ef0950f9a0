import assert from 'node:assert/strict';
import { pullCommand } from '../../../../src/commands/registries/pullCommand.ts';
import { transferCommands } from '../../../../src/commands/registries/transferCommands.ts';
import type { Transfer } from '../../../../src/registries/transfers/transfer.ts';
import { TransferNode } from '../../../../src/views/transfers/transferNode.ts';
import { json } from '../../support/fakeEngine.ts';
import { openRegistryLab, pullsAny, type RegistryLab } from '../../support/registryLab.ts';
import { ENTER, type } from '../../support/scriptedUi.ts';

const REFERENCE = '127.0.0.1:9/me/app:1';

const rowOf = (transfer: Transfer) => new TransferNode(transfer, String);

describe('the commands on pulls and pushes', () => {
  let lab: RegistryLab;
  beforeEach(async () => {
    lab = await openRegistryLab((_request, response) => {
      json(response, 500, { message: 'dial tcp 127.0.0.1:9: connect: connection refused' });
    });
    lab.ui.act(type(REFERENCE));
    await lab.run(pullCommand());
  });
  afterEach(() => lab.close());

  const failed = () => {
    const [transfer] = lab.context.window.transfers.all;
    assert(transfer);
    return transfer;
  };

  it('keep a failed pull, and show why it failed', () => {
    assert.equal(failed().phase, 'failed');
    const [error] = lab.ui.of('error');
    assert.match(error?.text ?? '', /^Could not pull the image: .*connection refused/);
  });

  it('show if a pull fails again, and keep it', async () => {
    const [, retry] = transferCommands();
    lab.ui.shown.length = 0;
    assert.equal(await lab.run(retry, rowOf(failed())), undefined);
    const [error, ...others] = lab.ui.of('error');
    assert.match(error?.text ?? '', /^Could not retry: .*connection refused/);
    assert.deepEqual(others, []);
    assert.equal(failed().phase, 'failed');
    assert.equal(lab.asked('/images/create').length, 2);
  });

  it('show nothing if the retry succeeds', async () => {
    const [, retry] = transferCommands();
    lab.engine.answer(pullsAny);
    lab.ui.shown.length = 0;
    assert.deepEqual(await lab.run(retry, rowOf(failed())), { outcome: 'retried' });
    assert.deepEqual(lab.ui.of('error'), []);
    assert.equal(failed().phase, 'done');
  });

  it('dismiss a failed pull by its row', async () => {
    const [, , dismiss] = transferCommands();
    await lab.run(dismiss, rowOf(failed()));
    assert.deepEqual(lab.context.window.transfers.all, []);
  });

  it('act on the pull that a caller names', async () => {
    const [cancel, , dismiss] = transferCommands();
    const call = (command: typeof cancel | typeof dismiss, reference = REFERENCE) =>
      lab.call(command, { reference });
    assert.deepEqual(await call(cancel), { outcome: 'notThere' });
    await assert.rejects(call(cancel, 'UPPER'), /capital letters/);
    assert.deepEqual(await call(dismiss), { outcome: 'dismissed' });
    assert.deepEqual(await call(dismiss), { outcome: 'notThere' });
  });

  it('ask for the pull if there is no row, and reject if there is none', async () => {
    const [, , dismiss] = transferCommands();
    lab.ui.act(ENTER);
    assert.deepEqual(await lab.run(dismiss), { outcome: 'dismissed' });
    const asked = lab.ui.of('pick').at(-1);
    assert.equal(asked?.detail, 'Select a pull or push');
    assert.deepEqual(
      asked.items?.map(({ label }) => label),
      [`Pull of ${REFERENCE}`],
    );
    assert.deepEqual(lab.context.window.transfers.all, []);
    assert.equal(await lab.run(dismiss), undefined);
    assert.equal(lab.ui.of('error').at(-1)?.text, 'No pull or push has failed.');
  });
});
