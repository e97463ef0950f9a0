import assert from 'node:assert/strict';
import { EngineError } from '../../../../src/engine/errors.ts';
import type { PullStep } from '../../../../src/engine/model.ts';
import type { PullResult } from '../../../../src/engine/images/pullImage.ts';
import { NewerImages } from '../../../../src/registries/transfers/newerImages.ts';
import type { Transfer } from '../../../../src/registries/transfers/transfer.ts';
import { Transfers } from '../../../../src/registries/transfers/transfers.ts';
import { TransferRows } from '../../../../src/views/transfers/transferRows.ts';
import { idOf, image } from '../../inventory/support/nouns.ts';
import { turn } from '../../support/fakeClock.ts';
import { record, Stage } from '../support/stage.ts';

const IMAGE = `sha256:${idOf('b')}`;

describe('pulls and pushes in the Images view', () => {
  let stage: Stage;
  let transfers: Transfers;
  let newer: NewerImages;
  let rows: TransferRows;
  let step: (step: PullStep) => void;
  let end: (result: PullResult | EngineError) => void;

  beforeEach(() => {
    stage = new Stage();
    transfers = new Transfers(stage.clock);
    newer = new NewerImages();
    stage.show([], [image('a', { tags: ['app:1'] })]);
    rows = new TransferRows(stage.imageRows(), {
      ...{ transfers, newer },
      describe: (error) => (error as Error).message,
    });
  });

  afterEach(() => {
    rows.dispose();
    transfers.dispose();
  });

  const pull = async (engine = 'default'): Promise<Transfer> => {
    const transfer = transfers.pull({
      ...{ kind: 'pull', engine, reference: 'nginx:latest', fullName: 'nginx:latest' },
      ...{ title: 'nginx:latest', keepsFailure: true },
      work: (onStep) => {
        step = onStep;
        return new Promise((resolve, reject) => {
          end = (result) => {
            if (result instanceof EngineError) reject(result);
            else resolve(result);
          };
        });
      },
    });
    transfer.join().catch(() => undefined);
    await turn();
    return transfer;
  };

  /** Lets throttled changes fire. */
  const beat = async (): Promise<void> => {
    await turn();
    stage.clock.pass(120);
    await turn();
  };

  it('are above the images, with a row for each layer below', async () => {
    await pull();
    await beat();
    const top = () => rows.roots[0];
    assert.equal(top()?.present(stage.context).icon?.id, 'loading~spin');
    assert.ok(!top()?.children);
    for (const id of ['aaaaaaaaaaaa', 'bbbbbbbbbbbb']) step({ id, status: 'Waiting' });
    step({ id: 'aaaaaaaaaaaa', status: 'Downloading', current: 37, total: 100 });
    step({ id: 'cccccccccccc', status: 'Already exists' });
    await beat();
    assert.deepEqual(stage.labels(rows.roots), ['Pulling nginx:latest', 'app:1']);
    const look = top()?.present(stage.context);
    assert.equal(look?.contextValue, 'pull.running');
    assert.equal(look.icon, undefined, 'a row with a twistie must have no icon');
    assert.equal(look.description, '18% · 37 B of about 200 B');
    assert.equal(look.accessibilityLabel, 'Pulling nginx:latest, 18% · 37 B of about 200 B');
    const layers = top()?.children ?? [];
    assert.deepEqual(
      layers.map((layer) => layer.present(stage.context).description),
      ['downloading 37% · 100 B', 'waiting', 'already exists'],
    );
    assert.deepEqual(
      layers.map((layer) => layer.id),
      ['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc'].map((id) => `default/pull/1/${id}`),
    );
  });

  it('are repainted alone, and keep the rows of their layers', async () => {
    await pull();
    await beat();
    const fired = record(stage, rows);
    step({ id: 'aaaaaaaaaaaa', status: 'Downloading', current: 1, total: 100 });
    await beat();
    const before = rows.roots[0]?.children;
    step({ id: 'aaaaaaaaaaaa', status: 'Downloading', current: 2, total: 100 });
    await beat();
    assert.deepEqual(fired, ['Pulling nginx:latest', 'Pulling nginx:latest']);
    assert.deepEqual(rows.roots[0]?.children, before);
  });

  it('are removed when the image appears, not before', async () => {
    await pull();
    end({ imageId: IMAGE });
    await beat();
    const [node] = rows.roots;
    assert.equal(node?.present(stage.context).description, 'done');
    stage.show([], [image('a', { tags: ['app:1'] }), image('b', { tags: ['nginx:latest'] })]);
    assert.deepEqual(stage.labels(rows.roots), ['app:1', 'nginx:latest']);
  });

  it('are removed immediately if the image already exists', async () => {
    await pull();
    end({ imageId: `sha256:${idOf('a')}` });
    await beat();
    assert.deepEqual(stage.labels(rows.roots), ['app:1']);
  });

  it('stay with the error message if they fail, until they are dismissed', async () => {
    const transfer = await pull();
    step({ id: 'aaaaaaaaaaaa', status: 'Downloading', current: 1, total: 100 });
    end(new EngineError('failed', { engineMessage: 'no\nspace left' }));
    await beat();
    const [node] = rows.roots;
    const look = node?.present(stage.context);
    assert.equal(look?.contextValue, 'pull.failed');
    assert.equal(look.icon?.id, 'error');
    assert.equal(node?.children, undefined, 'the row must not be expandable');
    assert.equal(look.label, 'Pull of nginx:latest');
    assert.equal(look.description, 'failed: no space left');
    assert.equal(stage.tooltip(node)['Failed'], 'no\nspace left');
    transfers.dismiss(transfer);
    await beat();
    assert.deepEqual(stage.labels(rows.roots), ['app:1']);
  });

  it('have only the problem in the row after a failure, and the remedy in the tooltip', async () => {
    await pull();
    const engineMessage = 'The engine cannot reach docker.io (no network). Check the network.';
    end(new EngineError('failed', { engineMessage }));
    await beat();
    const [node] = rows.roots;
    const shown = node?.present(stage.context).description;
    assert.equal(shown, 'failed: The engine cannot reach docker.io (no network)');
    assert.equal(stage.tooltip(node)['Failed'], engineMessage);
  });

  it('are shown only in their own engine', async () => {
    await pull('other');
    await beat();
    assert.deepEqual(stage.labels(rows.roots), ['app:1']);
  });

  it('repaint the row of an image whose registry was asked for a newer image', () => {
    const fired = record(stage, rows);
    newer.record({ engine: 'other', reference: 'app:1' }, IMAGE);
    newer.record({ engine: 'default', reference: 'app:2' }, IMAGE);
    assert.deepEqual(fired, []);
    newer.record({ engine: 'default', reference: 'app:1' }, IMAGE);
    assert.deepEqual(fired, ['app:1']);
  });

  it('show that a newer image is available', () => {
    const look = (freshness: 'newer' | 'askable' | undefined) =>
      rows.roots[0]?.present({ ...stage.context, freshness: () => freshness });
    assert.equal(look('newer')?.contextValue, 'image.tagged.askable.newer');
    assert.match(look('newer')?.description ?? '', /^newer available · /);
    assert.equal(look('askable')?.contextValue, 'image.tagged.askable');
    assert.equal(look(undefined)?.contextValue, 'image.tagged');
  });
});
