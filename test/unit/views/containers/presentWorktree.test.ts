import assert from 'node:assert/strict';
import type { Endpoint } from '../../../../src/engine/http/endpoint.ts';
import type { Container, Port } from '../../../../src/engine/model.ts';
import type { NamedWorktree } from '../../../../src/projects/worktrees/followedWorktrees.ts';
import { KnownWorktrees } from '../../../../src/projects/worktrees/knownWorktrees.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import { presentWorktree } from '../../../../src/views/containers/presentWorktree.ts';
import {
  tooltipMarkdown,
  type RenderContext,
  type ShownWorktree,
} from '../../../../src/views/rowPresentation.ts';
import { PLAIN } from '../../../../src/views/arrangement/arrangements.ts';
import { container } from '../../inventory/support/nouns.ts';
import { settle } from '../../support/lab.ts';
import { inProject, record, Stage } from '../support/stage.ts';

const FILE = '/storage/worktrees/shop-login.yaml';
const LOCAL = { kind: 'socket', path: '/var/run/docker.sock' } as const;
const tcp = (publicPort: number, ip = '0.0.0.0'): Port => {
  return { privatePort: 80, publicPort, protocol: 'tcp', ip };
};
const member = (letter: string, service: string, ports: readonly Port[] = []): Container =>
  container(letter, {
    ports,
    labels: {
      ...inProject('shop-login', service),
      'com.docker.compose.project.config_files': `/login/compose.yaml,${FILE}`,
    },
  });

describe('the row of the project of a worktree', () => {
  let stage: Stage;
  let report: (project: string, shown: ShownWorktree | undefined) => void;
  let transport: Endpoint['transport'];
  let rows: ContainerRows;
  let context: RenderContext;
  let opened: number;

  beforeEach(() => {
    stage = new Stage();
    transport = LOCAL;
    opened = 0;
    const worktrees = new KnownWorktrees<ShownWorktree>('/storage/worktrees', (told) => {
      report = told;
      opened += 1;
      return Promise.resolve({ follow: () => undefined });
    });
    context = { ...stage.context, worktrees };
    rows = new ContainerRows('default', context, undefined, PLAIN);
  });
  afterEach(() => rows.dispose());

  const tell = (state: Partial<NamedWorktree>): void => {
    const whole = { base: 'shop', folder: '/home/me/login', isGone: false, paths: [], ...state };
    const endpointOf = () => ({ url: '', transport, source: { kind: 'default' } }) as never;
    report('shop-login', presentWorktree(whole, { file: FILE, endpointOf }));
  };
  const look = () => {
    const { label, description, accessibilityLabel } =
      rows.roots[0]?.present(context) ?? assert.fail('no row');
    return [label, description, accessibilityLabel];
  };
  const tooltip = () => rows.roots[0]?.tooltip(context) ?? [];
  const urls = (): readonly unknown[] => tooltip().flatMap(({ url }) => url ?? []);

  it('is named by the project in the files and the branch, as soon as they are known', () => {
    stage.show([member('a', 'web'), member('b', 'db')]);
    assert.deepEqual(look(), ['shop-login', '2 of 2 up', 'Project shop-login, 2 of 2 up']);
    const fired = record(stage, rows);
    tell({ branch: 'feature/login' });
    assert.deepEqual(fired, ['shop-login']);
    assert.deepEqual(look(), [
      'shop · feature/login',
      '2 of 2 up',
      'Project shop · feature/login, 2 of 2 up',
    ]);
    tell({});
    assert.equal(look()[0], 'shop · login');
    const icon = () => rows.roots[0]?.present(context).icon?.id;
    assert.equal(icon(), 'layers-active');
    tell({ branch: 'feature/login', isGone: true });
    assert.deepEqual(look().slice(0, 2), ['shop · feature/login', 'worktree gone · 2 of 2 up']);
    assert.equal(icon(), 'warning');
  });

  it('shows a branch and a folder as text on one line', () => {
    stage.show([member('a', 'web')]);
    tell({ branch: `a\n\u202e[x](http://evil)${'z'.repeat(900)}`, folder: '/x\n/**y**' });
    const [label = ''] = look();
    assert.ok(label.length < 450 && !/[\n\u202e]/.test(label), label);
    const text = tooltipMarkdown(tooltip());
    assert.ok(!/[^\\]\]\(/.test(text) && !text.includes('\u202e'), text);
  });

  it('asks for nothing without such a project', async () => {
    stage.show([container('a', { labels: inProject('shop', 'web') }), container('b')]);
    await settle();
    assert.equal(opened, 0);
    stage.show([member('a', 'web')]);
    assert.equal(opened, 1);
  });

  it('has the folder, the branch, the file, and links to running containers in the tooltip', () => {
    const web = member('a', 'web', [tcp(20_123), tcp(20_123, '::')]);
    const udp = { privatePort: 53, publicPort: 20_053, protocol: 'udp' };
    const down = { ...member('c', 'old', [tcp(20_999)]), state: 'exited' } as const;
    stage.show([web, member('b', 'db', [udp]), down]);
    tell({ branch: 'feature/login' });
    assert.deepEqual(tooltip().slice(-4), [
      { name: 'Worktree', value: '/home/me/login' },
      { name: 'Branch', value: 'feature/login' },
      { name: 'Override file', value: FILE },
      { name: 'URL', value: 'web', url: 'http://localhost:20123' },
    ]);
    assert.match(tooltipMarkdown(tooltip()), /\*\*URL:\*\* web <http:\/\/localhost:20123>$/);
  });

  it('links to the host of the engine, and nowhere that an engine or a label could choose', () => {
    const odd = '> [x](javascript:alert(1))';
    stage.show([member('a', odd, [tcp(1), tcp(2, '10.0.0.9'), tcp(3, 'evil> <http://x')])]);
    transport = { kind: 'ssh', host: 'build.example' };
    tell({});
    assert.deepEqual(urls(), [
      'http://build.example:1',
      'http://10.0.0.9:2',
      'http://build.example:3',
    ]);
    transport = { kind: 'ssh', host: 'a b>' };
    assert.deepEqual(urls(), ['http://10.0.0.9:2']);
    assert.ok(!tooltipMarkdown(tooltip()).includes('](javascript'));
  });

  it('has a bounded number of links', () => {
    const ports = Array.from({ length: 40 }, (_, at) => tcp(20_000 + at));
    stage.show([member('a', 'web', ports)]);
    tell({});
    assert.equal(urls().length, 12);
  });
});
