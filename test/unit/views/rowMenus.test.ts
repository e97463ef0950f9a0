import assert from 'node:assert/strict';
import type { StepState } from '../../../src/builds/buildTrace.ts';
import type { ShownBuild } from '../../../src/builds/shownBuild.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { isUp, type Container } from '../../../src/engine/model.ts';
import type { FileEntry } from '../../../src/files/fileIndex.ts';
import { FileNode, FileNoteNode, FileRootNode } from '../../../src/files/fileNode.ts';
import type { FileRootKind } from '../../../src/files/fileRoot.ts';
import { Inventory } from '../../../src/inventory/inventory.ts';
import type { KnownEngine } from '../../../src/inventory/knownEngine.ts';
import type { NetworkMember } from '../../../src/inventory/membersOf.ts';
import type { Phase } from '../../../src/inventory/phase.ts';
import { ChangeList } from '../../../src/review/changeTree.ts';
import type { ReviewRow } from '../../../src/review/reviewRow.ts';
import type { Transfer } from '../../../src/registries/transfers/transfer.ts';
import { presentBuild, presentStage, presentStep } from '../../../src/views/builds/presentBuild.ts';
import { presentProject, presentService } from '../../../src/views/containers/presentProject.ts';
import { EngineNode } from '../../../src/views/engines/engineNode.ts';
import { presentImage } from '../../../src/views/images/presentImage.ts';
import { presentMember, presentNetwork } from '../../../src/views/networks/presentNetwork.ts';
import type { RowPresentation } from '../../../src/views/rowPresentation.ts';
import { presentTransfer } from '../../../src/views/transfers/presentTransfer.ts';
import { presentVolume } from '../../../src/views/volumes/presentVolume.ts';
import { container, image, network, volume } from '../inventory/support/nouns.ts';
import { manifest, type MenuItem } from '../support/manifest.ts';
import { isTrue, type ContextKeys } from '../support/whenClause.ts';
import '../support/fakeEditor.ts';
import { inProject, Stage } from './support/stage.ts';

const TEXTS = { now: () => 0 };

/** When an entry is in the menu of a row: in which views, and for which context values. */
interface RowClause {
  readonly command: string;
  readonly when: string;
  /** A regular expression for the IDs of views. */
  readonly views: string;
  /** A regular expression for context values. */
  readonly rows: string;
}

const CLAUSE =
  /^view (?:== (\S+)|=~ \/(.+?)\/) && viewItem (?:== (\S+)|=~ \/(.+?)\/)(?: && !listMultiSelection)?$/;

function clauseOf({ command, submenu = '', when = '' }: MenuItem): RowClause {
  const exactly = (text = ''): string => `^${text.replaceAll('.', '\\.')}$`;
  const [, view, views = exactly(view), row, rows = exactly(row)] =
    CLAUSE.exec(when) ?? assert.fail(`cannot parse: ${when}`);
  return { command: command || submenu, when, views, rows };
}

/**
 * Returns a pattern once for each of the words that its groups can have, and once for what a lookahead excludes: a
 * pattern that is found nowhere has a word that no row has.
 */
function variantsOf(pattern: string): readonly string[] {
  // The first group without another one in it, except for lookaheads.
  const [group = '', words = ''] = /\((?!\?)((?:[^()]|\(\?![^()]*\))*)\)/.exec(pattern) ?? [];
  if (group !== '')
    return words.split('|').flatMap((word) => variantsOf(pattern.replace(group, () => word)));
  return [...new Set([pattern, pattern.replaceAll('(?!', '(?=')])];
}

const contextsOf = (rows: readonly RowPresentation[]): readonly string[] =>
  rows.map(({ contextValue }) => contextValue);

function containerContexts(stage: Stage): readonly string[] {
  const states = ['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead']
    .concat('unknown')
    .map((state) => ({ state: state as Container['state'] }));
  const ports = [[], [{ privatePort: 80, publicPort: 8080, protocol: 'tcp' }]];
  const rows = states.flatMap((state) =>
    ports.flatMap((published) =>
      [{}, inProject('shop', 'web')].map((labels) =>
        stage.look(container('a', { ...state, ports: published, labels })),
      ),
    ),
  );
  const pod = { name: 'shop', isInfra: true };
  const infra = states.map((state) => stage.look(container('a', { ...state, pod })));
  return contextsOf([...rows, ...infra]);
}

function groupContexts(): readonly string[] {
  const kinds: readonly Partial<Container>[] = [
    { labels: inProject('shop') },
    { labels: { 'com.docker.stack.namespace': 'shop' } },
    { pod: { name: 'shop', isInfra: false } },
  ];
  const rows = kinds.flatMap((kind) =>
    [['running'], ['exited'], ['running', 'exited'], ['paused', 'running']].flatMap((states) => {
      const members = states.map((state) => {
        const one = container('a', { ...kind, state: state as Container['state'] });
        return { container: one, title: 'a', isUp: isUp(one) };
      });
      return [presentProject('shop', members), presentService('web', members)];
    }),
  );
  return contextsOf(rows);
}

function imageContexts({ context }: Stage): readonly string[] {
  const tagged = (['newer', 'askable', undefined] as const).map((freshness) =>
    presentImage(image('b'), 'b:latest', { ...context, freshness: () => freshness }),
  );
  const transfers = (['pull', 'push'] as const).flatMap((kind) =>
    ['running', 'done', 'failed', 'cancelled'].map((phase) => {
      const spec = { kind, reference: 'b' };
      const transfer = { spec, phase, layers: [], state: { layersAll: 0 } };
      return presentTransfer(transfer as unknown as Transfer, String);
    }),
  );
  return contextsOf([...tagged, presentImage(image('b'), undefined, context), ...transfers]);
}

function networkContexts({ context }: Stage): readonly string[] {
  const members = ['', '10.0.0.2'].map((ip): NetworkMember => {
    return { container: container('a'), connection: { name: 'a', networkId: 'a', ip } };
  });
  const onHost = { container: container('a'), connection: { name: 'host', networkId: 'c' } };
  return contextsOf([
    presentNetwork(network('a'), members, context),
    presentNetwork(network('a'), [], context),
    presentNetwork(network('b', { name: 'bridge' }), [], context),
    presentNetwork(network('c', { name: 'host', driver: 'host' }), [onHost], context),
    ...[...members, onHost].map((member) => presentMember(member, [], context)),
  ]);
}

function volumeContexts(stage: Stage): readonly string[] {
  const mounts = [{ type: 'volume', volume: 'used', path: '/data', isReadOnly: false }];
  stage.show([container('a', { mounts })]);
  const volumes = ['used', 'unused', 'a'.repeat(64)].map((name) => volume(name));
  return contextsOf(volumes.map((one) => presentVolume(one, stage.context)));
}

/** Of the rows of engines, which several views have. */
function engineContexts({ context }: Stage): readonly string[] {
  const info = { product: 'docker', engineApi: '1.41', api: '1.41' } as const;
  const phases: readonly Phase[] = [
    { kind: 'idle' },
    { kind: 'off' },
    { kind: 'connecting' },
    { kind: 'live', info },
    { kind: 'lost', error: new EngineError('refused'), hadRows: false },
  ];
  const rows = phases.flatMap((phase) =>
    [true, false].flatMap((isSo) => {
      const inventory = new Inventory();
      inventory.setPhase(phase);
      const known = { id: 'e', name: 'e', isAdded: isSo, inventory, engine: {} };
      const options = { isPreferred: () => isSo, whenEmpty: () => '' };
      const node = new EngineNode(known as unknown as KnownEngine, options);
      return [node, ...node.children].map((row) => row.present(context));
    }),
  );
  return contextsOf(rows);
}

function buildContexts(): readonly string[] {
  const builds = (['running', 'done', 'failed', 'canceled'] as const).flatMap((phase) =>
    [true, false].map((isOwn) => {
      const counts = { all: 0, cached: 0, finished: 0 };
      const build = { phase, isOwn, counts, title: 'b', engine: 'e', startedAt: 0, endedAt: 0 };
      return presentBuild(build as unknown as ShownBuild, String, TEXTS);
    }),
  );
  const steps = ['waiting', 'running', 'done', 'cached', 'failed', 'canceled'].map((state) =>
    presentStep({ step: { state, name: 's' } } as unknown as StepState, TEXTS),
  );
  // The tests of the commands that compare images, build again and open a shell prove these. Bake is not run again.
  const done = ['.file', '.again.file'].flatMap((more) => [
    ...[`build.done${more}`, `build.done${more}.sent`],
    ...[`build.done.comparable${more}`, `build.done.comparable${more}.sent`],
    ...[`build.failed${more}`, `build.canceled${more}`],
  ]);
  const added = [...done, 'buildStep.failed.shell'];
  return [...contextsOf([...builds, ...steps, presentStage('s', [])]), ...added];
}

const rootOf = (kind: FileRootKind): FileRootNode =>
  new FileRootNode({ engine: 'e', kind, id: 'a', name: 'a' });

function fileContexts(): readonly string[] {
  const rows = (['container', 'image', 'volume'] as const).flatMap((kind) => {
    const root = rootOf(kind);
    const files = (['file', 'folder', 'link', 'other'] as const).map((what) => {
      const entry = { name: 'a', kind: what, size: 0, linkTarget: '' } as FileEntry;
      return new FileNode(root, entry, what === 'folder').present();
    });
    const notes = (['failed', 'partial', 'empty'] as const).map((kind) =>
      new FileNoteNode(root, 'a', kind).present(),
    );
    return [root.present(), ...files, ...notes];
  });
  const contexts = contextsOf(rows);
  // The view adds whether the container runs.
  const running = contexts.filter((one) => one.endsWith('.container'));
  return [...contexts, ...running.map((one) => `${one}.running`)];
}

async function changeContexts(): Promise<readonly string[]> {
  const { ChangesView } = await import('../../../src/review/changesView.ts');
  const view = new ChangesView(() => Promise.resolve([]));
  const list = new ChangeList([], new Map());
  const kinds = ['added', 'changed', 'deleted'] as const;
  const rows: readonly ReviewRow[] = [
    ...kinds.map((kind) => {
      return { kind: 'entry', list, entry: { name: 'a', path: '/a', kind, size: 0 } } as const;
    }),
    { kind: 'entry', list, entry: { name: 'a', path: '/a', kind: undefined, size: 1 } },
    { kind: 'rest', list, folder: '', from: 1, size: 1 },
    { kind: 'noise', list },
    { kind: 'mounts', mounts: [] },
    { kind: 'mount', mount: { target: '/a', type: 'tmpfs', source: '' } },
  ];
  const contexts = rows.map((row) => view.getTreeItem(row).contextValue ?? '');
  view.dispose();
  return contexts;
}

/** The most entries of a menu beside its submenus, by the first word of the context value of the row. */
const MOST_ENTRIES: Readonly<Record<string, number>> = {
  container: 9,
  project: 6,
  service: 6,
  image: 8,
  volume: 6,
  network: 6,
  build: 6,
  engine: 8,
  files: 9,
};
const MOST_OTHERS = 6;
const MOST_BUTTONS = 4;

/** Returns the entries of a menu that are shown. */
function shownIn(menu: string, keys: ContextKeys): readonly MenuItem[] {
  return (manifest.contributes.menus[menu] ?? []).filter(({ when }) => isTrue(when, keys));
}

describe('the menus of rows', () => {
  const clauses = (manifest.contributes.menus['view/item/context'] ?? []).map(clauseOf);
  /** The context values of the rows that each view has. */
  let known: ReadonlyMap<string, readonly string[]>;
  before(async () => {
    const stage = new Stage();
    const engines = engineContexts(stage);
    known = new Map([
      ['gantry.containers', [...engines, ...containerContexts(stage), ...groupContexts()]],
      ['gantry.images', [...engines, ...imageContexts(stage)]],
      ['gantry.volumes', [...engines, ...volumeContexts(stage)]],
      ['gantry.networks', [...engines, ...networkContexts(stage)]],
      ['gantry.builds', buildContexts()],
      ['gantry.fileTree', fileContexts()],
      ['gantry.changeTree', await changeContexts()],
    ]);
  });

  /** Returns the clauses that are about a view, with the context values of its rows. */
  const inViews = () =>
    clauses.flatMap((clause) =>
      [...known]
        .filter(([view]) => new RegExp(clause.views).test(view))
        .map(([view, contexts]) => ({ ...clause, view, contexts })),
    );

  it('have no word that no row has', () => {
    assert.ok(clauses.length > 0);
    const isFound = (pattern: string, texts: readonly string[]): boolean =>
      texts.some((text) => new RegExp(pattern).test(text));
    for (const clause of clauses)
      for (const variant of variantsOf(clause.views))
        assert.ok(isFound(variant, [...known.keys()]), `${variant} in ${clause.when}`);
    for (const { rows, contexts, view, when } of inViews())
      for (const variant of variantsOf(rows))
        assert.ok(isFound(variant, contexts), `${variant} in ${view} of ${when}`);
  });

  it('are for whole words, and not for what begins like one', () => {
    for (const { rows, contexts, when } of inViews()) {
      for (const text of contexts) {
        const match = new RegExp(rows).exec(text)?.[0] ?? '.';
        const isWhole = match.endsWith('.') || /^(?:\.|$)/.test(text.slice(match.length));
        assert.ok(isWhole, `${text} in ${when}`);
      }
    }
  });

  it('do not offer what every engine refuses', () => {
    const refused = [
      ['gantry.containers.start', 'gantry.containers', 'container.dead'],
      ['gantry.containers.remove', 'gantry.containers', 'container.exited.infra'],
      ['gantry.networks.connect', 'gantry.networks', 'network.predefined.host'],
      ['gantry.networks.disconnect', 'gantry.networks', 'networkMember.host'],
    ];
    for (const [command, view = '', context = ''] of refused) {
      assert.ok(known.get(view)?.includes(context), `no row is ${context}`);
      const found = clauses.filter((one) => one.command === command);
      const offered = found.filter(({ rows }) => new RegExp(rows).test(context));
      assert.deepEqual([found.length > 0, offered], [true, []], context);
    }
  });

  it('stay small, and have no submenu without entries and no entry twice', () => {
    for (const [view, contexts] of known)
      for (const viewItem of contexts)
        for (const listMultiSelection of [false, true]) {
          const keys = { view, viewItem, listMultiSelection };
          const items = shownIn('view/item/context', keys);
          const isButton = ({ group = '' }: MenuItem): boolean => group.startsWith('inline');
          const entries = items.filter((item) => !isButton(item) && item.submenu === undefined);
          const most = MOST_ENTRIES[/^\w+/.exec(viewItem)?.[0] ?? ''] ?? MOST_OTHERS;
          const texts = entries.map(({ command }) => command).join();
          assert.ok(entries.length <= most, `${viewItem}: ${entries.length} (${texts})`);
          assert.ok(items.filter(isButton).length <= MOST_BUTTONS, viewItem);
          const inside = items.flatMap(({ submenu }) => {
            const ofSubmenu = submenu === undefined ? [] : shownIn(submenu, keys);
            assert.ok(submenu === undefined || ofSubmenu.length > 0, `${submenu} of ${viewItem}`);
            return ofSubmenu;
          });
          const all = [...entries, ...inside].map(({ command }) => command);
          assert.deepEqual(all, [...new Set(all)], viewItem);
        }
  });

  it('offer by state: no Start on what runs, no Stop on what does not, and no Unpause where nothing is paused', () => {
    const offered = (viewItem: string): readonly string[] => {
      const keys = { view: 'gantry.containers', viewItem };
      return shownIn('view/item/context', keys)
        .flatMap((item) => (item.submenu === undefined ? [item] : shownIn(item.submenu, keys)))
        .map(({ command }) => command.replace(/^gantry\.\w+\./, ''));
    };
    const acts = ['start', 'stop', 'restart', 'pause', 'unpause', 'kill'];
    const actsOf = (viewItem: string) => acts.filter((act) => offered(viewItem).includes(act));
    for (const [viewItem, expected] of [
      ['container.running', ['stop', 'restart', 'pause', 'kill']],
      ['container.paused', ['stop', 'restart', 'unpause', 'kill']],
      ['container.exited', ['start']],
      ['container.removing', []],
      ['project.up.running', ['stop', 'restart', 'pause', 'kill']],
      ['project.up.down.running', ['start', 'stop', 'restart', 'pause', 'kill']],
      ['service.up.running.paused', ['stop', 'restart', 'pause', 'unpause', 'kill']],
      ['project.down', ['start']],
    ] as const) {
      assert.ok(known.get('gantry.containers')?.includes(viewItem), viewItem);
      assert.deepEqual(actsOf(viewItem), expected, viewItem);
    }
    for (const paused of ['container.paused', 'project.up.running.paused']) {
      const keys = { view: 'gantry.containers', viewItem: paused };
      const buttons = shownIn('view/item/context', keys).filter(({ group }) =>
        group?.startsWith('inline'),
      );
      assert.ok(buttons.some(({ command }) => command.endsWith('.unpause')));
    }
  });

  it('attach VS Code to what runs, in editors that can', () => {
    const attach = 'gantry.containers.attachEditor';
    const isOffered = (viewItem: string, more: object): boolean =>
      ['gantry.containers.more', 'gantry.projects.more'].some((menu) =>
        shownIn(menu, { viewItem, ...more }).some(({ command }) => command === attach),
      );
    const can = { 'gantry.canAttachEditor': true };
    for (const [viewItem, isRunning] of [
      ['container.running', true],
      ['container.paused', false],
      ['container.exited', false],
      ['service.up.running', true],
      ['service.down', false],
      ['project.up.running', false],
    ] as const) {
      assert.ok(known.get('gantry.containers')?.includes(viewItem), viewItem);
      assert.equal(isOffered(viewItem, can), isRunning, viewItem);
      assert.equal(isOffered(viewItem, {}), false, viewItem);
      assert.equal(isOffered(viewItem, { ...can, listMultiSelection: true }), false, viewItem);
    }
  });

  it('have what works on all files in the root row of the Files view', () => {
    const menuOf = (kind: FileRootKind): readonly string[] => {
      const { contextValue } = rootOf(kind).present();
      const shown = clauses.filter(
        ({ views, rows }) =>
          new RegExp(views).test('gantry.fileTree') && new RegExp(rows).test(contextValue),
      );
      return [...new Set(shown.map(({ command }) => command))].sort();
    };
    const all = ['close', 'download', 'find', 'refresh'];
    const changing = ['createFile', 'createFolder', 'upload'];
    const named = (acts: readonly string[]) => acts.map((one) => `gantry.files.${one}`).sort();
    assert.deepEqual(menuOf('container'), named([...all, ...changing]));
    assert.deepEqual(menuOf('volume'), named([...all, ...changing]));
    assert.deepEqual(menuOf('image'), named(all));
  });
});
