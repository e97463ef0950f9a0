import assert from 'node:assert/strict';
import { createCommand } from '../../../../src/commands/create/createCommand.ts';
import { container, idOf, image } from '../../inventory/support/nouns.ts';
import { imageRow, type CommandLab } from '../../support/commandLab.ts';
import {
  ESCAPE,
  file,
  give,
  pick,
  type,
  type Answer,
  type Shown,
} from '../../support/scriptedUi.ts';
import {
  changes,
  createdBody,
  fillIn,
  openCreatingLab,
  valuesOf,
  type CreateBody,
  type CreatingOptions,
} from './support/creating.ts';

const PULL = 'Pull Now';

describe('the rows of the create form', () => {
  const app = image('a', { tags: ['registry.example.org:5000/me/app:1'] });
  let lab: CommandLab;
  afterEach(() => lab.close());

  async function open(
    image: object = { Cmd: ['sh'] },
    more: Partial<CreatingOptions> = {},
  ): Promise<void> {
    lab = await openCreatingLab({ image, ...more });
  }
  const run = (...answers: readonly Answer[]): Promise<unknown> => {
    lab.ui.act(...answers);
    return lab.run(createCommand(), imageRow(app));
  };
  /** Returns the create request after the user has changed rows. */
  const create = async (...answers: readonly Answer[]): Promise<CreateBody & Body> => {
    await run(...answers, pick('Create'));
    return createdBody(lab);
  };
  const last = (): Shown => lab.ui.of('pick').at(-1) ?? assert.fail('nothing was shown');

  interface Body {
    readonly HostConfig: {
      readonly RestartPolicy?: { readonly Name: string; readonly MaximumRetryCount?: number };
      readonly NetworkMode?: string;
      readonly PidsLimit?: number;
      readonly NanoCpus?: number;
      readonly Mounts?: readonly object[];
    };
  }

  it('take a restart policy with a maximum number of retries', async () => {
    await open();
    const retries = [pick('Restart policy'), pick('on-failure:…')];
    const { HostConfig } = await create(...retries, give('5'), ...retries, ESCAPE);
    assert.deepEqual(HostConfig.RestartPolicy, { Name: 'on-failure', MaximumRetryCount: 5 });
    const [first, second] = lab.ui.of('input').map(({ input }) => input);
    assert.deepEqual([first?.value, second?.value], ['3', '5']);
    assert.equal(first?.problem?.('2'), undefined);
    assert.match(first?.problem?.('many') ?? '', /many/);
    assert.equal(valuesOf(last())['Restart policy'], 'on-failure:5');
  });

  it('take any network', async () => {
    await open();
    const other = [pick('Network'), pick('Other...')];
    const { HostConfig } = await create(...other, give('shop'), ...other, ESCAPE);
    assert.equal(HostConfig.NetworkMode, 'shop');
    assert.deepEqual(
      lab.ui.of('input').map(({ input }) => input?.value),
      ['', 'shop'],
    );
  });

  it('offer the networks of the engine, but no name that would be a mode', async () => {
    const networks = ['bridge', 'shop_back', 'container:web', '-x', 'shop_front', 'shop_back'];
    await open({ Cmd: ['sh'] }, { networks });
    let offered: readonly string[] = [];
    const { HostConfig } = await create(pick('Network'), (shown) => {
      offered = (shown.items ?? []).map(({ label, heading = '' }) => `${heading}|${label}`);
      return pick('shop_front')(shown);
    });
    assert.equal(HostConfig.NetworkMode, 'shop_front');
    assert.deepEqual(offered, [
      ...['|engine default', '|bridge', '|host', '|none'],
      'networks of the engine|shop_back',
      ...['|shop_front', '|Other...'],
    ]);
    const lists = lab.engine.seen.filter(({ path }) => path === '/networks' || path === '/volumes');
    assert.equal(lists.length, 1);
  });

  it('offer the volumes of the engine that have a name', async () => {
    await open({ Cmd: ['sh'] }, { volumes: [idOf('e'), 'shop_data', 'evil:/etc', 'other'] });
    const offered: string[] = [];
    const { HostConfig } = await create(
      pick('Mounts'),
      (shown) => {
        offered.push(...(shown.items ?? []).map(({ label }) => label));
        return pick('shop_data')(shown);
      },
      ({ input }) => {
        assert.deepEqual([input?.value, input?.selection], ['shop_data:/data', [10, 15]]);
        return 'shop_data:/var/lib';
      },
      pick('Done'),
    );
    assert.deepEqual(offered.slice(-2), ['other', 'shop_data']);
    assert.deepEqual(HostConfig.Binds, ['shop_data:/var/lib']);
  });

  it('mount folders and files that the user browses for', async () => {
    await open();
    const browse = (label: string, path: string | undefined): readonly Answer[] => [
      ...[pick(label), give(path === undefined ? undefined : [file(path)])],
    ];
    const keep: Answer = ({ input }) => input?.value;
    const { HostConfig } = await create(
      pick('Mounts'),
      ...browse('Browse for a Folder...', undefined),
      ...[...browse('Browse for a Folder...', '/work/my shop'), keep],
      ...[
        ...browse('Browse for a File...', '/work/app.conf'),
        () => '/work/app.conf:/etc/app.conf',
      ],
      ...[...browse('Browse for a Folder...', '/work/a:b,c'), keep],
      pick('Done'),
    );
    assert.deepEqual(HostConfig.Binds, ['/work/my shop:/data', '/work/app.conf:/etc/app.conf']);
    assert.deepEqual(HostConfig.Mounts, [{ Type: 'bind', Source: '/work/a:b,c', Target: '/data' }]);
  });

  it('explain why there is nothing to browse in a dev container', async () => {
    await open();
    Object.assign(lab.ui, { remoteName: 'dev-container' });
    let row: unknown;
    await run(pick('Mounts'), ({ items = [] }) => {
      row = items.find(({ label }) => label === 'Browse...');
      return undefined;
    });
    const { description, isDisabled } = (row ?? {}) as Record<string, unknown>;
    const why = 'The engine does not see the files of this machine.';
    assert.deepEqual([description, isDisabled], [why, true]);
  });

  it('report what an empty text means', async () => {
    await open();
    await run(pick('PIDs limit'), ESCAPE, pick('Command'), ESCAPE);
    assert.deepEqual(
      lab.ui.of('input').map(({ detail }) => detail),
      [
        'PIDs limit (leave empty for no limit)',
        'Command with shell-style quoting. Leave empty to use the image default.',
      ],
    );
  });

  it('take numbers', async () => {
    await open();
    const { HostConfig } = await create(...fillIn('PIDs limit', '200'), ...fillIn('CPUs', '1.5'));
    assert.deepEqual([HostConfig.PidsLimit, HostConfig.NanoCpus], [200, 1.5e9]);
    const [pids, cpus] = lab.ui.of('input').map(({ input }) => input);
    assert.match(pids?.problem?.('1.5') ?? '', /1\.5/);
    assert.match(cpus?.problem?.('half') ?? '', /half/);
  });

  it('offer the volumes of the image under names, and each only once', async () => {
    await open({ Cmd: ['sh'], Volumes: { '/var/lib/data': {}, '/srv': {} } });
    const offered: string[][] = [];
    const looking = (next: Answer): Answer => {
      return (shown) => {
        const { items = [] } = shown;
        offered.push(items.map(({ label, description = '' }) => `${label} ${description}`));
        return next(shown);
      };
    };
    const { HostConfig } = await create(
      pick('Mounts'),
      looking(pick('/var/lib/data')),
      (shown) => shown.input?.value ?? shown.active,
      looking(pick('Done')),
    );
    assert.deepEqual(HostConfig.Binds, ['app-data:/var/lib/data']);
    assert(offered[0]?.includes('/var/lib/data as volume app-data'));
    assert(offered[0]?.includes('/srv as volume app-srv'));
    assert(!offered[1]?.some((text) => text.startsWith('/var/lib/data ')));
  });

  it('offer a different free port for each port of the image', async () => {
    // UDP, because TCP ports that other programs use on this machine are not free.
    const exposed = { '8000/udp': {}, '8001/udp': {}, '65535/udp': {} };
    await open({ Cmd: ['sh'], ExposedPorts: exposed });
    const ports = [8000, 65_535].map((publicPort) => {
      return { privatePort: 1, publicPort, protocol: 'udp' };
    });
    lab.list([container('b', { ports })]);
    let offers: readonly string[] = [];
    await run(pick('Ports'), ({ items = [] }) => {
      offers = items.slice(1).map(({ label, description = '' }) => `${label} ${description}`);
      return undefined;
    });
    assert.deepEqual(offers, [
      '8001:8000/udp 8001 is free',
      '8002:8001/udp 8002 is free',
      '65535/udp ',
    ]);
  });

  it('report which variable is invalid', async () => {
    await open({ Cmd: ['sh'] });
    let labels: readonly (string | undefined)[] = [];
    await run(pick('Environment variables'), ({ pick: list }) => {
      const { items } = list ?? {};
      assert(typeof items === 'function');
      labels = ['=x', 'TZ=UTC'].map((typed) => items(typed)[0]?.label);
      return undefined;
    });
    assert.match(labels[0] ?? '', /is not an environment variable/);
    assert.equal(labels[1], 'Add TZ=UTC');
  });

  describe('for the health check', () => {
    const health = { Test: ['CMD-SHELL', 'true'] };
    const row = (): string | undefined => valuesOf(last())['Health check'];

    it('turn it off, and use that of the image again', async () => {
      await open({ Cmd: ['sh'], Healthcheck: health });
      const shown: (string | undefined)[] = [];
      const looking = (next: Answer): Answer => {
        return (overview) => {
          shown.push(valuesOf(overview)['Health check']);
          return next(overview);
        };
      };
      const marked: (string | undefined)[] = [];
      const choosing = (label: string): Answer => {
        return (list) => {
          marked.push(list.active?.label);
          return pick(label)(list);
        };
      };
      const { Healthcheck } = await create(
        looking(pick('Health check')),
        choosing('None'),
        looking(pick('Health check')),
        choosing('Image default'),
        looking(pick('Health check')),
        choosing('Image default'),
      );
      assert.deepEqual(shown, ['true (image default)', 'off', 'true (image default)']);
      assert.deepEqual(marked, ['Image default', 'None', 'Image default']);
      assert.equal(Healthcheck, undefined);
    });

    it('check the text of each step', async () => {
      await open({ Cmd: ['sh'], Healthcheck: health });
      const own = [pick('Health check'), pick('Custom...')];
      await run(...own, give('true'), give(''), give(''), give(''), ESCAPE);
      const [test, interval, timeout, retries] = lab.ui.of('input').map(({ input }) => input);
      assert.match(test?.problem?.(' ') ?? '', /has no command/);
      assert.match(interval?.problem?.('soon') ?? '', /soon/);
      assert.match(timeout?.problem?.('late') ?? '', /late/);
      assert.match(retries?.problem?.('some') ?? '', /some/);
      for (const step of [interval, timeout, retries]) assert.equal(step?.problem?.(''), undefined);
      assert.equal(row(), 'true');
    });
  });

  describe('for a missing image', () => {
    it('pull it, and then show its defaults', async () => {
      lab = await openCreatingLab({});
      await run(pick(PULL), ESCAPE);
      const [before] = lab.ui.of('pick');
      assert(before);
      assert.equal(valuesOf(before)['Command'], 'image default');
      assert.equal(valuesOf(before)['Environment variables'], 'none');
      assert.deepEqual(changes(lab), ['/images/create']);
      assert.equal(valuesOf(last())['Command'], 'none');
      assert(!last().items?.some(({ label }) => label === PULL));
    });

    it('explain why it could not be pulled, and stay', async () => {
      const failures = { 'POST /create': [500, 'registry is down'] } as const;
      lab = await openCreatingLab({ failures });
      await run(pick(PULL), ESCAPE);
      const [error] = lab.ui.of('error');
      assert.equal(error?.text, 'Could not pull the image: registry is down');
      assert(last().items?.some(({ label }) => label === PULL));
    });
  });

  it('show the short ID of an image without a tag, and take another image', async () => {
    await open();
    const untagged = image('b', { tags: [] });
    lab.list([], [app, untagged]);
    lab.ui.act(pick('Image'), type('me/app'), ESCAPE);
    await lab.run(createCommand(), imageRow(untagged));
    const [first] = lab.ui.of('pick');
    assert(first);
    assert.equal(valuesOf(first)['Image'], idOf('b').slice(0, 12));
    assert.equal(valuesOf(last())['Image'], app.tags[0]);
  });
});
