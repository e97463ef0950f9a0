import { ContainerNode } from './containers/containerNode.ts';
import type { TreeNode } from './treeNode.ts';

/** The containers that were dragged out of their view. Only text can be passed from one view to another. */
export interface DraggedContainers {
  readonly engine: string;
  readonly ids: readonly string[];
}

/** The media type of {@link formatDragged}. */
export const DRAGGED_TYPE = 'application/vnd.gantry.containers';

/** Returns what a drag of these rows carries: the containers of the first one's engine; undefined for none. */
export function formatDragged(nodes: readonly TreeNode[]): string | undefined {
  const containers = nodes.filter((node) => node instanceof ContainerNode);
  const [first] = containers;
  if (!first) return undefined;
  const own = containers.filter(({ engine }) => engine === first.engine);
  const dragged: DraggedContainers = {
    engine: first.engine,
    ids: own.map(({ container }) => container.id),
  };
  return JSON.stringify(dragged);
}

/** Reads what a drag carries; undefined if it is anything else. Another extension may use the media type. */
export function parseDragged(text: string): DraggedContainers | undefined {
  try {
    const { engine, ids } = JSON.parse(text) as { readonly engine: unknown; readonly ids: unknown };
    const isValid = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
    return typeof engine === 'string' && isValid ? { engine, ids } : undefined;
  } catch {
    return undefined;
  }
}
