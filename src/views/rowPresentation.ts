import type { Activity } from '../inventory/activity.ts';
import type { Age } from '../inventory/age.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { Image } from '../engine/model.ts';
import type { L10n } from '../l10n.ts';

/** How a row looks at one moment. Plain text: what an engine or a person wrote is not to be rendered. */
export interface RowPresentation {
  readonly label: string;
  readonly description: string;
  /** Undefined for a row whose twistie stands where its siblings have their icon. */
  readonly icon: Icon | undefined;
  /**
   * What `when` clauses of menus match, words joined by dots:
   *
   * - `container` and its state: `running`, `paused`, `restarting`, `created`, `exited`, `dead`, `removing`,
   *   `unknown`; then `published` where a TCP port is published: `container.running.published`
   * - `image.tagged`, `image.dangling`; then `askable` where its registry can be asked for a newer one, and `newer`
   *   where it has one: `image.tagged.askable.newer`
   * - `pull` and `push` and how it is: `running`, `done`, `failed`, `cancelled`; `layer`
   * - `project`
   */
  readonly contextValue: string;
  /** What a screen reader says: whole, without the label's ellipsis. */
  readonly accessibilityLabel: string;
  /** Since when, where the words tell an age: they change with time alone. */
  readonly age?: Age | undefined;
}

/** `newer` its registry has another image under this name; `askable` nothing is known, and one may ask. */
export type Freshness = 'newer' | 'askable' | undefined;

/** All that a row's looks depend on. */
export interface RenderContext {
  readonly inventory: Pick<
    Inventory,
    'containers' | 'images' | 'ages' | 'outOfMemory' | 'lostAt' | 'containersOf' | 'onDidChange'
  >;
  readonly activity: Pick<Activity, 'verbOf' | 'onDidChange'>;
  /** What is known of newer images under a name; undefined where nobody can know. */
  readonly freshness?: (image: Image, reference: string) => Freshness;
  readonly l10n: L10n;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A codicon and a theme colour, by their ids. */
export interface Icon {
  readonly id: string;
  readonly color?: string;
}

/** One line of a tooltip. Neither part is trusted. */
export interface TooltipRow {
  readonly name: string;
  readonly value: string;
}

/** Of pairs those that have something to say. */
export function tooltipRows(
  ...pairs: readonly (readonly [name: string, value: string | undefined])[]
): readonly TooltipRow[] {
  return pairs.flatMap(([name, value = '']) => (value === '' ? [] : [{ name, value }]));
}
