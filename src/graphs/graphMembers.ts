import { oneLine } from '../base/plainText.ts';
import { isUp, type Container } from '../engine/model.ts';
import { isSelected } from './graphSelection.ts';
import type { GraphMember, GraphSelection } from './protocol.ts';

/** The containers of a page. Those that were removed stay, with their last values. */
export class GraphMembers {
  readonly #selection: GraphSelection;
  /** In the order in which they came. */
  readonly #members = new Map<string, GraphMember>();
  #hidden = 0;

  constructor(selection: GraphSelection) {
    this.#selection = selection;
  }

  /** In a lasting order, so that each keeps its color. */
  get all(): readonly GraphMember[] {
    return [...this.#members.values()];
  }

  /** The number of containers that do not fit. */
  get hidden(): number {
    return this.#hidden;
  }

  /** The IDs of those that run. */
  get running(): readonly string[] {
    return this.all.flatMap(({ key, state }) => (state === 'up' ? key : []));
  }

  /** The IDs of those that still exist. */
  get existing(): readonly string[] {
    return this.all.flatMap(({ key, state }) => (state === 'gone' ? [] : key));
  }

  /**
   * Takes over what the inventory has now.
   *
   * @param isLive whether what it does not have is gone.
   * @returns whether anything has changed.
   */
  update(containers: ReadonlyMap<string, Container>, isLive: boolean): boolean {
    const before = JSON.stringify([this.all, this.#hidden]);
    const found = this.#find(containers);
    for (const [key, member] of this.#members) {
      const container = containers.get(key);
      if (container) this.#members.set(key, memberOf(container));
      else if (isLive) this.#members.set(key, { ...member, state: 'gone' });
    }
    const fresh = found.filter(({ id }) => !this.#members.has(id));
    for (const one of fresh) if (this.#makeRoom()) this.#members.set(one.id, memberOf(one));
    this.#hidden = found.filter(({ id }) => !this.#members.has(id)).length;
    return before !== JSON.stringify([this.all, this.#hidden]);
  }

  /** Those of a project by name; running ones first, so that they are shown if not all fit. */
  #find(containers: ReadonlyMap<string, Container>): readonly Container[] {
    const { project, ids } = this.#selection;
    if (project === undefined) return ids.flatMap((id) => containers.get(id) ?? []);
    const found = [...containers.values()].filter((one) => isSelected(one, this.#selection));
    const rank = (one: Container): number => (isUp(one) ? 0 : 1);
    return found.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  }

  /** Forgets the first that is gone if there are too many. Returns whether another one fits. */
  #makeRoom(): boolean {
    if (this.#members.size < MOST_LINES) return true;
    const gone = this.all.find(({ state }) => state === 'gone');
    return gone !== undefined && this.#members.delete(gone.key);
  }
}

/** The most containers with lines: more cannot be told apart. */
export const MOST_LINES = 20;

const NAME_LIMIT = 100;

function memberOf(container: Container): GraphMember {
  return {
    key: container.id,
    name: oneLine(container.name, NAME_LIMIT),
    state: isUp(container) ? 'up' : 'down',
  };
}
