import type { Container, Image } from '../../../../src/engine/model.ts';
import { Activity } from '../../../../src/inventory/activity.ts';
import { Inventory } from '../../../../src/inventory/inventory.ts';
import type { RowPresentation, RenderContext } from '../../../../src/views/rowPresentation.ts';
import { PLAIN, type Arrangement } from '../../../../src/views/arrangement/arrangements.ts';
import { ContainerRows } from '../../../../src/views/containers/containerRows.ts';
import { ImageRows } from '../../../../src/views/images/imageRows.ts';
import {
  DEFAULT_ARRANGEMENT,
  type ImageArrangement,
} from '../../../../src/views/images/imageArrangement.ts';
import { ImageNode } from '../../../../src/views/images/imageNode.ts';
import type { TreeNode } from '../../../../src/views/treeNode.ts';
import type { Rows, TreeRowsChange } from '../../../../src/views/rows.ts';
import { FakeClock } from '../../support/fakeClock.ts';

/** A real inventory with rows to test. */
export class Stage {
  readonly inventory = new Inventory();
  readonly activity = new Activity();
  readonly clock = new FakeClock();
  readonly context: RenderContext = {
    inventory: this.inventory,
    activity: this.activity,
    now: () => this.clock.now(),
  };

  show(containers: readonly Container[], images: readonly Image[] = []): void {
    this.inventory.replaceAll(containers, images, this.clock.now());
  }

  /** Replaces only these containers, as after an event. */
  change(...containers: readonly Container[]): void {
    const ids = containers.map((one) => one.id);
    this.inventory.replaceContainers(ids, containers, this.clock.now());
  }

  containerRows(arrangement: Partial<Arrangement> = {}): ContainerRows {
    const whole = { ...PLAIN, ...arrangement };
    return new ContainerRows('default', this.context, undefined, whole);
  }

  imageRows(arrangement: Partial<ImageArrangement> = {}): ImageRows {
    const whole = { ...DEFAULT_ARRANGEMENT, ...arrangement };
    return new ImageRows('default', this.context, undefined, whole);
  }

  /** Returns the image rows of the first level. */
  imageNodes(rows: ImageRows): readonly ImageNode[] {
    return rows.roots.filter((node) => node instanceof ImageNode);
  }

  /** Returns the current presentation of one container's row. */
  look(container: Container): RowPresentation {
    this.show([container]);
    const rows = this.containerRows();
    const look = rows.find(container.id)?.present(this.context);
    rows.dispose();
    if (!look) throw new Error('no row');
    return look;
  }

  labels(nodes: readonly TreeNode[] | undefined): readonly string[] {
    return (nodes ?? []).map((node) => node.present(this.context).label);
  }

  tooltip(node: TreeNode | undefined): Readonly<Record<string, string>> {
    const rows = node?.tooltip(this.context) ?? [];
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  }
}

/** Records the changes that rows fire: the labels of repainted rows, `*` for the whole view. */
export function record(stage: Stage, rows: Rows): string[] {
  const fired: string[] = [];
  rows.onDidChange(({ isRootStale, stale }: TreeRowsChange) => {
    const labels = stage.labels([...stale]);
    fired.push([...(isRootStale ? ['*'] : []), ...labels].join(' '));
  });
  return fired;
}

/** Returns the labels of a container in a compose project. */
export function inProject(project: string, service?: string, number?: number): Container['labels'] {
  return {
    'com.docker.compose.project': project,
    'com.docker.compose.config-hash': 'hash',
    ...(service === undefined ? {} : { 'com.docker.compose.service': service }),
    ...(number === undefined ? {} : { 'com.docker.compose.container-number': String(number) }),
  };
}
