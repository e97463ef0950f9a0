import assert from 'node:assert/strict';
import type { PullStep } from '../../../src/engine/model.ts';
import { Transfers } from '../../../src/registries/transfers/transfers.ts';
import type { TransferResult } from '../../../src/registries/transfers/transfer.ts';
import type * as notifications from '../../../src/output/transferNotifications.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { CancellationTokenSource, window } from '../support/fakeVscode.ts';
import { pullCommand } from '../../../src/commands/registries/pullCommand.ts';
import { openCommandLab, type CommandLab } from '../support/commandLab.ts';
import { act, shown } from '../support/fakeEditor.ts';
import { settle, when } from '../support/lab.ts';
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
    const pulling = lab.run(pullCommand());
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
    assert.equal(await lab.run(pullCommand()), undefined);
    assert.deepEqual([lab.ui.shown.length, shown(), lab.engine.seen], [1, [], []]);
  });
});

describe('the notifications of transfers', () => {
  const { withProgress, createOutputChannel } = window;
  let TransferNotifications: typeof notifications.TransferNotifications;
  let transfers: Transfers;
  let toasts: notifications.TransferNotifications;
  let step: (step: PullStep) => void;
  let end: PromiseWithResolvers<TransferResult>;
  /** What was reported to the notification. */
  let reports: { readonly message: string; readonly increment: number }[];
  let clock: FakeClock;
  /** The open output channels. */
  let channels: string[];

  before(async () => {
    ({ TransferNotifications } = await import('../../../src/output/transferNotifications.ts'));
  });
  beforeEach(() => {
    reports = [];
    channels = [];
    clock = new FakeClock();
    end = Promise.withResolvers();
    act();
    const show = (_: object, work: (bar: object, token: object) => Promise<unknown>) =>
      work(
        { report: (one: (typeof reports)[0]) => reports.push(one) },
        new CancellationTokenSource().token,
      );
    const open = (name: string): object => {
      channels.push(name);
      const dispose = (): void => void channels.splice(channels.indexOf(name), 1);
      return { ...createOutputChannel(name), dispose };
    };
    Object.assign(window, { withProgress: show, createOutputChannel: open });
    transfers = new Transfers(clock);
    toasts = new TransferNotifications(transfers, String);
  });
  afterEach(() => {
    toasts.dispose();
    transfers.dispose();
    Object.assign(window, { withProgress, createOutputChannel });
  });

  /** Starts a transfer that the test controls. */
  const start = (kind: 'pull' | 'push', title: string) => {
    const spec = { kind, title, engine: 'default', reference: title, keepsFailure: false };
    const { promise } = end;
    const work = (onStep: typeof step) => {
      step = onStep;
      return promise;
    };
    return transfers[kind]({ ...spec, work } as never);
  };
  const layer = (id: string, current: number): PullStep => {
    return { id, status: 'Downloading', current, total: 100 };
  };
  /** The history, without the times. */
  const history = (): readonly string[] =>
    shown()
      .filter(({ kind }) => kind === 'line')
      .map(({ text, detail = '' }) => `${detail}${text.replace(/^\S+/, '')}`);

  it('show the progress, which never goes back', async () => {
    const transfer = start('pull', 'app:1');
    const waiting = toasts.show(transfer);
    await settle();
    step(layer('a', 25));
    clock.pass(1000);
    step(layer('a', 75));
    clock.pass(1000);
    await settle();
    const sum = reports.reduce((all, { increment }) => all + increment, 0);
    assert.equal(sum, 75);
    assert(reports.every(({ increment }) => increment >= 0 && increment <= 75));
    assert.match(reports.at(-1)?.message ?? '', /^75% · /);
    const before = reports.length;
    start('push', 'other:1');
    clock.pass(1000);
    assert.equal(reports.length, before);
    end.resolve({ imageId: 'sha256:1', digest: 'sha256:2' });
    assert.deepEqual(await waiting, await end.promise);
    await settle();
    const { length } = reports;
    start('push', 'other:2');
    clock.pass(1000);
    await settle();
    assert.equal(reports.length, length);
  });

  it('show at once what a transfer did before', async () => {
    const transfer = start('pull', 'app:1');
    await settle();
    step(layer('a', 25));
    clock.pass(1000);
    const waiting = toasts.show(transfer);
    await settle();
    assert.deepEqual(
      reports.map(({ increment }) => increment),
      [25],
    );
    end.resolve({ imageId: 'sha256:1' });
    await waiting;
  });

  it('write the history of all pulls and pushes, each with its outcome', async () => {
    start('pull', 'app:1');
    end.resolve({ imageId: 'sha256:1' });
    await settle();
    end = Promise.withResolvers();
    start('push', 'app:1');
    end.resolve({ digest: 'sha256:2' });
    await settle();
    end = Promise.withResolvers();
    start('push', 'me/app:2');
    end.reject(new Error('denied'));
    await settle();
    assert.deepEqual(history(), [
      'Gantry: Pull  app:1  Pulling',
      'Gantry: Pull  app:1  Pulled: image sha256:1, digest –',
      'Gantry: Push  app:1  Pushing',
      'Gantry: Push  app:1  Pushed: digest sha256:2',
      'Gantry: Push  me/app:2  Pushing',
      'Gantry: Push  me/app:2  Failed: Error: denied',
    ]);
    assert.deepEqual(channels, ['Gantry: Pull', 'Gantry: Push']);
    toasts.dispose();
    assert.deepEqual(channels, []);
    start('push', 'me/app:3');
    assert.equal(history().length, 6);
  });
});
