import type { Activity } from '../inventory/activity.ts';
import type { Age } from '../inventory/age.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { Container, Image } from '../engine/model.ts';
import type { OrphanSource } from '../projects/orphans.ts';
import type { KnownWorktrees } from '../projects/worktrees/knownWorktrees.ts';
import type { Reading } from '../statistics/reading.ts';
import type { Pins } from './arrangement/pins.ts';
import { formatLine } from './format.ts';

/** Appearance of a row at one time. All texts are plain text: texts from engines and users must not be rendered. */
export interface RowPresentation {
  readonly label: string;
  readonly description: string;
  /** Undefined for a row whose twistie takes the place of the icon of its siblings. */
  readonly icon: Icon | undefined;
  /**
   * Value for the `when` clauses of menus, words joined by dots:
   *
   * - `container` and its state: `running`, `paused`, `restarting`, `created`, `exited`, `dead`, `removing`,
   *   `unknown`; then `pinned` if the user has pinned it, `infra` if it is that of a pod, `published` if a TCP port is published, and `service` if it is of
   *   a service of a compose project: `container.running.published.service`
   * - `image.tagged`, `image.dangling`; then `askable` if its registry can be asked for a newer image, and
   *   `newer` if it has one: `image.tagged.askable.newer`
   * - `pull` or `push` and its phase: `running`, `done`, `failed`, `cancelled`; `layer`
   * - `project` or `service`; then `stack` if swarm replaces its containers: `project.stack`; or `pod`;
   *   then `up` if a container is up, `down` if one is not, `published` if one publishes a TCP port, and `pinned`:
   *   `project.up.down`
   * - `volume` and `used` or `unused`; then `anonymous` if it was created without a name
   * - `network` and `used`, `unused`, or `predefined`; `networkMember`, then `addressed` if it has an address; both
   *   then `host` for Docker's network of this name: `network.predefined.host`
   */
  readonly contextValue: string;
  /** Label for screen readers: the full text, without the label's ellipsis. */
  readonly accessibilityLabel: string;
  /** The age shown in the text, if any. The text changes with time alone. */
  readonly age?: Age;
}

/** `newer`: the registry has another image under this name. `askable`: not known, but the registry can be asked. */
export type Freshness = 'newer' | 'askable' | undefined;

/** Everything that a row's presentation depends on. */
export interface RenderContext {
  readonly inventory: Pick<
    Inventory,
    | 'containers'
    | 'images'
    | 'volumes'
    | 'volumeSizes'
    | 'networks'
    | 'ages'
    | 'outOfMemory'
    | 'stopped'
    | 'lostAt'
    | 'containersOf'
    | 'containersOfVolume'
    | 'containersOnNetwork'
    | 'onDidChange'
  >;
  readonly activity: Pick<Activity, 'verbOf' | 'waitOf' | 'onDidChange'>;
  /** Returns whether a newer image exists under a name; undefined if newer images cannot be checked. */
  readonly freshness?: (image: Image, reference: string) => Freshness;
  /** Knows which containers belong to a service that is in none of the compose files. */
  readonly orphans?: OrphanSource;
  /** Knows of which worktrees projects are. */
  readonly worktrees?: Pick<KnownWorktrees<ShownWorktree>, 'onDidChange' | 'follow' | 'of'>;
  /** The name of the engine. */
  readonly engineLabel?: string;
  /** Whether the rows of several engines are in one list, so that each says where it is. */
  readonly isMixed?: () => boolean;
  readonly pins?: Pick<Pins, 'isEmpty' | 'has'>;
  /** Returns the names of the workspace folders that a container belongs to. */
  readonly workspaceOf?: (container: Container) => readonly string[];
  /** Returns what containers use together, by their IDs; empty if it is not shown. */
  readonly usageOf?: (ids: readonly string[]) => string;
  /** Returns the last reading of what a container uses, by default one of the same engine. */
  readonly readingOf?: (id: string, engine?: string) => Reading | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** IDs of a codicon and a theme color. */
export interface Icon {
  readonly id: string;
  readonly color?: string;
}

/** What the row of a project shows of its worktree. */
export interface ShownWorktree {
  /** In place of the name of the project, which is long, and has the branch that it was created on. */
  readonly title: string;
  /** Parts of the description. */
  readonly parts: readonly string[];
  /** In place of that of the states. */
  readonly icon: Icon | undefined;
  /**
   * Returns rows of the tooltip.
   *
   * @param engine the ID of the engine.
   * @param containers those of the project.
   */
  readonly tooltip: (engine: string, containers: readonly Container[]) => readonly TooltipRow[];
}

/** One line of a tooltip. The name and the value are untrusted. */
export interface TooltipRow {
  readonly name: string;
  readonly value: string;
  /** A link after the value, to an address that neither engines nor images have chosen. */
  readonly url?: string;
}

/** Returns tooltip rows for all pairs with a value. */
export function tooltipRows(
  ...pairs: readonly (readonly [name: string, value: string | undefined])[]
): readonly TooltipRow[] {
  return pairs.flatMap(([name, value = '']) => (value === '' ? [] : [{ name, value }]));
}

/**
 * Returns a tooltip as Markdown. All punctuation from engines and images is escaped, so that it contains no
 * links, images, headings, or lists other than Gantry's own.
 */
export function tooltipMarkdown(rows: readonly TooltipRow[]): string {
  return rows
    .map(({ name, value, url }) => {
      const text = `**${escaped(formatLine(name))}:** ${escaped(formatLine(value))}`;
      return url === undefined ? text : `${text} <${url}>`;
    })
    .join('  \n');
}

function escaped(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** Returns the error message to show to the user. */
export type DescribeError = (error: unknown) => string;
